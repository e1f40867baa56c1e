// SPDX-License-Identifier: Apache-2.0
// As with std::thread.
#include <sennit/sennit.hpp>

void called(sennit::runtime& runtime) {
  runtime.run([](int) {}, 1);
}
