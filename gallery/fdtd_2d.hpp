// SPDX-License-Identifier: Apache-2.0
// An electromagnetic field in two dimensions by finite differences in time (Yee, 1966), as in PolyBench: a step has three loops
// over blocks of rows, one for each component of the field.
#pragma once

#include "gallery/phases.hpp"
#include "gallery/sweeps.hpp"

#include <sennit/numa_array.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

  // The same as sweeps over rows: see gallery/sweeps.hpp. The magnetic field of a row needs the electric one of the next.
  static constexpr int phases = 3;
  void initialize() {
    for (std::size_t b = 0; b < rows_.count(); ++b) initialize_block(b);
    steps_ = 0;
  }
  part whole() const { return {{0, static_cast<std::int64_t>(n_)}}; }
  static constexpr lead ahead(std::int64_t s) { return {s % phases == 2 ? 1 : 0}; }
  SENNIT_GALLERY_SWEEP void sweep(std::int64_t s, const part& part) {
    const auto first = static_cast<std::size_t>(part.rows.first);
    const auto last = static_cast<std::size_t>(part.rows.last);
    switch (s % phases) {
      case 0: return ey_rows(static_cast<std::size_t>(s / phases), first, last);
      case 1: return ex_rows(first, last);
      default: return hz_rows(first, last);
    }
  }
  sennit::effects effects_of(std::int64_t s, range rows) const {
    const auto of = [n = static_cast<std::int64_t>(n_)](const array& component, range r) {
      const range inside = r.within({0, n});
      return sennit::memory_range(component.data(), range{inside.first * n, inside.last * n});
    };
    switch (s % phases) {
      case 0: return {sennit::reads(of(hz_, {rows.first - 1, rows.last})), sennit::writes(of(ey_, rows))};
      case 1: return {sennit::reads(of(hz_, rows)), sennit::writes(of(ex_, rows))};
      default:
        return {sennit::reads(of(ex_, rows), of(ey_, {rows.first, rows.last + 1})),
                sennit::writes(of(hz_, rows))};
    }
  }
  std::span<const double> result(std::int64_t) const { return hz(); }

  // To fresh pages.
  template <class Loops>
  void redistribute(Loops&& loops) {
    for (array* field : {&ey_, &ex_, &hz_}) {
      field->renew([&](const array& from, array& to) {
        loops.each(rows_.count(), 1, [&](std::size_t b) {
          over_rows(rows_.first(b), rows_.last(b), to,
                    [&](std::size_t i, double* out) { std::copy_n(row(from, i), n_, out); });
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
    over_rows(rows_.first(block), rows_.last(block), field, [=, this](std::size_t i, double* row) {
      for (std::size_t j = 0; j < n_; ++j)
        row[j] = static_cast<double>(i) * static_cast<double>(j + shift) / static_cast<double>(n_);
    });
  }
  void ey_block(std::size_t step, std::size_t block) { ey_rows(step, rows_.first(block), rows_.last(block)); }
  void ex_block(std::size_t block) { ex_rows(rows_.first(block), rows_.last(block)); }
  void hz_block(std::size_t block) { hz_rows(rows_.first(block), rows_.last(block)); }
  void ey_rows(std::size_t step, std::size_t first, std::size_t last) {
    over_rows(first, last, ey_, [=, this, n = n_](std::size_t i, double* ey) {
      if (i == 0) {
        std::fill_n(ey, n, static_cast<double>(step));
      } else {
        const double* const hz = row(hz_, i);
        for (std::size_t j = 0; j < n; ++j) ey[j] -= 0.5 * (hz[j] - (hz - n)[j]);
      }
    });
  }
  void ex_rows(std::size_t first, std::size_t last) {
    over_rows(first, last, ex_, [this, n = n_](std::size_t i, double* ex) {
      const double* const hz = row(hz_, i);
      for (std::size_t j = 1; j < n; ++j) ex[j] -= 0.5 * (hz[j] - hz[j - 1]);
    });
  }
  void hz_rows(std::size_t first, std::size_t last) {
    over_rows(first, last, hz_, [this, n = n_](std::size_t i, double* hz) {
      if (i + 1 == n) return;
      const double* const ex = row(ex_, i);
      const double* const ey = row(ey_, i);
      for (std::size_t j = 0; j + 1 < n; ++j) hz[j] -= 0.7 * (ex[j + 1] - ex[j] + (ey + n)[j] - ey[j]);
    });
  }

  template <class Row>
  void over_rows(std::size_t first, std::size_t last, array& written, const Row& body) const {
    for (std::size_t i = first; i < last; ++i) body(i, written.data() + i * n_);
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
