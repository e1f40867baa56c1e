// SPDX-License-Identifier: Apache-2.0
// A result has to get out of the frame.
#include <sennit/sennit.hpp>

#include <mutex>

void called() {
  sennit::join([] { return std::mutex(); }, [] {});
}
