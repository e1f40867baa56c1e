// SPDX-License-Identifier: Apache-2.0
// The left value is a copy, to which the right one is added in vain.
#include <sennit/reducer.hpp>

#include <string>

void declared() {
  sennit::reducer text(std::string(), [](std::string a, const std::string& b) { a += b; });
}
