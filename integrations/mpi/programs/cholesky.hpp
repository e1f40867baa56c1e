// SPDX-License-Identifier: Apache-2.0
// A matrix of tiles, dealt to the ranks in both directions in turn. How it becomes its Cholesky factor is left to the program.
#pragma once

#include "gallery/cholesky.hpp"
#include "integrations/mpi/programs/program.hpp"

#include <sennit/mpi/collectives.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace programs {

class cholesky : public program {
 public:
  using tile = std::shared_ptr<std::vector<double>>;

  void add_arguments(CLI::App& to) override {
    to.add_option("--n", n_, "rows of the matrix")->check(CLI::Range(1, 1 << 16))->capture_default_str();
    to.add_option("--tile", side_, "side of a tile")->check(CLI::Range(1, 1 << 12))->capture_default_str();
  }

  void prepare() override {
    parts_ = {n_, std::min(n_, side_)};
    down_ = static_cast<std::uint32_t>(std::sqrt(ranks()));
    while (static_cast<std::uint32_t>(ranks()) % down_ != 0) --down_;
    across_ = static_cast<std::uint32_t>(ranks()) / down_;
    const std::size_t b = parts_.size;
    tiles_.resize(parts_.count() * parts_.count());
    each_own([&](std::uint32_t row, std::uint32_t column) {
      tile& t = at(row, column) = std::make_shared<std::vector<double>>(b * b);
      cells_of(row, column,
               [&](std::size_t i, std::size_t j, std::size_t cell) { (*t)[cell] = given(i, j); });
    });
  }

  // The product of the factor and itself, turned, against the matrix: both times a vector that no wrong cell escapes.
  outcome check() override {
    namespace mpi = sennit::mpi;
    outcome made;
    std::vector<double> turned(n_);
    std::vector<double> product(n_);
    std::vector<double> expected(n_);
    each_factor_cell([&](std::size_t i, std::size_t j, double cell) { turned[j] += cell * x(i); });
    turned = summed(turned);
    each_factor_cell([&](std::size_t i, std::size_t j, double cell) {
      product[i] += cell * turned[j];
      expected[i] += given(i, j) * x(j);
      if (i != j) expected[j] += given(i, j) * x(i);
    });
    product = summed(product);
    expected = summed(expected);
    double largest = 0;
    for (const double e : expected) largest = std::max(largest, std::abs(e));
    for (std::size_t i = 0; i < n_; ++i) {
      if (std::abs(product[i] - expected[i]) <= 1e-14 * largest * static_cast<double>(n_ + 100)) continue;
      made.complaint =
          fmt::format("the residual in row {} is {:.3g} of {:.3g}", i, product[i] - expected[i], largest);
    }
    each_own([&](std::uint32_t row, std::uint32_t column) {
      made.sum +=
          digest(std::uint64_t{row} * parts_.count() + column, std::span<const double>(*at(row, column)));
    });
    return made;
  }

 protected:
  std::uint32_t count() const { return static_cast<std::uint32_t>(parts_.count()); }
  int rank_of(std::uint32_t row, std::uint32_t column) const {
    return static_cast<int>(row % down_ * across_ + column % across_);
  }
  tile& at(std::uint32_t row, std::uint32_t column) { return tiles_[row * parts_.count() + column]; }
  std::size_t cells_of_tile() const { return parts_.size * parts_.size; }

  // Step k of a tile, with the tiles of column k that it needs: of its row, and of its column's row. Compiled once, in
  // cholesky_step.cpp: how fast it is must not depend on the program around it.
  void step(std::uint32_t k, std::uint32_t row, std::uint32_t column, const double* of_row,
            const double* of_column);

 private:
  std::size_t size(std::size_t part) const { return parts_.last(part) - parts_.first(part); }

  template <class F>
  void each_own(const F& f) {
    for (std::uint32_t row = 0; row < count(); ++row) {
      for (std::uint32_t column = 0; column <= row; ++column)
        if (rank_of(row, column) == rank()) f(row, column);
    }
  }
  template <class F>
  void cells_of(std::size_t row, std::size_t column, const F& f) const {
    for (std::size_t i = parts_.first(row); i < parts_.last(row); ++i) {
      for (std::size_t j = parts_.first(column); j < std::min(i + 1, parts_.last(column)); ++j)
        f(i, j, (i - parts_.first(row)) * parts_.size + j - parts_.first(column));
    }
  }
  template <class F>
  void each_factor_cell(const F& f) {
    each_own([&](std::uint32_t row, std::uint32_t column) {
      cells_of(row, column,
               [&](std::size_t i, std::size_t j, std::size_t cell) { f(i, j, (*at(row, column))[cell]); });
    });
  }
  static std::vector<double> summed(const std::vector<double>& part) {
    std::vector<double> all(part.size());
    sennit::mpi::allreduce(part, all, MPI_SUM);
    return all;
  }
  // From -1 to 1.
  static double random(std::uint64_t i) {
    return static_cast<double>(gallery::splitmix64(i) >> 11) * 0x1p-52 - 1;
  }
  static double x(std::size_t i) { return 1 + random(~std::uint64_t{i}); }
  // With a diagonal that outweighs the rest.
  double given(std::size_t i, std::size_t j) const {
    return random(i * n_ + j) + (i == j ? static_cast<double>(n_) : 0);
  }

  std::size_t n_ = 1024;
  std::size_t side_ = 64;
  gallery::partition parts_;
  std::uint32_t down_ = 1;
  std::uint32_t across_ = 1;
  std::vector<tile> tiles_;
};

}  // namespace programs
