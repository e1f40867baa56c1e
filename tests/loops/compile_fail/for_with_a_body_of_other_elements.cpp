// SPDX-License-Identifier: Apache-2.0
// An element is no string, as the message is to say.
#include <sennit/parallel_for.hpp>

#include <string>
#include <vector>

void nothing(const std::vector<int>& numbers) {
  sennit::parallel_for(numbers, [](const std::string&) {});
}
