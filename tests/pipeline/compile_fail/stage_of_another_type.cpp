// SPDX-License-Identifier: Apache-2.0
// The second stage takes text, and the first gives numbers.
#include <sennit/pipeline.hpp>

#include <optional>
#include <string>

void run() {
  sennit::pipeline({.most_alive = 4}, sennit::source([]() -> std::optional<int> { return std::nullopt; }),
                   sennit::stage([](int i) { return i; }), sennit::stage([](const std::string&) {}));
}
