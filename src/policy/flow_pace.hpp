// How the strands of a task flow wait for tasks, and for places for tasks.
#pragma once

#include <cstddef>

namespace sennit::policy {

struct flow_pace {
  // A task that takes long keeps its place; the next ones may be free.
  static constexpr std::size_t places_looked_at = 4;
  // So many tasks the submitting strand runs when there is no place, so that it then has places for as many.
  static constexpr unsigned tasks_in_a_row = 64;
  // Of a strand without tasks, between two looks at the queues of others: each look takes a line of the cache from the strand
  // that submits.
  static constexpr unsigned spins = 32;
  // Then its worker looks for other work: some 20 us.
  static constexpr unsigned rounds_without_tasks = 20;
};

}  // namespace sennit::policy
