// Execution policies: code written once runs on the runtime or as its serial elision.
#pragma once

#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/join.hpp>
#include <sennit/nest.hpp>
#include <sennit/parallel_fold.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/parallel_reduce.hpp>
#include <sennit/parallel_scan.hpp>
#include <sennit/parallel_sort.hpp>
#include <sennit/parallel_transform.hpp>
#include <sennit/task_group.hpp>

#include <cstdint>
#include <utility>

namespace sennit {

// The policy under which a program runs on the runtime. Every policy has the members of this one: P::join,
// P::task_group, and all algorithms. Their results and exceptions are those of the same names in namespace
// sennit.
//
// Example:
//   template <class P>
//   long fib(long n) {
//     if (n < 2) return n;
//     auto [a, b] = P::join([=] { return fib<P>(n - 1); }, [=] { return fib<P>(n - 2); });
//     return a + b;
//   }
//
//   bool agree() { return fib<sennit::parallel>(30) == fib<sennit::serial>(30); }
//
//   template <class P>
//   void transpose(long n, const double* a, double* b) {
//     P::parallel_for_nest({n, n}, [=](auto i, auto j) { b[j * n + i] = a[i * n + j]; }, sennit::morton);
//   }
struct parallel {
  template <class... F>
  SENNIT_INLINE static auto join(F&&... f) {
    return sennit::join(std::forward<F>(f)...);
  }
  using task_group = sennit::task_group;
  static constexpr detail::looping<detail::in_parallel> parallel_for{};
  static constexpr detail::nesting<detail::in_parallel> parallel_for_nest{};
  static constexpr detail::reduction<detail::in_parallel> parallel_reduce{};
  static constexpr detail::folding<detail::in_parallel> parallel_fold{};
  static constexpr detail::inclusive_scanning<detail::in_parallel> parallel_scan{};
  static constexpr detail::exclusive_scanning<detail::in_parallel> parallel_exclusive_scan{};
  static constexpr detail::sorting<detail::in_parallel, false> parallel_sort{};
  static constexpr detail::sorting<detail::in_parallel, true> parallel_stable_sort{};
  static constexpr detail::transforming<detail::in_parallel> parallel_transform{};
  static constexpr detail::copying<detail::in_parallel> parallel_copy{};
  static constexpr detail::filling<detail::in_parallel> parallel_fill{};
};

// The serial elision: the same program with the parallelism removed (Frigo, Leiserson and Randall, 1998). A
// join calls its branches in order, a spawn calls its child, a loop is a plain loop, and a body that takes
// chunks gets the whole loop as one chunk. So the exception of a child leaves spawn() rather than wait(),
// and there is nothing to cancel. Thread-safety: any thread may use it; it needs no runtime. Cost: that of
// the calls.
//
// The algorithms visit their elements from left to right, in a single pass. A nest visits its cells in the
// order that it is given. An exception leaves the algorithm at once, and no later element is visited. A
// deterministic reduction has the same bracketing as in parallel. A sort does the same comparisons and moves
// as in parallel, with the same buffer. So their results are the same to the bit, also the order of equal
// elements.
struct serial {
  template <class... F>
  SENNIT_INLINE static auto join(F&&... f) {
    return detail::elided::join(std::forward<F>(f)...);
  }
  class task_group {
   public:
    task_group() = default;
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;
    template <class F>
    void spawn(F&& f) {
      std::forward<F>(f)();
    }
    void wait() {}
  };
  static constexpr detail::looping<detail::elided> parallel_for{};
  static constexpr detail::nesting<detail::elided> parallel_for_nest{};
  static constexpr detail::reduction<detail::elided> parallel_reduce{};
  static constexpr detail::folding<detail::elided> parallel_fold{};
  static constexpr detail::inclusive_scanning<detail::elided> parallel_scan{};
  static constexpr detail::exclusive_scanning<detail::elided> parallel_exclusive_scan{};
  static constexpr detail::sorting<detail::elided, false> parallel_sort{};
  static constexpr detail::sorting<detail::elided, true> parallel_stable_sort{};
  static constexpr detail::transforming<detail::elided> parallel_transform{};
  static constexpr detail::copying<detail::elided> parallel_copy{};
  static constexpr detail::filling<detail::elided> parallel_fill{};
};

// The serial elision, which also counts forks: one for a join of two branches, two for a join of three, one
// for a spawn, and one for a loop of any length. A reduction, a scan, a transformation, a copy and a fill
// count as loops. A nest and a sort count the joins and the loops that they consist of. Each thread has its
// own count.
// thread's.
struct counted_serial {
  // The forks since reset().
  static std::uint64_t forks() noexcept { return detail::elided_and_counted::forks; }
  static void reset() noexcept { detail::elided_and_counted::forks = 0; }

  template <class... F>
  static auto join(F&&... f) {
    return detail::elided_and_counted::join(std::forward<F>(f)...);
  }
  class task_group : public serial::task_group {
   public:
    template <class F>
    void spawn(F&& f) {
      count();
      serial::task_group::spawn(std::forward<F>(f));
    }
  };
  static constexpr detail::looping<detail::elided_and_counted> parallel_for{};
  static constexpr detail::nesting<detail::elided_and_counted> parallel_for_nest{};
  template <class... Loop>
  static auto parallel_reduce(Loop&&... loop) {
    count();
    return serial::parallel_reduce(std::forward<Loop>(loop)...);
  }
  template <class... Loop>
  static auto parallel_fold(Loop&&... loop) {
    count();
    return serial::parallel_fold(std::forward<Loop>(loop)...);
  }
  template <class... Loop>
  static void parallel_scan(Loop&&... loop) {
    count();
    serial::parallel_scan(std::forward<Loop>(loop)...);
  }
  template <class... Loop>
  static auto parallel_exclusive_scan(Loop&&... loop) {
    count();
    return serial::parallel_exclusive_scan(std::forward<Loop>(loop)...);
  }
  static constexpr detail::sorting<detail::elided_and_counted, false> parallel_sort{};
  static constexpr detail::sorting<detail::elided_and_counted, true> parallel_stable_sort{};
  static constexpr detail::transforming<detail::elided_and_counted> parallel_transform{};
  static constexpr detail::copying<detail::elided_and_counted> parallel_copy{};
  static constexpr detail::filling<detail::elided_and_counted> parallel_fill{};

 private:
  static void count() noexcept { ++detail::elided_and_counted::forks; }
};

}  // namespace sennit
