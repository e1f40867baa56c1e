// SPDX-License-Identifier: Apache-2.0
// The projection is one of texts.
#include <sennit/algorithm/select.hpp>

#include <functional>
#include <string>
#include <vector>

int median(const std::vector<int>& x) {
  return *sennit::parallel_kth_smallest(x, 5, std::less<>(), &std::string::size);
}
