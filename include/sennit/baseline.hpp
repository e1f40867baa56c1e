// SPDX-License-Identifier: Apache-2.0
// baseline: parallel loops as other systems make them, for comparison. Programs should use parallel_for.
#pragma once

#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/join.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace sennit::baseline {

namespace detail {

// DACPARFOR (Govedič, 2023, Fig. 1-2). The spawned half runs first, so a thief takes the other half, as in
// Cilk.
template <class I, class F>
void divide_and_conquer(I start, I end, std::uint64_t grain, F& body) {
  using offset = std::make_unsigned_t<I>;
  const offset n = static_cast<offset>(static_cast<offset>(end) - static_cast<offset>(start));
  if (n > grain) {
    const I middle = static_cast<I>(static_cast<offset>(start) + n / 2);
    join([&body, start, middle, grain] { divide_and_conquer(start, middle, grain, body); },
         [&body, middle, end, grain] { divide_and_conquer(middle, end, grain, body); });
    return;
  }
  for (I i = start; i != end; ++i) body(i);
}

}  // namespace detail

// Calls body(i) for each integer i of [first, last), in parallel. Halves the range until at most `grain`
// iterations are left, whether or not a worker is idle (DACPARFOR in Govedič, "Improving the Performance of
// Parallel Loops in OpenCilk", 2023, §1, Fig. 1-2, where `grain` is G). A grain of 0 counts as 1. Bounds of
// different types are treated as in parallel_for. Throws the exception of the lowest iteration that threw;
// iterations above it may be left out. Thread-safety: any thread may call it; several threads call body at
// once. Cost: a fork for every `grain` iterations, or up to twice as many iterations.
//
// Example:
//   void add_scaled(long n, double a, const double* x, double* y) {
//     sennit::baseline::dac_for(0, n, [=](long i) { y[i] += a * x[i]; }, 64);
//   }
template <class First, class Last, class F>
  requires sennit::detail::integer_bounds<First, Last> &&
           std::invocable<F&, sennit::detail::index<First, Last>>
void dac_for(First first, Last last, F&& body, std::uint64_t grain) {
  using I = sennit::detail::index<First, Last>;
  if (sennit::detail::count(first, last) > 0)
    detail::divide_and_conquer(static_cast<I>(first), static_cast<I>(last), std::max<std::uint64_t>(grain, 1),
                               body);
}

// An option of parallel_for: loop frames as in Govedič, 2023, Fig. 3-2, one iteration at a time, with a
// fence in NEXT. parallel_for without it is several times faster.
//
// Example:
//   #include <sennit/parallel_for.hpp>
//
//   void add_one_by_one(long n, double a, const double* x, double* y) {
//     sennit::parallel_for(n, [=](long i) { y[i] += a * x[i]; }, sennit::baseline::thesis);
//   }
inline constexpr loop_options thesis{.thesis = true};

}  // namespace sennit::baseline
