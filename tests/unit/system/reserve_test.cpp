// SPDX-License-Identifier: Apache-2.0
// Memory that is there before a lock is taken.
#include "system/reserve.hpp"

#include <gtest/gtest.h>

#include <new>

namespace sennit_test {
namespace {

using sennit::detail::reserve;

// Catches memory that is allocated under a lock, and a size that is forgotten.
TEST(reserve, allocates_only_when_it_is_filled) {
  reserve r;
  EXPECT_EQ(r.take(100), nullptr);
  r.fill();
  void* const small = r.take(100);
  EXPECT_NE(small, nullptr);
  EXPECT_EQ(r.take(100), nullptr);
  EXPECT_EQ(r.take(5000), nullptr);
  r.fill();
  void* const large = r.take(5000);
  EXPECT_NE(large, nullptr);
  EXPECT_EQ(r.take(5000), nullptr);
  r.fill();
  EXPECT_EQ(r.take(9000), nullptr);
  r.fill();
  void* const larger = r.take(9000);
  EXPECT_NE(larger, nullptr);
  for (void* const block : {small, large, larger}) ::operator delete(block);
}

// Catches an owner that has memory for one frame where it lists many.
TEST(reserve, has_as_many_blocks_as_are_wanted) {
  reserve r;
  r.fill({.small = 3, .large = 0});
  for (int i = 0; i < 3; ++i) {
    void* const block = r.take(16);
    EXPECT_NE(block, nullptr);
    ::operator delete(block);
  }
  EXPECT_EQ(r.take(16), nullptr);
}

}  // namespace
}  // namespace sennit_test
