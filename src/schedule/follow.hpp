// SPDX-License-Identifier: Apache-2.0
// Replays that are not recorded, by a plan that may have been followed before.
#pragma once

#include "schedule/plan.hpp"

#include <sennit/detail/action.hpp>
#include <sennit/replay.hpp>

namespace sennit::detail {

// Runs the body as a region that follows the plan. Throws what the body throws, and std::bad_alloc.
void follow(const plan& by, fidelity how, action body);

}  // namespace sennit::detail
