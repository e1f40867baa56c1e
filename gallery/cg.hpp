// CG of the NAS Parallel Benchmarks 3: the smallest eigenvalue of a sparse symmetric matrix by the inverse power method, whose
// linear systems are solved by conjugate gradients.
#pragma once

#include "gallery/phases.hpp"

#include <sennit/numa_array.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace gallery {

struct cg_class {
  std::string_view name;
  std::size_t n;
  std::size_t nonzeros;  // of each of the vectors whose products add up to the matrix
  unsigned iterations;
  double shift;
  double zeta;  // the answer
};
// S, W or A. Throws std::invalid_argument that says so for anything else.
const cg_class& cg_class_of(std::string_view name);

struct compressed_rows {
  std::vector<std::size_t> first;  // of each row, and the end of the last
  std::vector<std::int32_t> columns;
  std::vector<double> values;

  std::size_t rows() const { return first.size() - 1; }
};
// The benchmark's matrix, made as its makea() makes it.
compressed_rows cg_matrix(const cg_class& problem);

class cg {
 public:
  static constexpr unsigned steps_a_system = 25;

  // The matrix is that of the problem, and has to live as long.
  cg(const cg_class& problem, const compressed_rows& matrix, std::size_t block = 64)
      : problem_(problem), made_(matrix), rows_{problem.n, block}, data_(matrix), partial_(blocks()) {}

  template <class Loops>
  void initialize(Loops&& loops) {
    each_block(loops, [this](std::size_t from, std::size_t to) {
      copy(made_.columns, data_.columns, made_.first[from], made_.first[to]);
      copy(made_.values, data_.values, made_.first[from], made_.first[to]);
      fill(data_.q, from, to, 0);
    });
    each_block(loops, [this](std::size_t from, std::size_t to) {
      fill(data_.z, from, to, 0);
      fill(data_.r, from, to, 1);
    });
    each_block(loops, [this](std::size_t from, std::size_t to) {
      fill(data_.x, from, to, 1);
      fill(data_.p, from, to, 1);
    });
    rho_ = static_cast<double>(problem_.n);
    steps_ = 0;
  }

  // A step of the conjugate gradients; the last one for a system goes on to the next system.
  template <class Loops>
  void step(Loops&& loops) {
    auto& [columns, values, x, z, p, q, r] = data_;
    const double slope = sum(loops, [&](std::size_t i, sums& s) {
      q[i] = product(i, p);
      s[0] += p[i] * q[i];
    })[0];
    const double alpha = rho_ / slope;
    const double residue = sum(loops, [&](std::size_t i, sums& s) {
      z[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      s[0] += r[i] * r[i];
    })[0];
    const double beta = residue / std::exchange(rho_, residue);
    if (++steps_ % steps_a_system == 0) return next_system(loops);
    each_block(loops, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) p[i] = r[i] + beta * p[i];
    });
  }

  // To fresh pages.
  template <class Loops>
  void redistribute(Loops&& loops) {
    storage fresh(made_);
    each_block(loops, [&](std::size_t from, std::size_t to) {
      copy(data_.columns, fresh.columns, made_.first[from], made_.first[to]);
      copy(data_.values, fresh.values, made_.first[from], made_.first[to]);
      copy(data_.q, fresh.q, from, to);
    });
    each_block(loops, [&](std::size_t from, std::size_t to) {
      copy(data_.z, fresh.z, from, to);
      copy(data_.r, fresh.r, from, to);
    });
    each_block(loops, [&](std::size_t from, std::size_t to) {
      copy(data_.x, fresh.x, from, to);
      copy(data_.p, fresh.p, from, to);
    });
    data_ = std::move(fresh);
  }

  // Of the systems so far.
  double zeta() const { return zeta_; }
  // How far the last system's solution is off.
  double residual() const { return residual_; }
  // Iterations of each loop.
  std::size_t blocks() const { return rows_.count(); }
  static constexpr unsigned loops_a_step = 3;

 private:
  using array = sennit::numa_array<double>;
  using sums = std::array<double, 3>;
  struct storage {
    explicit storage(const compressed_rows& made)
        : columns(made.columns.size()),
          values(made.values.size()),
          x(made.rows()),
          z(made.rows()),
          p(made.rows()),
          q(made.rows()),
          r(made.rows()) {}

    sennit::numa_array<std::int32_t> columns;
    array values, x, z, p, q, r;
  };

  template <class Loops>
  void next_system(Loops& loops) {
    auto& [columns, values, x, z, p, q, r] = data_;
    const auto [error, x_z, z_z] = sum(loops, [&](std::size_t i, sums& s) {
      const double off = x[i] - product(i, z);
      s[0] += off * off;
      s[1] += x[i] * z[i];
      s[2] += z[i] * z[i];
    });
    residual_ = std::sqrt(error);
    zeta_ = problem_.shift + 1 / x_z;
    const double scale = 1 / std::sqrt(z_z);
    rho_ = sum(loops, [&](std::size_t i, sums& s) {
      x[i] = p[i] = r[i] = scale * z[i];
      z[i] = 0;
      s[0] += r[i] * r[i];
    })[0];
  }

  template <class Old, class New>
  static void copy(const Old& old, New& fresh, std::size_t from, std::size_t to) {
    std::copy(old.data() + from, old.data() + to, fresh.data() + from);
  }
  static void fill(array& a, std::size_t from, std::size_t to, double with) {
    std::fill(a.data() + from, a.data() + to, with);
  }

  template <class Loops, class Body>
  void each_block(Loops& loops, const Body& body) const {
    loops.each(rows_.count(), 1, [&](std::size_t b) { body(rows_.first(b), rows_.last(b)); });
  }

  // Block by block, so that sums are the same whoever adds up what.
  template <class Loops, class Add>
  sums sum(Loops& loops, const Add& add) {
    loops.each(rows_.count(), 1, [&](std::size_t b) {
      sums of_block{};
      for (std::size_t i = rows_.first(b); i < rows_.last(b); ++i) add(i, of_block);
      partial_[b] = of_block;
    });
    sums all{};
    for (const sums& of_block : partial_)
      for (std::size_t k = 0; k < all.size(); ++k) all[k] += of_block[k];
    return all;
  }

  double product(std::size_t row, const array& vector) const {
    double result = 0;
    for (std::size_t k = made_.first[row]; k < made_.first[row + 1]; ++k)
      result += data_.values[k] * vector[static_cast<std::size_t>(data_.columns[k])];
    return result;
  }

  cg_class problem_;
  const compressed_rows& made_;
  partition rows_;
  storage data_;
  std::vector<sums> partial_;
  double rho_ = 0;
  double zeta_ = 0;
  double residual_ = 0;
  unsigned steps_ = 0;
};

}  // namespace gallery
