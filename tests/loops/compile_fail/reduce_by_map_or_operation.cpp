// SPDX-License-Identifier: Apache-2.0
// The largest character of a word, or the largest word?
#include <sennit/parallel_reduce.hpp>

#include <algorithm>
#include <string>
#include <vector>

std::string last(const std::vector<std::string>& words) {
  return sennit::parallel_reduce(words, std::string(), std::ranges::max);
}
