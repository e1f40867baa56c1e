// SPDX-License-Identifier: Apache-2.0
// The left value is a copy, to which the right one is added in vain.
#include <sennit/parallel_reduce.hpp>

#include <string>
#include <vector>

std::string text(const std::vector<std::string>& words) {
  return sennit::parallel_reduce(words, std::string(), [](std::string a, const std::string& b) { a += b; });
}
