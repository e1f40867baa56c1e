// SPDX-License-Identifier: Apache-2.0
// A frame that is asked has no constructor run for a copy.
#include <sennit/latent_join.hpp>

#include <cstddef>
#include <string>

std::size_t called(const std::string& text) {
  const auto [a, b] = sennit::latent_join([&] { return text.size(); }, [text] { return text.size(); });
  return a + b;
}
