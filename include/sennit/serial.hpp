// SPDX-License-Identifier: Apache-2.0
// Execution policies: code written once runs on the runtime or as its serial elision.
#pragma once

#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/members.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/join.hpp>
#include <sennit/latent_for.hpp>
#include <sennit/latent_join.hpp>
#include <sennit/latent_reduce.hpp>
#include <sennit/nest.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/pipeline.hpp>
#include <sennit/task_group.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace sennit {

// The policy under which a program runs on the runtime. Every policy has the members of this one: P::join,
// P::task_group, P::parallel_for, P::parallel_for_nest, P::latent_join, P::latent_for, P::latent_reduce, P::pipeline, and all
// algorithms. Their results and
// exceptions are those of the same names in namespace sennit.
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
struct parallel : detail::algorithm_members<detail::in_parallel> {
  template <class... F>
  SENNIT_INLINE static auto join(F&&... f) {
    return sennit::join(std::forward<F>(f)...);
  }
  template <class F, class G>
  SENNIT_INLINE static auto latent_join(F&& first, G&& second) {
    return sennit::latent_join(std::forward<F>(first), std::forward<G>(second));
  }
  using task_group = sennit::task_group;
  static constexpr detail::looping<detail::in_parallel> parallel_for{};
  static constexpr detail::nesting<detail::in_parallel> parallel_for_nest{};
  static constexpr detail::latent_looping<detail::in_parallel> latent_for{};
  static constexpr detail::latent_reduction<detail::in_parallel> latent_reduce{};
  static constexpr detail::piping<detail::in_parallel> pipeline{};
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
//
// A latent_join is two calls, and a latent loop is a plain loop. A beat gives nothing of them away. The rest of
// the loop, which a body may have as its second parameter, says what is left, and has nothing to give. A latent
// reduction goes from left to right; in parallel its bracketing depends on the beats.
struct serial : detail::algorithm_members<detail::elided> {
  template <class... F>
  SENNIT_INLINE static auto join(F&&... f) {
    return detail::elided::join(std::forward<F>(f)...);
  }
  // What latent_join refuses, this one does, too.
  template <class F, class G>
  SENNIT_INLINE static auto latent_join(F&& first, G&& second) {
    if constexpr (detail::check_latent_call<F, std::remove_reference_t<G>>())
      return detail::elided::join(std::forward<F>(first), second);
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
  static constexpr detail::latent_looping<detail::elided> latent_for{};
  static constexpr detail::latent_reduction<detail::elided> latent_reduce{};
  static constexpr detail::piping<detail::elided> pipeline{};
};

// The serial elision, which also counts forks: one for a join of two branches, two for a join of three, one
// for a spawn, and one for a loop of any length. A reduction, a scan, a transformation, a copy, a fill,
// a search and a pipeline count as loops. Latent joins and loops count as others. A nest and a sort count the joins and the loops that
// they consist of. Each thread has its own count.
//
// Its members are those of `parallel`: join, task_group, parallel_for, parallel_for_nest, parallel_reduce, parallel_fold,
// latent_join, latent_for, latent_reduce, pipeline, and all algorithms.
//
// Example:
//   std::uint64_t forks_of(void (*program)()) {
//     sennit::counted_serial::reset();
//     sennit::counted_serial::join(program, program);
//     return sennit::counted_serial::forks();  // 1, and those of the program
//   }
struct counted_serial : detail::algorithm_members<detail::elided_and_counted> {
  // The forks since reset().
  static std::uint64_t forks() noexcept { return detail::elided_and_counted::forks; }
  static void reset() noexcept { detail::elided_and_counted::forks = 0; }

  template <class... F>
  static auto join(F&&... f) {
    return detail::elided_and_counted::join(std::forward<F>(f)...);
  }
  template <class F, class G>
  static auto latent_join(F&& first, G&& second) {
    count();
    return serial::latent_join(std::forward<F>(first), std::forward<G>(second));
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
  static void latent_for(Loop&&... loop) {
    count();
    serial::latent_for(std::forward<Loop>(loop)...);
  }
  template <class... Loop>
  static auto latent_reduce(Loop&&... loop) {
    count();
    return serial::latent_reduce(std::forward<Loop>(loop)...);
  }
  template <class... Stages>
  static void pipeline(pipeline_options how, Stages&&... stages) {
    count();
    serial::pipeline(how, std::forward<Stages>(stages)...);
  }
  template <class Source, class... Stages>
    requires(!std::convertible_to<Source, pipeline_options>)
  static void pipeline(Source&& source, Stages&&... stages) {
    count();
    serial::pipeline(std::forward<Source>(source), std::forward<Stages>(stages)...);
  }

 private:
  static void count() noexcept { ++detail::elided_and_counted::forks; }
};

}  // namespace sennit
