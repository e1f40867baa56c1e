// SPDX-License-Identifier: Apache-2.0
// Nobody knows what views are to begin with: 0 is wrong for a product.
#include <sennit/reducer.hpp>

struct multiply {
  long operator()(long a, long b) const { return a * b; }
};

void declared() { sennit::reducer<long, multiply> product; }
