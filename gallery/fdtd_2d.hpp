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
    loops.each(rows_.count(), 1, [this](std::size_t b) { fill(ey_, 2, b); });
    loops.each(rows_.count(), 1, [this](std::size_t b) { fill(ex_, 1, b); });
    loops.each(rows_.count(), 1, [this](std::size_t b) { fill(hz_, 3, b); });
    steps_ = 0;
  }

  template <class Loops>
  void step(Loops&& loops) {
    loops.each(rows_.count(), 1, [this](std::size_t b) { ey_block(steps_, b); });
    loops.each(rows_.count(), 1, [this](std::size_t b) { ex_block(b); });
    loops.each(rows_.count(), 1, [this](std::size_t b) { hz_block(b); });
    took(1);
  }

  // The same block by block, for graphs. A step has two halves: the electric part of a block needs the magnetic one of that
  // block and of the one below it, of the step before; the magnetic one needs the electric ones of that block and of the
  // one above it.
  void initialize_block(std::size_t block) {
    fill(ey_, 2, block);
    fill(ex_, 1, block);
    fill(hz_, 3, block);
  }
  void electric_block(std::size_t step, std::size_t block) {
    ey_block(step, block);
    ex_block(block);
  }
  void magnetic_block(std::size_t block) { hz_block(block); }
  void took(std::size_t steps) { steps_ += steps; }

  // To fresh pages.
  template <class Loops>
  void redistribute(Loops&& loops) {
    for (array* field : {&ey_, &ex_, &hz_}) {
      field->renew([&](const array& from, array& to) {
        loops.each(rows_.count(), 1, [&](std::size_t b) {
          over_rows(b, to, [&](std::size_t i, double* out) { std::copy_n(row(from, i), n_, out); });
        });
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

  void fill(array& field, std::size_t shift, std::size_t block) {
    over_rows(block, field, [=, this](std::size_t i, double* row) {
      for (std::size_t j = 0; j < n_; ++j)
        row[j] = static_cast<double>(i) * static_cast<double>(j + shift) / static_cast<double>(n_);
    });
  }
  void ey_block(std::size_t step, std::size_t block) {
    over_rows(block, ey_, [=, this, n = n_](std::size_t i, double* ey) {
      if (i == 0) {
        std::fill_n(ey, n, static_cast<double>(step));
      } else {
        const double* const hz = row(hz_, i);
        for (std::size_t j = 0; j < n; ++j) ey[j] -= 0.5 * (hz[j] - (hz - n)[j]);
      }
    });
  }
  void ex_block(std::size_t block) {
    over_rows(block, ex_, [this, n = n_](std::size_t i, double* ex) {
      const double* const hz = row(hz_, i);
      for (std::size_t j = 1; j < n; ++j) ex[j] -= 0.5 * (hz[j] - hz[j - 1]);
    });
  }
  void hz_block(std::size_t block) {
    over_rows(block, hz_, [this, n = n_](std::size_t i, double* hz) {
      if (i + 1 == n) return;
      const double* const ex = row(ex_, i);
      const double* const ey = row(ey_, i);
      for (std::size_t j = 0; j + 1 < n; ++j) hz[j] -= 0.7 * (ex[j + 1] - ex[j] + (ey + n)[j] - ey[j]);
    });
  }

  template <class Row>
  void over_rows(std::size_t block, array& written, const Row& body) const {
    for (std::size_t i = rows_.first(block); i < rows_.last(block); ++i) body(i, written.data() + i * n_);
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
