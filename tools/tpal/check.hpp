// SPDX-License-Identifier: Apache-2.0
// What can be said of a program without running it.
#pragma once

#include "tools/tpal/diagnostics.hpp"
#include "tools/tpal/program.hpp"

#include <cstddef>
#include <vector>

namespace tpal {

// All that is wrong beyond the grammar: blocks without an end, jumps to what is no label, continuations of join records
// that are no join targets, registers that nothing has written where they are read.
std::vector<complaint> check(const program& p);

// Blocks that no path from the first one leads to, whatever the heartbeat does.
std::vector<std::size_t> unreached(const program& p);

}  // namespace tpal
