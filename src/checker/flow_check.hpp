// SPDX-License-Identifier: Apache-2.0
// Task flows that are checked.
#pragma once

#include "graph/flow_checking.hpp"

namespace sennit::checker {

// Each task is a step of a splice: the rules are the same.
void check_flow(detail::tasks_to_check& tasks);

}  // namespace sennit::checker
