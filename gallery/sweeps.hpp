// SPDX-License-Identifier: Apache-2.0
// What the kernels have in common that sweep over the same data again and again, a few sweeps for each step of time: a kernel
// holds the data and says how to sweep over a part of it; in which order the parts of all sweeps are taken is up to others.
//
// Such a kernel has
//   whole()          the indices of a sweep: rows, and columns where those can be divided, too (else one column)
//   phases           the sweeps that a step consists of
//   ahead(s)         by how many rows, and columns, sweep s - 1 must be ahead of sweep s, if both go from first to last: so a part
//                    may be swept for the s-th time once its rows, and that many behind them, have been for the s - 1-st
//   sweep(s, part)   the s-th sweep, the first being 0, over a part; parts of a sweep are independent, except as below. It is
//                    SENNIT_GALLERY_SWEEP
//   effects_of(s, rows)  what that reads and writes, for all columns
//   result(s)        the numbers after s sweeps
// and where they are needed
//   finish()         what follows the last sweep
//   chained          parts of a sweep depend on those before them, in rows and in columns
//   row_unit()       parts of so many rows are independent, parts of those are not
#pragma once

#include <sennit/data_regions.hpp>
#include <sennit/effects.hpp>
#include <sennit/numa_array.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

// Not inlined, so that a sweep is the same machine code, whatever the order. Where the compiler can choose at start-up, with vectors as
// wide as the processor has them, but without fused multiplications, which round otherwise: narrow ones would have kernels in
// the cache wait for the processor rather than serial loops for the memory.
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define SENNIT_GALLERY_SWEEP [[gnu::noinline, gnu::target_clones("avx2", "default")]]
#else
#define SENNIT_GALLERY_SWEEP [[gnu::noinline]]
#endif

namespace gallery {

using sennit::range;

struct part {
  range rows;
  range columns{0, 1};

  bool empty() const { return rows.size() == 0 || columns.size() == 0; }
};

// Rows and columns, as in ahead(s).
struct lead {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// A kernel's arrays, `which` being 0, 1 and so on. Those of sizes that are powers of two would lie such a power apart, and elements
// of the same index then get into each other's way in the caches (by a factor of seven, for six arrays): so each begins at a
// line of its own.
template <class T>
class field {
 public:
  field() = default;
  field(std::int64_t size, std::size_t which)
      : size_(static_cast<std::size_t>(size)), begin_(which * stagger), memory_(begin_ + size_ + margin) {}

  std::size_t size() const { return size_; }
  T* data() { return memory_.data() + begin_; }
  const T* data() const { return memory_.data() + begin_; }
  // For effects.
  sennit::memory_range at(range indices) const { return {data(), indices}; }
  std::span<const T> span() const { return {data(), size()}; }

 private:
  // A page and a few lines.
  static constexpr std::size_t stagger = (4096 + 5 * 64) / sizeof(T);
  static constexpr std::size_t margin = 65536 / sizeof(T);

  std::size_t size_ = 0;
  std::size_t begin_ = 0;
  sennit::numa_array<T> memory_;
};

// Read before and written after a sweep by turns.
class two_fields {
 public:
  // first: the number of the first of them among a kernel's arrays.
  explicit two_fields(std::int64_t size, std::size_t first = 0)
      : fields_{field<double>(size, first), field<double>(size, first + 1)} {}

  // What sweep s reads, and so what was written by the one before; what it writes.
  const double* read(std::int64_t s) const { return before(s).data(); }
  double* written(std::int64_t s) { return fields_[static_cast<std::size_t>((s + 1) % 2)].data(); }
  std::span<const double> result(std::int64_t s) const { return before(s).span(); }
  // The same arrays, for effects.
  const field<double>& before(std::int64_t s) const { return fields_[static_cast<std::size_t>(s % 2)]; }
  const field<double>& after(std::int64_t s) const { return before(s + 1); }
  // Of a sweep over these indices, for which it needs so many more to both sides.
  sennit::effects effects_of(std::int64_t s, range indices, std::int64_t more) const {
    return {sennit::reads(before(s).at(indices.grown(more))), sennit::writes(after(s).at(indices))};
  }
  // value(i) for each element of both.
  template <class Value>
  void fill(const Value& value) {
    for (auto& f : fields_)
      for (std::size_t i = 0; i < f.size(); ++i) f.data()[i] = value(static_cast<std::int64_t>(i));
  }

 private:
  field<double> fields_[2];
};

template <class Kernel>
void finish(Kernel& kernel) {
  if constexpr (requires { kernel.finish(); }) kernel.finish();
}

}  // namespace gallery
