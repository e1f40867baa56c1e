// SPDX-License-Identifier: Apache-2.0
// The comparison is one of texts.
#include <sennit/algorithm/merge.hpp>

#include <string>
#include <vector>

void merge(std::vector<int>& x) {
  sennit::parallel_inplace_merge(x, x.begin() + 1,
                                 [](const std::string& a, const std::string& b) { return a < b; });
}
