// SPDX-License-Identifier: Apache-2.0
// Sennit's loops in the vocabulary of common/loops.hpp, and the variants of the suite 'loops'.
#pragma once

#include "common/loops.hpp"
#include "common/sennit.hpp"

#include <sennit/baseline.hpp>
#include <sennit/join.hpp>
#include <sennit/parallel_fold.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/parallel_reduce.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace bench {

template <sennit::loop_options how>
class sennit_loops {
 public:
  explicit sennit_loops(program& program) : runtime_(program) {}

  template <class F>
  void enter(F&& f) {
    runtime_.run(f);
  }

  template <class F>
  void each(std::size_t n, std::size_t, F&& body) {
    sennit::parallel_for(std::size_t{0}, n, body, how);
  }

  template <class F>
  void grid(std::size_t rows, std::size_t columns, std::size_t, F&& body) {
    sennit::parallel_for(
        std::size_t{0}, rows,
        [&](std::size_t i) {
          sennit::parallel_for(std::size_t{0}, columns, [&body, i](std::size_t j) { body(i, j); }, how);
        },
        how);
  }

  template <class T, class F>
  T sum(std::size_t n, std::size_t, F&& term) {
    return sennit::parallel_reduce(std::size_t{0}, n, T{}, term, std::plus<>(), how);
  }

  template <class T, class Add, class Merge>
  T fold(std::size_t n, std::size_t, const T& zero, Add&& add, Merge&& merge) {
    return sennit::parallel_fold(
        std::size_t{0}, n, zero, [&](T& view, std::size_t i) { add(view, i); },
        [&](T& left, T&& right) { merge(left, std::move(right)); }, how);
  }

 private:
  sennit_runtime runtime_;
};

// Divide and conquer down to single iterations: DACPARFOR with G = 1 (Govedič, 2023, Fig. 1-2).
class sennit_dac_loops {
 public:
  explicit sennit_dac_loops(program& program) : runtime_(program) {}

  template <class F>
  void enter(F&& f) {
    runtime_.run(f);
  }

  template <class F>
  void each(std::size_t n, std::size_t, F&& body) {
    sennit::baseline::dac_for(std::size_t{0}, n, body, 1);
  }

  template <class F>
  void grid(std::size_t rows, std::size_t columns, std::size_t grain, F&& body) {
    each(rows, grain,
         [&](std::size_t i) { each(columns, grain, [&body, i](std::size_t j) { body(i, j); }); });
  }

  template <class T, class F>
  T sum(std::size_t n, std::size_t, F&& term) {
    return n == 0 ? T{} : half_sum<T>(0, n, term);
  }

 private:
  template <class T, class F>
  static T half_sum(std::size_t from, std::size_t to, F& term) {
    if (to - from == 1) return term(from);
    const std::size_t middle = from + (to - from) / 2;
    auto [left, right] = sennit::join([&term, from, middle] { return half_sum<T>(from, middle, term); },
                                      [&term, middle, to] { return half_sum<T>(middle, to, term); });
    return left + right;
  }

  sennit_runtime runtime_;
};

// The loops of the thesis, with the fence in NEXT (Govedič, 2023, Fig. 3-2), where the library has them.
template <template <class> class Kernel, class Options = sennit::loop_options>
int run_with_thesis(program& program) {
  if constexpr (requires { Options{.thesis = true}; }) {
    return run_kernel<Kernel, sennit_loops<Options{.thesis = true}>>(program);
  } else {
    program.fail("--variant", "must not be thesis: this library has no such loops");
  }
}

template <template <class> class Kernel>
int run_with_sennit(program& program) {
  if (program.is("thesis")) return run_with_thesis<Kernel>(program);
  if (program.is("chunk1")) return run_kernel<Kernel, sennit_loops<sennit::grain(1)>>(program);
  return run_kernel<Kernel, sennit_loops<sennit::loop_options{}>>(program);
}

}  // namespace bench
