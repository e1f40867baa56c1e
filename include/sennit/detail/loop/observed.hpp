// SPDX-License-Identifier: Apache-2.0
// Loops in observed regions: what is recorded of one run must be found again in the next.
// docs/protocols/trace_cursors.md.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/loop/frame.hpp>
#include <sennit/detail/loop/held.hpp>
#include <sennit/detail/loop/probe.hpp>
#include <sennit/join.hpp>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

namespace sennit::detail {

class loop_cost;

// Whether the calling strand's region is observed.
SENNIT_EXPORT SENNIT_COLD bool in_observed_region() noexcept;
// Whether the calling strand's region is to hear of that loop; it may begin to observe the strand for that.
SENNIT_EXPORT SENNIT_COLD bool hears_of_loop(position iterations, const loop_cost& cost, bool measured,
                                             const void* returns_to) noexcept;
// Whether it is recorded, or follows a schedule.
SENNIT_EXPORT SENNIT_COLD bool in_recorded_region() noexcept;

// Iterations of a leaf, where the loop does not say.
constexpr position observed_leaf(position iterations) noexcept {
  constexpr position leaves = 256;
  return (iterations + leaves - 1) / leaves;
}

// How a loop in an observed region is cut, where it does not say.
struct observed_parts {
  position leaf;
  position worthwhile;   // iterations that a thief would come for, by what is known of their cost
  bool may_hold_others;  // constructs, in its iterations
};

// The most iterations of a part that is not cut, if nothing is planned of it, in the calling strand's region. Where a part
// ends that has constructs in it is seen in the steal tree, so it must not depend on what an iteration costs.
SENNIT_EXPORT SENNIT_COLD position unplanned_leaf(position iterations, const observed_parts& parts) noexcept;

// Whether the compiler sees all of what the parts of a loop are made of: then there are no constructs in them, as these call
// what it does not see. The answer is as in loop_over::run_one(), and nothing is run.
template <class Body>
SENNIT_HOT bool seen_through(held<Body> body, probe* __restrict written) {
  bool runs = false;
  asm volatile("" : "+r"(runs) : "r"(written) : "memory");
  *written = probe::set;
  if (runs) {
    auto sum = body.make();
    body.run_one(sum, 0);
    auto next = body.make();
    body.run_one(next, 1);
    body.merge(sum, std::move(next));
  }
  return __builtin_constant_p(*written);
}

// Where [first, last) is cut: at `planned`, or else in the middle, at a whole number of leaves from `first` on.
// `last`: nowhere, as it is a leaf. A plan that leaves less than an eighth on one side is not followed, so that no
// plan makes a deep recursion.
constexpr position observed_cut(position first, position last, position leaf, position planned) noexcept {
  if (first < planned && planned < last && std::min(planned - first, last - planned) >= (last - first) / 8) {
    return planned;
  }
  return last - first > leaf ? first + ((last - first + leaf) / leaf / 2) * leaf : last;
}

// A loop in an observed region, while it lives: a construct that is counted, with what is inside a level
// deeper.
class SENNIT_EXPORT observed_loop {
 public:
  // Leaves have at most `leaf` iterations. A part of which nothing is planned is not cut any further once it has at most
  // `unplanned`. The loop is cut at multiples of `unit` only. `returns_to`: in the program's function that has the loop.
  SENNIT_COLD observed_loop(position iterations, position leaf, position unplanned, position unit,
                            const void* returns_to) noexcept;
  observed_loop(const observed_loop&) = delete;
  observed_loop& operator=(const observed_loop&) = delete;
  SENNIT_COLD ~observed_loop();

  // Whether it may be cut at all.
  bool divides() const noexcept { return leaf_ < iterations_; }
  // As observed_cut(). `planned`: whether the region's plan may say where; where it does not, that is noted.
  position cut(position first, position last, bool& planned) const noexcept {
    const position at = planned ? planned_cut(planned) : 0;
    return !planned && last - first <= unplanned_ ? last : observed_cut(first, last, leaf_, at);
  }

 private:
  SENNIT_COLD position planned_cut(bool& planned) const noexcept;

  const position iterations_;
  const position leaf_;
  const position unplanned_;
  const position unit_;
  const std::uintptr_t site_;
  whereabouts where_{};
};

// A part that is not cut, while the strand runs it.
class SENNIT_EXPORT observed_leaf_run {
 public:
  // Not cold: what stands beside a cold call is compiled for its size.
  observed_leaf_run(position first, position last) noexcept;
  observed_leaf_run(const observed_leaf_run&) = delete;
  observed_leaf_run& operator=(const observed_leaf_run&) = delete;
  ~observed_leaf_run();
};

// In an observed region a loop is a tree of forks that halve it, down to leaves that do not depend on time,
// so that what is recorded of one run can be followed by another. Loops that are known to be brief are not
// cut: they would take longer.
template <class Body>
typename Body::value fold_cuts(position first, position last, const observed_loop& loop, bool planned,
                               Body& body) {
  const position middle = loop.cut(first, last, planned);
  if (middle == last) {
    const observed_leaf_run leaf(first, last);
    auto sum = body.make();
    body.run(sum, first, last, no_gate());
    return sum;
  }
  using value = typename Body::value;
  std::tuple<value, value> parts =
      join_pair([&] { return fold_cuts<Body>(first, middle, loop, planned, body); },
                [&] { return fold_cuts<Body>(middle, last, loop, planned, body); });
  body.merge(std::get<0>(parts), std::move(std::get<1>(parts)));
  return std::get<0>(std::move(parts));
}

}  // namespace sennit::detail
