// SPDX-License-Identifier: Apache-2.0
// An index is no string, as the message is to say.
#include <sennit/parallel_for.hpp>

#include <string>

void nothing() {
  sennit::parallel_for(0, 10, [](const std::string&) {});
}
