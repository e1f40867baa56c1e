// SPDX-License-Identifier: Apache-2.0
// A result has to get from the task to the caller.
#include <sennit/latent_join.hpp>

#include <mutex>

void called() {
  sennit::latent_join([] {}, [] { return std::mutex(); });
}
