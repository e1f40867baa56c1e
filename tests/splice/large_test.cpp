// SPDX-License-Identifier: Apache-2.0
// Splices with a million calls, in a list or one in the other.
#include "wide_programs.hpp"

namespace sennit_test {
namespace {

constexpr std::size_t million = 1'000'000;

void expect_small(const outcome& o) {
  EXPECT_EQ(o.wrong, "");
  EXPECT_LE(o.checks_each(), 40.0);
  EXPECT_LE(o.report.extra_bytes, std::size_t{64} << 20);
  EXPECT_GT(o.report.unspliced, 0U);
}

// Catches time that is quadratic in the length of a list, and memory for each of its calls.
TEST(large, list) {
  for (const unsigned workers : {1U, 2U}) expect_small(sweep_in_a_list(million, {}, workers));
}
// Catches memory, and recursion of the splicer, for each call of a chain.
TEST(large, chain) { expect_small(chain(million, {}, 1, std::size_t{2} << 30)); }

}  // namespace
}  // namespace sennit_test
