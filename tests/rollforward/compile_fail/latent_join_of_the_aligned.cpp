// SPDX-License-Identifier: Apache-2.0
// Stacks are aligned to 16 bytes.
#include <sennit/latent_join.hpp>

struct alignas(64) line {
  long values[8];
};

long called(const line& all) {
  const auto [a, b] = sennit::latent_join([&] { return all.values[0]; }, [all] { return all.values[1]; });
  return a + b;
}
