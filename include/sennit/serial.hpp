// Execution policies: code written once runs on the runtime or as its serial elision.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/fork_frame.hpp>
#include <sennit/detail/loop.hpp>
#include <sennit/detail/sequence.hpp>
#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/parallel_reduce.hpp>
#include <sennit/task_group.hpp>

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sennit {

// The policy under which a program runs on the runtime. A policy P has P::join, P::task_group,
// P::parallel_for and P::parallel_reduce, with the results and the exceptions of those of sennit.
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
struct parallel {
  template <class... F>
  SENNIT_INLINE static auto join(F&&... f) {
    return sennit::join(std::forward<F>(f)...);
  }
  using task_group = sennit::task_group;
  template <class... Loop>
  SENNIT_INLINE static void parallel_for(Loop&&... loop) {
    sennit::parallel_for(std::forward<Loop>(loop)...);
  }
  static constexpr detail::reduction<detail::in_parallel> parallel_reduce{};
};

// The same program with the parallelism removed, its serial elision (Frigo, Leiserson and Randall,
// 1998): a join calls its branches in order, a spawn calls its child, a loop is a plain loop, and a body
// that takes chunks gets all of it as one. So an exception leaves spawn() rather than wait(), and there is
// nothing to cancel. It needs no runtime and may be used on any thread. Cost: that of the calls.
struct serial {
  template <detail::branch... F>
  SENNIT_INLINE static auto join(F&&... f) {
    if constexpr ((std::is_void_v<std::invoke_result_t<F>> && ...)) {
      (std::forward<F>(f)(), ...);
    } else {
      return std::tuple<detail::branch_result<F>...>{detail::call_branch(std::forward<F>(f))...};
    }
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
  template <class First, class Last, class F>
    requires detail::bounds<First, Last>
  SENNIT_INLINE static void parallel_for(First first, Last last, F&& body, const loop_options& = {}) {
    loop(detail::sequence_of(first, last), body);
  }
  template <detail::countable_range R, class F>
  SENNIT_INLINE static void parallel_for(R&& range, F&& body, const loop_options& = {}) {
    loop(detail::sequence_of(range), body);
  }
  // From left to right; `deterministic` in the same tree as in parallel.
  static constexpr detail::reduction<detail::in_order> parallel_reduce{};

 private:
  template <class Sequence, class F>
  SENNIT_INLINE static void loop(const Sequence& sequence, F& body) {
    const auto end = sequence.at(sequence.size);
    if constexpr (std::invocable<F&, typename Sequence::value>) {
      for (auto i = sequence.at(0); i != end; ++i) detail::call(body, Sequence::read(i));
    } else {
      if (sequence.size > 0) detail::call(body, sequence.at(0), end);
    }
  }
};

// The serial elision, counting forks: one a join with two branches, two with three, one a spawn, and one a
// loop, however many iterations it has. The count is the calling thread's.
struct counted_serial {
  // Since reset().
  static std::uint64_t forks() noexcept { return count_; }
  static void reset() noexcept { count_ = 0; }

  template <detail::branch... F>
  static auto join(F&&... f) {
    count_ += sizeof...(F) - 1;
    return serial::join(std::forward<F>(f)...);
  }
  template <class... Loop>
  static void parallel_for(Loop&&... loop) {
    ++count_;
    serial::parallel_for(std::forward<Loop>(loop)...);
  }
  template <class... Loop>
  static auto parallel_reduce(Loop&&... loop) {
    ++count_;
    return serial::parallel_reduce(std::forward<Loop>(loop)...);
  }
  class task_group : public serial::task_group {
   public:
    template <class F>
    void spawn(F&& f) {
      ++count_;
      serial::task_group::spawn(std::forward<F>(f));
    }
  };

 private:
  inline static thread_local std::uint64_t count_ = 0;
};

}  // namespace sennit
