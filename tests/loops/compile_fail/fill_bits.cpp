// SPDX-License-Identifier: Apache-2.0
// Threads that write neighboring bits would undo each other's work.
#include <sennit/parallel_transform.hpp>

#include <vector>

void clear(std::vector<bool>& flags) { sennit::parallel_fill(flags, false); }
