// SPDX-License-Identifier: Apache-2.0
// oneTBB's loops in the vocabulary of common/loops.hpp; a variant is a partitioner, grainN the simple one with ranges
// down to N.
#pragma once

#include "common/loops.hpp"
#include "common/onetbb.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <cstddef>
#include <functional>

namespace bench {

template <class Partitioner>
class onetbb_loops {
 public:
  explicit onetbb_loops(program& program)
      : arena_(program), grain_(std::max<std::size_t>(1, program.grain())) {
    program.describe(onetbb_version());
  }

  template <class F>
  void enter(F&& f) {
    arena_.run(f);
  }

  template <class F>
  void each(std::size_t n, std::size_t, F&& body) {
    each_down_to(grain_, n, body);
  }

  template <class F>
  void grid(std::size_t rows, std::size_t columns, std::size_t, F&& body) {
    // A grain is one of pairs.
    each_down_to(std::max<std::size_t>(1, grain_ / columns), rows, [&](std::size_t i) {
      each_down_to(std::min(grain_, columns), columns, [&body, i](std::size_t j) { body(i, j); });
    });
  }

  template <class T, class F>
  T sum(std::size_t n, std::size_t, F&& term) {
    return tbb::parallel_reduce(
        range(0, n, grain_), T{},
        [&](const range& part, T result) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) result += term(i);
          return result;
        },
        std::plus<>(), partitioner_);
  }

  template <class T, class Add, class Merge>
  T fold(std::size_t n, std::size_t, const T& zero, Add&& add, Merge&& merge) {
    return tbb::parallel_reduce(
        range(0, n, grain_), zero,
        [&](const range& part, T view) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) add(view, i);
          return view;
        },
        [&](T left, const T& right) {
          merge(left, right);
          return left;
        },
        partitioner_);
  }

 private:
  using range = tbb::blocked_range<std::size_t>;

  template <class F>
  void each_down_to(std::size_t grain, std::size_t n, F&& body) {
    tbb::parallel_for(
        range(0, n, grain),
        [&](const range& part) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) body(i);
        },
        partitioner_);
  }

  onetbb arena_;
  // Only the affinity partitioner remembers anything, and what it remembers is worth something only if it is
  // kept.
  Partitioner partitioner_;
  std::size_t grain_;
};

template <template <class> class Kernel>
int run_with_onetbb(program& program) {
  if (program.is("simple") || program.grain() != 0)
    return run_kernel<Kernel, onetbb_loops<tbb::simple_partitioner>>(program);
  if (program.is("static")) return run_kernel<Kernel, onetbb_loops<tbb::static_partitioner>>(program);
  if (program.is("affinity")) return run_kernel<Kernel, onetbb_loops<tbb::affinity_partitioner>>(program);
  return run_kernel<Kernel, onetbb_loops<tbb::auto_partitioner>>(program);
}

}  // namespace bench
