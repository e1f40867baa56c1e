// SPDX-License-Identifier: Apache-2.0
// The closure is copied when a beat comes.
#include <sennit/latent_join.hpp>

#include <array>

long called(const std::array<long, 100>& values) {
  const auto [a, b] = sennit::latent_join([&] { return values[0]; }, [values] { return values[1]; });
  return a + b;
}
