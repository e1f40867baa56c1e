// SPDX-License-Identifier: Apache-2.0
// Threads that move neighboring bits would undo each other's work.
#include <sennit/parallel_sort.hpp>

#include <vector>

void sort(std::vector<bool>& flags) { sennit::parallel_sort(flags); }
