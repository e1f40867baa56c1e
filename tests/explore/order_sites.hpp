// SPDX-License-Identifier: Apache-2.0
// Where the explored code orders its accesses. An order can be left out of a run: a mutant that need not be compiled.
#pragma once

#include "machine.hpp"

namespace explore {

// The operation's order, which is weaker where SENNIT_EXPLORE_WEAKEN says so: "ORDER OFFSET,OFFSET...", or "ORDER/failure
// ..." for that of a comparison that fails. The offsets are those of the calls in the program. Where
// SENNIT_EXPLORE_SITES names a file, all that order something are written there at the end: offset, action, order, order
// of failure.
void weaken(operation& op);

}  // namespace explore
