// SPDX-License-Identifier: Apache-2.0
// The vector is not made a source.
#include <sennit/pipeline.hpp>

#include <vector>

void run(std::vector<int>& numbers) {
  sennit::pipeline({.most_alive = 4}, numbers, sennit::stage([](int) {}));
}
