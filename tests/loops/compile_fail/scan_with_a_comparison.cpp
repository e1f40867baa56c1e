// SPDX-License-Identifier: Apache-2.0
// The operation of a scan gives what it takes.
#include <sennit/parallel_scan.hpp>

#include <string>
#include <vector>

void prefixes(std::vector<std::string>& words) {
  sennit::parallel_scan(words, words, [](const std::string& a, const std::string& b) { return a < b; });
}
