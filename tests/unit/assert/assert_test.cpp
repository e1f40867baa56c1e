// SPDX-License-Identifier: Apache-2.0
// What holds whatever programs do is asserted, and costs nothing where it is not.
#undef SENNIT_ASSERTIONS
#define SENNIT_ASSERTIONS 0
#include <sennit/detail/assert.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace sennit_test {

void assert_that(bool holds, int& evaluated);

namespace {

// Catches an assertion that is not evaluated, or whose message names neither the place nor the condition.
TEST(assertion, ends_the_program_where_it_does_not_hold) {
  int evaluated = 0;
  assert_that(true, evaluated);
  EXPECT_EQ(evaluated, 1);
  EXPECT_DEATH(assert_that(false, evaluated),
               "sennit: .*asserted.cpp:[0-9]+: broken invariant: \\+\\+evaluated > 0 && holds\n"
               "sennit: this is a fault in Sennit, please report it.");
}

// Catches an assertion that costs something where it is off, or whose names count as unused there.
TEST(assertion, is_not_evaluated_where_it_is_off) {
  const int used_there_alone = 0;
  int evaluated = 0;
  SENNIT_ASSERT(++evaluated == used_there_alone);
  SENNIT_ASSERT(std::pair<int, int>(++evaluated, 0).first == 0);
  const auto in_a_closure = [&] { SENNIT_ASSERT(++evaluated > 0); };
  in_a_closure();
  EXPECT_EQ(evaluated, 0);
}

}  // namespace
}  // namespace sennit_test
