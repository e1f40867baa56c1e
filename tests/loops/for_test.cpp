// parallel_for and what lies under it: each iteration once, whatever runs it, and in the order of the iterations where a
// value is made.
#include <sennit/parallel_for.hpp>
#include <sennit/sennit.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <random>
#include <tuple>
#include <vector>

namespace sennit_test {
namespace {

void spin(unsigned turns) {
  for (unsigned i = 0; i < turns; ++i) asm volatile("");
}

class loops : public testing::TestWithParam<std::tuple<unsigned, sennit::steal_barrier>> {
 protected:
  sennit::runtime runtime_{{.workers = std::get<0>(GetParam()), .barrier = std::get<1>(GetParam())}};
};

// Catches an iteration of a nest that is left out, or run by two; and an exception that is not the lowest.
TEST_P(loops, run_each_iteration_once) {
  std::mt19937 random(std::get<0>(GetParam()));
  const auto below = [&random](unsigned bound) { return random() % bound; };
  for (int round = 0; round < 60; ++round) {
    const unsigned outer = below(150);
    const unsigned inner = below(40) + 1;
    const unsigned pause = below(200);
    const unsigned inner_pause = below(40);
    const sennit::loop_options how = sennit::grain(below(4));
    const unsigned throws = below(3) == 0 ? below(outer + 1) : outer;
    std::vector<std::atomic<int>> seen(std::size_t{outer} * inner);
    unsigned thrown = outer;
    try {
      runtime_.run([&] {
        sennit::parallel_for(0U, outer, [&](unsigned i) {
          if (i >= throws) throw i;
          spin(pause);
          if (i % 7 == 0) sennit::join([&] { spin(pause); }, [&] { spin(pause); });
          sennit::parallel_for(
              0U, inner,
              [&](unsigned j) {
                spin(inner_pause);
                ++seen[std::size_t{i} * inner + j];
              },
              how);
        });
      });
    } catch (unsigned i) {
      thrown = i;
    }
    ASSERT_EQ(thrown, throws);
    for (std::size_t k = 0; k < seen.size(); ++k) {
      ASSERT_EQ(seen[k], k < std::size_t{throws} * inner ? 1 : 0) << "inner iteration " << k;
    }
  }
}

// Catches values that are merged in another order than that of the iterations, or not at all.
TEST_P(loops, fold_in_order) {
  for (const unsigned n : {0U, 1U, 2U, 100U, 3000U}) {
    for (const std::uint64_t grain : {0U, 1U, 3U}) {
      const std::vector<unsigned> order = runtime_.run([&] {
        return sennit::detail::fold_positions(
            n, [] { return std::vector<unsigned>(); },
            [](std::vector<unsigned>& part, sennit::detail::position from, sennit::detail::position to) {
              for (; from < to; ++from) {
                spin(30);
                part.push_back(static_cast<unsigned>(from));
              }
            },
            [](std::vector<unsigned>& left, std::vector<unsigned>&& right) {
              left.insert(left.end(), right.begin(), right.end());
            },
            sennit::grain(grain));
      });
      ASSERT_EQ(order.size(), n);
      for (unsigned i = 0; i < n; ++i) ASSERT_EQ(order[i], i);
    }
  }
}

// Catches a loop whose rest is taken back on top of the stack of what was taken back before.
TEST_P(loops, part_with_their_rest_at_each_iteration) {
  std::atomic<long> children = 0;
  runtime_.run([&] {
    sennit::parallel_for(0, 20000, [&](int) {
      sennit::task_group below;
      sennit::task_group above;
      below.spawn([&] { spin(500), ++children; });
      above.spawn([&] { ++children; });
    });
  });
  EXPECT_EQ(children, 40000);
}

// Catches a loop that goes on in a cancelled region, or a region that does not end.
TEST_P(loops, end_in_a_cancelled_region) {
  sennit::region region;
  std::atomic<long> ran = 0;
  const bool completed = runtime_.run([&] {
    return region.run([&] {
      sennit::parallel_for(0, 100'000'000, [&](int) {
        spin(100);
        if (++ran == 1000) region.cancel();
      });
    });
  });
  EXPECT_FALSE(completed);
  EXPECT_LT(ran, 90'000'000);
}

INSTANTIATE_TEST_SUITE_P(workers, loops,
                         testing::Combine(testing::Values(1U, 2U, 4U, 16U),
                                          testing::Values(sennit::steal_barrier::automatic,
                                                          sennit::steal_barrier::fence)));

}  // namespace
}  // namespace sennit_test
