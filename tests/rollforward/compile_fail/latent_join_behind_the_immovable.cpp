// SPDX-License-Identifier: Apache-2.0
// The first result has to get into the tuple.
#include <sennit/latent_join.hpp>

#include <mutex>

void called() {
  sennit::latent_join([] { return std::mutex(); }, [] {});
}
