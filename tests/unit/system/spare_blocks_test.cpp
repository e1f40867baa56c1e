// SPDX-License-Identifier: Apache-2.0
// Memory that a thread keeps for the next time.
#include "system/spare_blocks.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <new>

namespace sennit_test {
namespace {

using sennit::detail::spare_blocks;

// Catches a block that is handed out twice, one that is lost, and spare memory without a bound.
TEST(spare_blocks, are_as_many_as_are_kept) {
  spare_blocks spare;
  EXPECT_EQ(spare.take(), nullptr);
  std::size_t kept = 0;
  for (;; ++kept) {
    void* const block = ::operator new(spare_blocks::bytes);
    if (spare.keep(block)) continue;
    ::operator delete(block);
    break;
  }
  EXPECT_EQ(kept, spare_blocks::most);
  for (; kept > 0; --kept) {
    void* const block = spare.take();
    ASSERT_NE(block, nullptr);
    ::operator delete(block);
  }
  EXPECT_EQ(spare.take(), nullptr);
}

// Catches a worker that sleeps on memory that others want.
TEST(spare_blocks, go_back_when_the_worker_sleeps) {
  spare_blocks spare;
  void* const block = ::operator new(spare_blocks::bytes);
  if (!spare.keep(block)) ::operator delete(block);
  spare.trim();
  EXPECT_EQ(spare.take(), nullptr);
}

}  // namespace
}  // namespace sennit_test
