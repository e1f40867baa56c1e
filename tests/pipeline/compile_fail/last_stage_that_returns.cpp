// SPDX-License-Identifier: Apache-2.0
// Nobody takes what the last stage returns.
#include <sennit/pipeline.hpp>

#include <vector>

void run(std::vector<int>& numbers) {
  sennit::pipeline(sennit::source(numbers), sennit::stage([](int i) { return i + 1; }));
}
