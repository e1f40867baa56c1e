// SPDX-License-Identifier: Apache-2.0
// Keys that nobody can hash.
#include <sennit/algorithm/hash_map.hpp>

#include <functional>
#include <utility>
#include <vector>

void count(const std::vector<std::pair<int, int>>& x) {
  sennit::parallel_hash_map(x, std::identity(), [](const auto&) { return 1; }, std::plus<>());
}
