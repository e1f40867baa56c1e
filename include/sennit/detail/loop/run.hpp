// SPDX-License-Identifier: Apache-2.0
// How a loop with a body begins: as a plain loop, or shared with those who wait. docs/protocols/loops.md, "What a
// waiting worker is promised".
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/clock.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/cost.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/observed.hpp>
#include <sennit/detail/loop/pace.hpp>
#include <sennit/detail/loop/probe.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace sennit::detail {

// The iterations [first, last).
template <class Body>
[[gnu::noinline]] typename Body::value run_observed(position first, position last, Body& body,
                                                    const loop_options& how, loop_cost& cost,
                                                    const void* returns_to) {
  const position n = last - first;
  if (how.grain != 0 || how.fixed_parts) {
    const position leaf = how.grain != 0 ? how.grain : (n + fixed_parts() - 1) / fixed_parts();
    const observed_loop construct(n, leaf, leaf, leaf, returns_to);
    return fold_cuts<Body>(first, last, construct, construct.divides(), body);
  }
  const position brief = cost.brief_iterations();
  const position leaf = n <= brief ? n : observed_leaf(n);
  probe written;
  const bool may_hold_others = !seen_through<Body>(body, &written);
  const position unplanned = unplanned_leaf(n, {leaf, 2 * brief, may_hold_others});
  const observed_loop construct(n, leaf, unplanned, 1, returns_to);
  // Again and again: what was measured first has more cuts in it, and costs change. But a brief loop takes longer where it is
  // observed, which must not count elsewhere.
  const ticks begun = cost.known() && (n <= brief || !take_time_of_loop()) ? 0 : read_clock();
  auto sum = fold_cuts<Body>(first, last, construct, construct.divides(), body);
  if (begun != 0) {
    cost.took(read_clock() - begun, n);
    remember<Body>(cost, false);
  }
  return sum;
}

// Shares what is left of a loop with all who wait.
template <class Body, class Options>
[[gnu::noinline]] typename Body::value share_rest(typename Body::value sum, position first, position n,
                                                  Body& body, const Options& how, loop_cost& cost,
                                                  const void* returns_to) {
  using value = typename Body::value;
  const position parts = how.fixed_parts ? fixed_parts() : 0;
  const position last = parts != 0 ? parts : n;
  if (any_gate_shut() && !in_strand()) {
    std::optional<value> total;
    auto inside = [&] {
      // The region that it begins may be observed.
      if (in_observed_region()) {
        if (first != n) body.merge(sum, run_observed<Body>(first, n, body, how, cost, returns_to));
        total.emplace(std::move(sum));
        return;
      }
      total.emplace(loop_over<Body, Options>(body, how, n, parts, cost).all(std::move(sum), first, last));
    };
    run_region(nullptr, inside);
    return *std::move(total);
  }
  return loop_over<Body, Options>(body, how, n, parts, cost).all(std::move(sum), first, last);
}

// The end of what is run of a loop before it is shared: `first` iterations where nobody waits, all of `n` where
// somebody does and all took no longer than `brief` the last times.
constexpr position end_unshared(bool waited, position first, position n, position brief) noexcept {
  if (!waited) return first;
  return n <= brief ? n : 0;
}

// Whether the time is over for which a worker that waits is kept waiting, with the iterations below `at`.
SENNIT_INLINE bool brief_over(ticks begun, position at, loop_cost& cost) noexcept {
  const ticks took = read_clock() - begun;
  if (took <= loop_cost::brief) return false;
  cost.took(took, at);
  return true;
}

// That part of a loop that the compiler sees through, in blocks. Returns where it has stopped: after a block,
// if somebody comes to wait or has waited long enough.
template <class Body>
SENNIT_INLINE position run_brief(typename Body::value& sum, position first, position n, Body& body,
                                 loop_cost& cost) {
  const bool waited = loop_gate_shut();
  const position last = end_unshared(waited, first, n, cost.brief_iterations());
  const ticks begun = waited && last != 0 ? read_clock() : 0;
  for (position at = 0; at != last;) {
    const position end = std::min(last, at + pace::block);
    body.run(sum, at, end, no_gate());
    // The last block of several is seldom worth another look.
    if (end == last && at != 0 && !take_time_of_loop()) return end;
    at = end;
    if (waited ? brief_over(begun, at, cost) : loop_gate_shut()) return at;
  }
  return last;
}

// What is left from `at` on of a loop that is more than a block, or that somebody waits for. `sum` is the
// value of what comes before.
template <class Body, class Options>
[[gnu::noinline]] typename Body::value run_shared(typename Body::value sum, position at, position n,
                                                  Body& body, const Options& how) {
  loop_cost& cost = cost_of_loop(__builtin_return_address(0), body.code());
  if (hears_of_loop(n, cost, how.measured(), __builtin_return_address(0))) {
    if (at == 0) return run_observed<Body>(0, n, body, how, cost, __builtin_return_address(0));
    // The strand is observed since one of the iterations.
    body.merge(sum, run_observed<Body>(at, n, body, how, cost, __builtin_return_address(0)));
    return sum;
  }
  if (how.measured() && at == 0 && cost.known()) {
    const position first = std::clamp<position>(cost.brief_iterations() / 2, 1, n);
    if (cost.seen()) {
      at = run_brief<Body>(sum, first, n, body, cost);
    } else if (!loop_gate_shut()) {
      at = body.run(sum, 0, first, gate_view());
    }
    if (at == n) return sum;
  }
  return share_rest<Body>(std::move(sum), at, n, body, how, cost, __builtin_return_address(0));
}

// Precondition: n > 0.
template <class Body, class Options>
SENNIT_INLINE typename Body::value run_loop(position n, const Body& body, const Options& how) {
  auto sum = body.make();
  position at = 0;
  if (how.measured()) {
    // A loop that is over before a thief could come is only a loop.
    if (n <= remembered<Body>::block.load(std::memory_order_relaxed) && !loop_gate_shut()) [[likely]]
      at = body.run(sum, 0, n, gate_view());
  } else if (n <= how.grain && !any_gate_shut()) {
    at = body.run(sum, 0, n, no_gate());
  }
  if (at == n) [[likely]]
    return sum;
  // A copy, so that nothing of the loop has to be in memory where it is short.
  Body copy = body;
  return run_shared<Body>(std::move(sum), at, n, copy, how);
}

}  // namespace sennit::detail
