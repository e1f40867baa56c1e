// SPDX-License-Identifier: Apache-2.0
// With assertions, whatever the library is built with.
#undef SENNIT_ASSERTIONS
#define SENNIT_ASSERTIONS 1
#include <sennit/detail/assert.hpp>

namespace sennit_test {

void assert_that(bool holds, int& evaluated) { SENNIT_ASSERT(++evaluated > 0 && holds); }

}  // namespace sennit_test
