// SPDX-License-Identifier: Apache-2.0
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
    loops.each(blocks(), 1, [this](std::size_t b) { initialize_matrix(b); });
    loops.each(blocks(), 1, [this](std::size_t b) { initialize_solution(b); });
    loops.each(blocks(), 1, [this](std::size_t b) { initialize_direction(b); });
    start();
  }

  // A step of the conjugate gradients; the last one for a system goes on to the next system.
  template <class Loops>
  void step(Loops&& loops) {
    do {
      const stage now = stage_at(stages_++);
      loops.each(blocks(), 1, [&](std::size_t b) { run_block(now, b); });
      conclude(now);
    } while (!is_first_of_a_step(stages_));
  }

  // The same block by block, for graphs: initialize_block() of all, start(), and then stage by stage run_block() of all blocks
  // and conclude().
  enum class stage { slope, residue, direction, error, restart };
  static constexpr std::size_t stages_a_system = 3 * steps_a_system + 1;
  static constexpr stage stage_at(std::size_t number) {
    const std::size_t of_system = number % stages_a_system;
    if (of_system == stages_a_system - 2) return stage::error;
    if (of_system == stages_a_system - 1) return stage::restart;
    return static_cast<stage>(of_system % 3);
  }
  void initialize_block(std::size_t b) {
    initialize_matrix(b);
    initialize_solution(b);
    initialize_direction(b);
  }
  void start() {
    rho_ = static_cast<double>(problem_.n);
    stages_ = 0;
  }
  void run_block(stage now, std::size_t b) {
    auto& [columns, values, x, z, p, q, r] = data_;
    switch (now) {
      case stage::slope:
        return add_up(b, [&](std::size_t i, sums& s) {
          q[i] = product(i, p);
          s[0] += p[i] * q[i];
        });
      case stage::residue:
        return add_up(b, [&](std::size_t i, sums& s) {
          z[i] += alpha_ * p[i];
          r[i] -= alpha_ * q[i];
          s[0] += r[i] * r[i];
        });
      case stage::direction:
        for (std::size_t i = rows_.first(b); i < rows_.last(b); ++i) p[i] = r[i] + beta_ * p[i];
        return;
      case stage::error:
        return add_up(b, [&](std::size_t i, sums& s) {
          const double off = x[i] - product(i, z);
          s[0] += off * off;
          s[1] += x[i] * z[i];
          s[2] += z[i] * z[i];
        });
      case stage::restart:
        return add_up(b, [&](std::size_t i, sums& s) {
          x[i] = p[i] = r[i] = scale_ * z[i];
          z[i] = 0;
          s[0] += r[i] * r[i];
        });
    }
  }
  void conclude(stage now) {
    switch (now) {
      case stage::slope: alpha_ = rho_ / total()[0]; return;
      case stage::residue: {
        const double residue = total()[0];
        beta_ = residue / std::exchange(rho_, residue);
        return;
      }
      case stage::direction: return;
      case stage::error: {
        const auto [error, x_z, z_z] = total();
        residual_ = std::sqrt(error);
        zeta_ = problem_.shift + 1 / x_z;
        scale_ = 1 / std::sqrt(z_z);
        return;
      }
      case stage::restart: rho_ = total()[0]; return;
    }
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

  static constexpr bool is_first_of_a_step(std::size_t number) {
    const std::size_t of_system = number % stages_a_system;
    return of_system % 3 == 0 && of_system != stages_a_system - 1;
  }

  void initialize_matrix(std::size_t b) {
    const std::size_t from = rows_.first(b);
    const std::size_t to = rows_.last(b);
    copy(made_.columns, data_.columns, made_.first[from], made_.first[to]);
    copy(made_.values, data_.values, made_.first[from], made_.first[to]);
    fill(data_.q, b, 0);
  }
  void initialize_solution(std::size_t b) {
    fill(data_.z, b, 0);
    fill(data_.r, b, 1);
  }
  void initialize_direction(std::size_t b) {
    fill(data_.x, b, 1);
    fill(data_.p, b, 1);
  }

  template <class Old, class New>
  static void copy(const Old& old, New& fresh, std::size_t from, std::size_t to) {
    std::copy(old.data() + from, old.data() + to, fresh.data() + from);
  }
  void fill(array& a, std::size_t b, double with) const {
    std::fill(a.data() + rows_.first(b), a.data() + rows_.last(b), with);
  }

  template <class Loops, class Body>
  void each_block(Loops& loops, const Body& body) const {
    loops.each(rows_.count(), 1, [&](std::size_t b) { body(rows_.first(b), rows_.last(b)); });
  }

  // Block by block, so that sums are the same whoever adds up what.
  template <class Add>
  void add_up(std::size_t b, const Add& add) {
    sums of_block{};
    for (std::size_t i = rows_.first(b); i < rows_.last(b); ++i) add(i, of_block);
    partial_[b] = of_block;
  }
  sums total() const {
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
  double alpha_ = 0;
  double beta_ = 0;
  double rho_ = 0;
  double scale_ = 0;
  double zeta_ = 0;
  double residual_ = 0;
  std::size_t stages_ = 0;  // run since the start
};

}  // namespace gallery
