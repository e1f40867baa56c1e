// SPDX-License-Identifier: Apache-2.0
// worker_index() and worker_count().
#include "support.hpp"

#include <unistd.h>

#include <array>
#include <optional>

namespace sennit_test {
namespace {

template <class F>
void fork_tree(int depth, const F& leaf) {
  if (depth == 0) return leaf();
  sennit::join([&] { fork_tree(depth - 1, leaf); }, [&] { fork_tree(depth - 1, leaf); });
}

// Catches numbers that two threads share, or that leave the range.
TEST(worker_index, is_unique_among_those_at_work) {
  under(all_settings(), [](sennit::runtime& rt) {
    std::array<std::atomic<bool>, 32> used{};
    std::atomic<int> wrong{0};
    EXPECT_EQ(sennit::worker_index(), 0U);
    rt.run([&] {
      EXPECT_EQ(sennit::worker_index(), 0U);
      EXPECT_EQ(sennit::worker_count(), rt.workers());
      fork_tree(SENNIT_TSAN || SENNIT_ASAN ? 8 : 11, [&] {
        const unsigned index = sennit::worker_index();
        if (index >= sennit::worker_count() || used.at(index).exchange(true)) ++wrong;
        std::this_thread::yield();
        if (index != sennit::worker_index() || !used.at(index).exchange(false)) ++wrong;
      });
    });
    EXPECT_EQ(sennit::worker_index(), 0U);
    EXPECT_EQ(wrong, 0);
  });
}

// Catches a number that the compiler, or the runtime, keeps from before a join.
TEST(worker_index, changes_with_the_strand_s_thread) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    rt.run([&] {
      const unsigned before = sennit::worker_index();
      change_threads(rt);
      EXPECT_NE(sennit::worker_index(), before);
    });
  });
}

// Catches numbers that are not the lowest that are free, after guests that came and went in any order.
TEST(worker_index, of_a_lone_guest_is_0_whoever_was_there_before) {
  under(settings({1, 2, 8}), [](sennit::runtime& rt) {
    std::array<beacon, 3> in;
    std::array<beacon, 3> out;
    std::array<std::optional<unsigned>, 3> index;
    std::vector<std::thread> guests;
    for (std::size_t i = 0; i < in.size(); ++i) {
      guests.emplace_back([&, i] {
        rt.run([&, i] {
          index.at(i) = sennit::worker_index();
          in.at(i).light();
          out.at(i).await();
        });
      });
      in.at(i).await();
    }
    EXPECT_EQ(index[0], 0U);
    EXPECT_EQ(index[1], rt.workers());
    EXPECT_EQ(index[2], rt.workers() + 1);
    for (std::size_t i = 0; i < in.size(); ++i) {
      out.at(i).light();
      guests[i].join();
    }
    for (const std::optional<unsigned>& i : index) EXPECT_LT(*i, sennit::worker_index_bound);
    EXPECT_EQ(rt.run([] { return sennit::worker_index(); }), 0U);
  });
}

// Catches a strand that is told of another runtime than its own.
TEST(worker_count, is_that_of_the_strand_s_runtime) {
  const unsigned of_default = sennit::worker_count();
  EXPECT_EQ(of_default, sennit::runtime::default_runtime().workers());
  sennit::runtime outer({.workers = 3});
  sennit::runtime inner({.workers = 5});
  outer.run([&] {
    EXPECT_EQ(sennit::worker_count(), 3U);
    inner.run([&] {
      EXPECT_EQ(sennit::worker_count(), 5U);
      EXPECT_EQ(sennit::worker_index(), 0U);
    });
    EXPECT_EQ(sennit::worker_count(), 3U);
  });
  EXPECT_EQ(sennit::worker_count(), of_default);
}

}  // namespace
}  // namespace sennit_test
