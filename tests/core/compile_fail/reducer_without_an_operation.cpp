// SPDX-License-Identifier: Apache-2.0
// Nobody knows how to add points, as the message is to say.
#include <sennit/reducer.hpp>

struct point {
  double x, y;
};

void declared() { sennit::reducer<point> sum; }
