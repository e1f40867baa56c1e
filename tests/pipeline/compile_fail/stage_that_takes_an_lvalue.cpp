// SPDX-License-Identifier: Apache-2.0
// The stage is given the number, and wants to change an lvalue.
#include <sennit/pipeline.hpp>

#include <optional>

void run() {
  sennit::pipeline(sennit::source([]() -> std::optional<int> { return std::nullopt; }),
                   sennit::stage(sennit::ordered, [](int& i) { ++i; }));
}
