// SPDX-License-Identifier: Apache-2.0
// Pairs of neighbors that nobody can find before all have been filtered.
#include <sennit/algorithm/each.hpp>

#include <vector>

auto pairs(std::vector<int>& x) {
  return sennit::each(x) | sennit::lazy::filter([](int i) { return i > 0; }) | sennit::lazy::chunk(2) |
         sennit::lazy::count();
}
