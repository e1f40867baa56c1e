// SPDX-License-Identifier: Apache-2.0
#include "checker/flow_check.hpp"

#include <sennit/splice.hpp>

#include <cstdint>

namespace sennit::checker {

void check_flow(detail::tasks_to_check& tasks) {
  splice(tasks.count(), [&tasks](std::uint32_t i) {
    const call_effects fx{tasks.effects_of(i)};
    step([&tasks, i] { tasks.run(i); });
  });
}

}  // namespace sennit::checker
