// SPDX-License-Identifier: Apache-2.0
// placement: colors that come from where the data lies.
#include "support.hpp"

#include <sennit/placement.hpp>

#include <utility>

namespace sennit_test {
namespace {

// Catches: pages that are counted from the wrong end, or twice; untouched ones that are taken for those of a node.
TEST(placement, weighs_touched_pages_by_their_elements) {
  const std::size_t page = sennit::detail::bytes_of_page() / sizeof(double);
  sennit::numa_array<double> x(4 * page + 10);
  for (std::size_t i = page; i < 3 * page; ++i) x[i] = 1;
  const sennit::placement where(x);
  EXPECT_TRUE(where.colors(0, page).empty());
  EXPECT_TRUE(where.colors(5, 5).empty());
  EXPECT_TRUE(where.colors(7, 3).empty());
  EXPECT_TRUE(where.colors(4 * page, 100 * page).empty());
  const auto half = where.colors(page / 2, page + page / 2);
  if (half.empty()) GTEST_SKIP() << "the kernel does not say where pages are";
  ASSERT_EQ(half.size(), 1U);
  EXPECT_EQ(half[0].weight, static_cast<double>(page / 2 * sizeof(double)));
  double all = 0;
  for (const auto& [color, weight] : where.colors(0, x.size())) all += weight;
  EXPECT_EQ(all, static_cast<double>(2 * page * sizeof(double)));
}

// Catches: a color function of a placement that graphs do not take.
TEST(placement, colors_a_graph) {
  with_workers([] {
    sennit::numa_array<double> x(10'000);
    for (double& e : x) e = 1;
    const sennit::placement where(x);
    double sum = 0;
    graph::run(
        9, graph::nodes{
               .predecessors = [](int k) { return k == 0 ? std::vector<int>{} : std::vector<int>{k - 1}; },
               .compute =
                   [&](int k) {
                     for (int i = k * 1000; i < (k + 1) * 1000; ++i) sum += x[static_cast<std::size_t>(i)];
                   },
               .color = where.color_by([](int k) { return std::pair(k * 1000, (k + 1) * 1000); })});
    EXPECT_EQ(sum, 10'000);
  });
}

}  // namespace
}  // namespace sennit_test
