// SPDX-License-Identifier: Apache-2.0
// Neighbors share a word.
#include <sennit/parallel_for.hpp>

#include <vector>

void set(std::vector<bool>& flags) {
  sennit::parallel_for(flags, [](auto&& flag) { flag = true; });
}
