// SPDX-License-Identifier: Apache-2.0
// The comparison takes elements of the two sequences in one order alone.
#include <sennit/algorithm/sets.hpp>

#include <string>
#include <vector>

std::vector<int> difference(const std::vector<int>& x, const std::vector<std::string>& y) {
  std::vector<int> out(x.size());
  sennit::parallel_set_difference(x, x, out, [](int, const std::string&) { return true; });
  return out;
}
