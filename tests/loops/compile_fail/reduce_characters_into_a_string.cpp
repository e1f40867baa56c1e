// SPDX-License-Identifier: Apache-2.0
// A character is no string; each part would begin with the first value.
#include <sennit/parallel_reduce.hpp>

#include <string>
#include <vector>

std::string text(const std::vector<char>& letters) {
  return sennit::parallel_reduce(letters, std::string(">"));
}
