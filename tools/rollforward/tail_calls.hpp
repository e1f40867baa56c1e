// SPDX-License-Identifier: Apache-2.0
// Functions without a promotion point whose last act is a call of one that has one: an opcode of an interpreter
// that goes to the next opcode. A beat that comes in such a function is taken in the next.
#pragma once

#include "tools/rollforward/arrivals.hpp"
#include "tools/rollforward/lexer.hpp"
#include "tools/rollforward/outline.hpp"

#include <cstddef>
#include <set>
#include <vector>

namespace rollforward {

// The units of these functions. One that cannot be copied is left out.
std::set<std::size_t> units_that_lead_on(const outline& all, const std::vector<statement>& statements,
                                         const arrivals& arriving);

}  // namespace rollforward
