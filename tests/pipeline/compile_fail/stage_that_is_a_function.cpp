// SPDX-License-Identifier: Apache-2.0
// The function is not made a stage.
#include <sennit/pipeline.hpp>

#include <vector>

void run(std::vector<int>& numbers) {
  sennit::pipeline(sennit::source(numbers), [](int) {});
}
