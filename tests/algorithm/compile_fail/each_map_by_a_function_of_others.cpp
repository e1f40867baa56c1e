// SPDX-License-Identifier: Apache-2.0
// A function of text for numbers.
#include <sennit/algorithm/each.hpp>

#include <string>
#include <vector>

auto lengths(std::vector<int>& x) {
  return sennit::each(x) | sennit::lazy::map([](const std::string& s) { return s.size(); }) |
         sennit::lazy::sum();
}
