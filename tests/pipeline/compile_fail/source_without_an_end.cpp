// SPDX-License-Identifier: Apache-2.0
// The source cannot say that it has come to its end.
#include <sennit/pipeline.hpp>

void run() {
  sennit::pipeline(sennit::source([] { return 1; }), sennit::stage([](int) {}));
}
