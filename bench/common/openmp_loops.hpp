// SPDX-License-Identifier: Apache-2.0
// OpenMP's loops in the vocabulary of common/loops.hpp; a variant is a schedule, grainN `dynamic` with chunks of N.
// Worksharing loops cannot be nested to any use, so kernels that nest have loops of tasks.
#pragma once

#include "common/loops.hpp"
#include "common/openmp.hpp"

#include <omp.h>

#include <cstddef>

namespace bench {

enum class openmp_schedule { fixed, dynamic, guided, tuned };

template <openmp_schedule how>
class openmp_loops {
 public:
  explicit openmp_loops(program& program)
      : workers_(static_cast<int>(program.workers())), grain_(program.grain()) {
    program.describe(openmp_version());
  }

  template <class F>
  void enter(F&& f) {
    f();
  }

  template <class F>
  void each(std::size_t n, std::size_t grain, F&& body) {
#pragma omp parallel num_threads(workers_)
    share(n, chosen(grain), body);
  }

  template <class F>
  void grid(std::size_t rows, std::size_t columns, std::size_t grain, F&& body) {
#pragma omp parallel num_threads(workers_)
    share_grid(rows, columns, chosen(grain), body);
  }

  template <class T, class F>
  T sum(std::size_t n, std::size_t grain, F&& term) {
    T result{};
#pragma omp parallel num_threads(workers_) reduction(+ : result)
    share(n, chosen(grain), [&](std::size_t i) { result += term(i); });
    return result;
  }

  template <class T, class Add, class Merge>
  T fold(std::size_t n, std::size_t grain, const T& zero, Add&& add, Merge&& merge) {
    T result = zero;
#pragma omp parallel num_threads(workers_)
    {
      T view = zero;
      share(n, chosen(grain), [&](std::size_t i) { add(view, i); });
#pragma omp critical
      merge(result, view);
    }
    return result;
  }

 private:
  std::size_t chosen(std::size_t grain) const { return grain_ != 0 ? grain_ : grain; }

  // Within a parallel region, which has a barrier at its end.
  template <class F>
  static void share(std::size_t n, [[maybe_unused]] std::size_t grain, F&& body) {
    if constexpr (how == openmp_schedule::fixed) {
#pragma omp for schedule(static) nowait
      for (std::size_t i = 0; i < n; ++i) body(i);
    } else if constexpr (how == openmp_schedule::dynamic) {
#pragma omp for schedule(dynamic) nowait
      for (std::size_t i = 0; i < n; ++i) body(i);
    } else if constexpr (how == openmp_schedule::guided) {
#pragma omp for schedule(guided) nowait
      for (std::size_t i = 0; i < n; ++i) body(i);
    } else {
#pragma omp for schedule(dynamic, grain) nowait
      for (std::size_t i = 0; i < n; ++i) body(i);
    }
  }

  template <class F>
  static void share_grid(std::size_t rows, std::size_t columns, [[maybe_unused]] std::size_t grain,
                         F&& body) {
    if constexpr (how == openmp_schedule::fixed) {
#pragma omp for collapse(2) schedule(static) nowait
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) body(i, j);
    } else if constexpr (how == openmp_schedule::dynamic) {
#pragma omp for collapse(2) schedule(dynamic) nowait
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) body(i, j);
    } else if constexpr (how == openmp_schedule::guided) {
#pragma omp for collapse(2) schedule(guided) nowait
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) body(i, j);
    } else {
#pragma omp for collapse(2) schedule(dynamic, grain) nowait
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) body(i, j);
    }
  }

  int workers_;
  std::size_t grain_;  // 0: the kernel's
};

// Loops of tasks, which nest; how many iterations a task has is left to the implementation.
class openmp_task_loops {
 public:
  explicit openmp_task_loops(program& program) : program_(program) { program.describe(openmp_version()); }

  template <class F>
  void enter(F&& f) {
    openmp_team(program_, [&] {
      f();
      return 0;
    });
  }

  template <class F>
  void each(std::size_t n, std::size_t, F&& body) {
#pragma omp taskloop shared(body)
    for (std::size_t i = 0; i < n; ++i) body(i);
  }

  template <class T, class F>
  T sum(std::size_t n, std::size_t, F&& term) {
    T result{};
#pragma omp taskloop reduction(+ : result) shared(term)
    for (std::size_t i = 0; i < n; ++i) result += term(i);
    return result;
  }

 private:
  const program& program_;
};

template <template <class> class Kernel>
int run_with_openmp(program& program) {
  if (program.is("dynamic")) return run_kernel<Kernel, openmp_loops<openmp_schedule::dynamic>>(program);
  if (program.is("guided")) return run_kernel<Kernel, openmp_loops<openmp_schedule::guided>>(program);
  if (program.is("tuned") || program.grain() != 0)
    return run_kernel<Kernel, openmp_loops<openmp_schedule::tuned>>(program);
  return run_kernel<Kernel, openmp_loops<openmp_schedule::fixed>>(program);
}

}  // namespace bench
