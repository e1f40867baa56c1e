// SPDX-License-Identifier: Apache-2.0
// The first stage gives nothing to the second.
#include <sennit/pipeline.hpp>

#include <vector>

void run(std::vector<int>& numbers) {
  sennit::pipeline(sennit::source(numbers), sennit::stage([](int) {}), sennit::stage([](int) {}));
}
