// SPDX-License-Identifier: Apache-2.0
// #pragma splice try(n), and loops of calls.
#pragma once

#include "tools/splicec/edits.hpp"
#include "tools/splicec/program.hpp"
#include "tools/splicec/walk.hpp"

#include <string>
#include <vector>

namespace splicec {

// Replaces the head of the loop: `before` the number of its calls, `begin` before its body, `end` after that. If it has
// several calls, each is a round of its own.
void write_counted(const source& all, edits& to, const counted_loop& loop, const std::vector<cursor>& calls,
                   const std::string& before, const std::string& begin, const std::string& end);

void write_tries(program& of, edits& to);

}  // namespace splicec
