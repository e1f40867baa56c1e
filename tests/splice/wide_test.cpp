// SPDX-License-Identifier: Apache-2.0
// Wide and deep functions: lists of calls that are longer, and chains of calls that are deeper, than memory for all of
// their stacks. tests/splice/large_test.cpp has the same at full size.
#include "wide_programs.hpp"

namespace sennit_test {
namespace {

// Catches siblings that are compared with all other siblings, and memory that is not counted.
TEST(wide, a_list_of_calls_that_fits) {
  const outcome o = sweep_in_a_list(2'000, {}, 1);
  EXPECT_EQ(o.wrong, "");
  EXPECT_LE(o.checks_each(), 40.0);
  EXPECT_EQ(o.report.unspliced, 0U);
  EXPECT_GT(o.report.delayed, 0U) << "nothing was interleaved";
  EXPECT_GE(o.report.extra_bytes, std::size_t{2'000} * 4096) << "stacks do not count";
  EXPECT_LE(o.report.extra_bytes, std::size_t{64} << 20);
}
// Catches a stack for each call of the list, and a list that ends in std::bad_alloc.
TEST(wide, a_list_of_calls_that_does_not_fit) {
  // TSan has memory of its own for each stack, and ends the program where the system has no more mappings.
  const sennit::splicing how =
      SENNIT_TSAN ? sennit::splicing{.most_bytes = std::size_t{8} << 20} : sennit::splicing{};
  for (const unsigned workers : {1U, 2U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    const outcome o = sweep_in_a_list(10'000, how, workers);
    EXPECT_EQ(o.wrong, "");
    EXPECT_LE(o.checks_each(), 40.0);
    EXPECT_GT(o.report.unspliced, 0U);
    EXPECT_LE(o.report.extra_bytes, std::size_t{64} << 20);
  }
}
// Catches a bound that is not kept, or that makes results wrong.
TEST(wide, a_list_in_little_memory) {
  for (const unsigned workers : {1U, 4U}) {
    for (const std::size_t most : {std::size_t{0}, std::size_t{100'000}, std::size_t{1} << 20}) {
      SCOPED_TRACE(std::to_string(workers) + " workers, " + std::to_string(most) + " bytes");
      const outcome o = sweep_in_a_list(1'000, {.most_bytes = most}, workers);
      EXPECT_EQ(o.wrong, "");
      EXPECT_GT(o.report.unspliced, 0U);
      EXPECT_LE(o.report.extra_bytes, most + 60'000U * workers) << "and the calls of the loop";
    }
  }
}
// Catches calls that are begun although nobody asks for them.
TEST(wide, a_list_alone_needs_one_call_at_a_time) {
  const outcome o = sweep_in_a_list(20'000, {.together = 1}, 1);
  EXPECT_EQ(o.wrong, "");
  EXPECT_EQ(o.report.unspliced, 0U);
  EXPECT_LE(o.report.extra_bytes, std::size_t{1} << 20);
}
// Catches lists of obstacles that are as long as the list of calls.
TEST(wide, a_list_of_calls_that_all_interfere) {
  for (const unsigned workers : {1U, 2U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    const outcome o = sums_in_a_list(1'000, workers);
    EXPECT_EQ(o.wrong, "");
    EXPECT_LE(o.checks_each(), 100.0);
    EXPECT_EQ(o.report.unspliced, 0U);
    EXPECT_LE(o.report.extra_bytes, std::size_t{32} << 20);
  }
}
// Catches an index that finds parts only if neighbors in the list are neighbors in memory.
TEST(wide, a_list_of_calls_on_scattered_cells) {
  for (const unsigned workers : {1U, 2U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    const outcome o = scattered_cells_in_a_list(1'000, workers);
    EXPECT_EQ(o.wrong, "");
    EXPECT_LE(o.checks_each(), 40.0);
    EXPECT_EQ(o.report.unspliced, 0U);
  }
}
// Catches recursion of the splicer that overflows the stack of its strand.
TEST(wide, a_chain_of_calls) {
  for (const unsigned workers : {1U, 2U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    const outcome o = chain(10'000, {}, workers, std::size_t{256} << 20);
    EXPECT_EQ(o.wrong, "");
    EXPECT_LE(o.checks_each(), 40.0);
    EXPECT_GT(o.report.unspliced, 0U);
    EXPECT_LE(o.report.extra_bytes, std::size_t{64} << 20);
  }
}
// Catches a chain that is given up although it fits.
TEST(wide, a_chain_of_calls_that_fits) {
  const outcome o = chain(300, {}, 1, std::size_t{256} << 20);
  EXPECT_EQ(o.wrong, "");
  EXPECT_EQ(o.report.unspliced, 0U);
  EXPECT_EQ(o.report.steps, 4U * 300U);
}

}  // namespace
}  // namespace sennit_test
