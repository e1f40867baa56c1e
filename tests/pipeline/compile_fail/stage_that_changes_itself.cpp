// SPDX-License-Identifier: Apache-2.0
// Several workers at a time would call the lambda that counts.
#include <sennit/pipeline.hpp>

#include <vector>

void run(std::vector<int>& numbers) {
  sennit::pipeline(sennit::source(numbers), sennit::stage([n = 0](int& i) mutable { i = n++; }));
}
