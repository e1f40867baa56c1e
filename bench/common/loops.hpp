// SPDX-License-Identifier: Apache-2.0
// What the kernels of the suite 'loops' are written in: each is written once, and every system runs it in its
// own way.
//   enter(f)                            f() where the system's workers are at hand
//   each(n, grain, body)                body(i) for 0 <= i < n
//   grid(rows, columns, grain, body)    body(i, j) for 0 <= i < rows, 0 <= j < columns, both loops parallel
//   sum<T>(n, grain, term)              the sum of term(i)
//   fold(n, grain, zero, add, merge)    add(view, i) for all i, in views that are `zero` at first; then
//                                       merge(view, other)
// `grain` is for those that need one set by hand; the others ignore it.
#pragma once

#include "common/program.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace bench {

// Plain loops: what the ratios are relative to.
class serial_loops {
 public:
  explicit serial_loops(const program&) {}

  template <class F>
  void enter(F&& f) {
    f();
  }

  template <class F>
  void each(std::size_t n, std::size_t, F&& body) {
    for (std::size_t i = 0; i < n; ++i) body(i);
  }

  template <class F>
  void grid(std::size_t rows, std::size_t columns, std::size_t, F&& body) {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) body(i, j);
  }

  template <class T, class F>
  T sum(std::size_t n, std::size_t, F&& term) {
    T result{};
    for (std::size_t i = 0; i < n; ++i) result += term(i);
    return result;
  }

  template <class T, class Add, class Merge>
  T fold(std::size_t n, std::size_t, const T& zero, Add&& add, Merge&&) {
    T result = zero;
    for (std::size_t i = 0; i < n; ++i) add(result, i);
    return result;
  }
};

// Numbers that are the same in every language: splitmix64. rust/src/loops.rs has its twin.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t value = state_ += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
  }

  // One of 0, ..., bound - 1.
  std::uint64_t below(std::uint64_t bound) { return (next() >> 32) * bound >> 32; }

 private:
  std::uint64_t state_;
};

// One number of many, in their order.
class checksum {
 public:
  void add(std::uint64_t value) { sum_ = (sum_ ^ value) * 0x100000001b3u; }
  // Any JSON reader can hold it.
  std::uint64_t value() const { return sum_ >> 12; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325u;
};

// All bits of all numbers.
template <class Numbers>
std::uint64_t checksum_of(const Numbers& numbers) {
  checksum sum;
  for (const auto number : numbers) {
    if constexpr (sizeof number == 8) {
      sum.add(std::bit_cast<std::uint64_t>(number));
    } else if constexpr (sizeof number == 4) {
      sum.add(std::bit_cast<std::uint32_t>(number));
    } else {
      static_assert(sizeof number == 1);
      sum.add(std::bit_cast<std::uint8_t>(number));
    }
  }
  return sum.value();
}

// A kernel whose loops have figures of a sample to tell.
template <class Kernel, class Loops>
class telling : public Kernel {
 public:
  telling(const program& program, Loops& loops) : Kernel(program, loops), loops_(loops) {}
  auto figures() const { return loops_.figures(); }

 private:
  const Loops& loops_;
};

// Runs Kernel(program, loops) with the loops that the program is asked for.
template <template <class> class Kernel, class Loops>
int run_kernel(program& program) {
  Loops loops(program);
  if constexpr (requires { loops.figures(); }) {
    return program.run(telling<Kernel<Loops>, Loops>(program, loops));
  } else {
    return program.run(Kernel<Loops>(program, loops));
  }
}

}  // namespace bench
