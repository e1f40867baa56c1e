// SPDX-License-Identifier: Apache-2.0
// How the strands of a task flow wait for tasks, and for places for tasks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sennit::policy {

struct flow_pace {
  // A task that takes long keeps its place; the next ones may be free.
  static constexpr std::size_t places_looked_at = 4;
  // So many tasks the submitting strand runs when there is no place, so that it then has places for as many.
  static constexpr unsigned tasks_in_a_row = 64;
  // Of a strand without tasks, between two looks at the queues of others: each look takes a line of the cache from the strand
  // that submits.
  static constexpr unsigned spins = 32;
  // To hand a task over costs both strands some hundred nanoseconds, for lines of their caches. Smaller tasks are left to the
  // strand that has them, unless that strand seems to do nothing: its queue has not changed for some microseconds.
  static constexpr std::uint32_t ns_worth_sharing = 500;
  static constexpr unsigned looks_at_a_still_queue = 4;
  // A strand with small tasks asks after so many of them whether other workers wait for something.
  static constexpr unsigned tasks_between_gates = 16;
  // What tasks take is known from one of so many.
  static constexpr unsigned tasks_for_a_timed_one = 32;
  static constexpr std::uint64_t longest_ns = 16'000;
  // Some microseconds, after which a strand without tasks takes those of other colors.
  static constexpr unsigned rounds_for_others = 6;
  // Under the effect checker, which keeps them until then.
  static constexpr std::size_t tasks_checked_together = 100'000;
  // Then its worker looks for other work: some 20 us.
  static constexpr unsigned rounds_without_tasks = 20;
};

}  // namespace sennit::policy
