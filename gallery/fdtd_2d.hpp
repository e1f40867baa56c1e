// An electromagnetic field in two dimensions by finite differences in time (Yee, 1966), as in PolyBench: a step has three loops
// over blocks of rows, one for each component of the field.
#pragma once

#include "gallery/phases.hpp"

#include <sennit/numa_array.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace gallery {

class fdtd_2d {
 public:
  explicit fdtd_2d(std::size_t n, std::size_t block = 1)
      : n_(n), rows_{n, block}, ey_(n * n), ex_(n * n), hz_(n * n) {}

  // As PolyBench does it.
  template <class Loops>
  void initialize(Loops&& loops) {
    const auto fill = [&](array& field, std::size_t shift) {
      over_rows(loops, field, [=, this](std::size_t i, double* row) {
        for (std::size_t j = 0; j < n_; ++j)
          row[j] = static_cast<double>(i) * static_cast<double>(j + shift) / static_cast<double>(n_);
      });
    };
    fill(ey_, 2);
    fill(ex_, 1);
    fill(hz_, 3);
    steps_ = 0;
  }

  template <class Loops>
  void step(Loops&& loops) {
    const std::size_t n = n_;
    over_rows(loops, ey_, [=, this](std::size_t i, double* ey) {
      if (i == 0) {
        std::fill_n(ey, n, static_cast<double>(steps_));
      } else {
        const double* const hz = row(hz_, i);
        for (std::size_t j = 0; j < n; ++j) ey[j] -= 0.5 * (hz[j] - (hz - n)[j]);
      }
    });
    over_rows(loops, ex_, [=, this](std::size_t i, double* ex) {
      const double* const hz = row(hz_, i);
      for (std::size_t j = 1; j < n; ++j) ex[j] -= 0.5 * (hz[j] - hz[j - 1]);
    });
    over_rows(loops, hz_, [=, this](std::size_t i, double* hz) {
      if (i + 1 == n) return;
      const double* const ex = row(ex_, i);
      const double* const ey = row(ey_, i);
      for (std::size_t j = 0; j + 1 < n; ++j) hz[j] -= 0.7 * (ex[j + 1] - ex[j] + (ey + n)[j] - ey[j]);
    });
    ++steps_;
  }

  // To fresh pages.
  template <class Loops>
  void redistribute(Loops&& loops) {
    for (array* field : {&ey_, &ex_, &hz_}) {
      field->renew([&](const array& from, array& to) {
        over_rows(loops, to, [&](std::size_t i, double* out) { std::copy_n(row(from, i), n_, out); });
      });
    }
  }

  std::span<const double> hz() const { return {hz_.data(), hz_.size()}; }
  std::span<const double> ey() const { return {ey_.data(), ey_.size()}; }
  std::span<const double> ex() const { return {ex_.data(), ex_.size()}; }
  // Iterations of each loop.
  std::size_t blocks() const { return rows_.count(); }
  static constexpr unsigned loops_a_step = 3;

 private:
  using array = sennit::numa_array<double>;

  template <class Loops, class Row>
  void over_rows(Loops& loops, array& written, const Row& body) const {
    loops.each(rows_.count(), 1, [&](std::size_t block) {
      for (std::size_t i = rows_.first(block); i < rows_.last(block); ++i) body(i, written.data() + i * n_);
    });
  }
  const double* row(const array& field, std::size_t i) const { return field.data() + i * n_; }

  std::size_t n_;
  partition rows_;
  std::size_t steps_ = 0;
  array ey_;
  array ex_;
  array hz_;
};

}  // namespace gallery
