// SPDX-License-Identifier: Apache-2.0
// Where an algorithm runs: on the runtime, or as its serial elision.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/fork_frame.hpp>
#include <sennit/detail/loop/for_positions.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/run.hpp>
#include <sennit/join.hpp>

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sennit::detail {

struct in_parallel {
  static constexpr bool serial = false;

  template <class F, class G>
  SENNIT_INLINE static auto join(F&& f, G&& g) {
    return sennit::join(std::forward<F>(f), std::forward<G>(g));
  }
  template <class Run>
  SENNIT_INLINE static void for_positions(position n, Run&& run, const loop_options& how) {
    detail::for_positions(n, std::forward<Run>(run), how);
  }
  template <class Run, partition Partition>
  SENNIT_INLINE static void for_positions(position n, Run&& run, const Partition& by) {
    detail::for_positions(n, std::forward<Run>(run), by);
  }
  template <class Run, loop_follower Follower>
  static void for_positions(position n, Run&& run, const Follower& by) {
    detail::for_positions(n, std::forward<Run>(run), by);
  }
  // The value of a body in the form that loop_over takes. Precondition: n > 0.
  template <class Body>
  SENNIT_INLINE static auto fold(position n, const Body& body, const loop_options& how) {
    return run_loop(n, body, how);
  }
};

// Runs branches in order, and a loop as one chunk.
struct elided {
  static constexpr bool serial = true;

  template <branch... F>
    requires(sizeof...(F) > 0)
  SENNIT_INLINE static auto join(F&&... f) {
    if constexpr (return_nothing<F...>) {
      (std::forward<F>(f)(), ...);
    } else {
      return std::tuple<branch_result<F>...>{call_branch(std::forward<F>(f))...};
    }
  }
  template <branch_range R>
  static auto join(R&& branches) {
    return join_range(branches, [](auto&& f, auto&& g) { join(f, g); });
  }
  template <class... F>
  static void join(const F&...) {
    refuse_join<F...>();
  }
  template <class Run>
  SENNIT_INLINE static void for_positions(position n, Run&& run, const loop_options&) {
    if (n == 0) return;
    if constexpr (requires { run(position{0}, n, no_gate()); }) {
      run(position{0}, n, no_gate());
    } else {
      run(position{0}, n);
    }
  }
  template <class Run, class Partition>
    requires(partition<Partition> || loop_follower<Partition>)
  SENNIT_INLINE static void for_positions(position n, Run&& run, const Partition&) {
    for_positions(n, run, {});
  }
  template <class Body>
  SENNIT_INLINE static auto fold(position n, const Body& body, const loop_options&) {
    auto value = body.make();
    body.run(value, 0, n, no_gate());
    return value;
  }
};

// The elision, with a count of forks: one for a join of two branches, two for a join of three, one for a
// loop.
struct elided_and_counted {
  static constexpr bool serial = true;
  inline static thread_local std::uint64_t forks = 0;

  template <branch... F>
    requires(sizeof...(F) > 0)
  static auto join(F&&... f) {
    forks += sizeof...(F) - 1;
    return elided::join(std::forward<F>(f)...);
  }
  template <branch_range R>
  static auto join(R&& branches) {
    return join_range(branches, [](auto&& f, auto&& g) { join(f, g); });
  }
  template <class... F>
  static void join(const F&...) {
    refuse_join<F...>();
  }
  template <class Run>
  static void for_positions(position n, Run&& run, const loop_options&) {
    ++forks;
    elided::for_positions(n, run, {});
  }
  template <class Body>
  static auto fold(position n, const Body& body, const loop_options&) {
    ++forks;
    return elided::fold(n, body, {});
  }
  template <class Run, class Partition>
    requires(partition<Partition> || loop_follower<Partition>)
  static void for_positions(position n, Run&& run, const Partition&) {
    for_positions(n, run, {});
  }
};

}  // namespace sennit::detail
