// SPDX-License-Identifier: Apache-2.0
// per_strand: scratch that stays a strand's own.
#include "support.hpp"

#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/per_strand.hpp>
#include <sennit/task_group.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

// Leaves of a tree whose way from the root is as deep as it should be.
int right_leaves(int depth, sennit::per_strand<std::vector<int>>& ways, std::atomic<int>& wrong) {
  std::vector<int>& way = ways.local();
  const std::size_t before = way.size();
  way.push_back(depth);
  int leaves = 1;
  if (depth > 0) {
    auto [a, b] = sennit::join([&] { return right_leaves(depth - 1, ways, wrong); },
                               [&] { return right_leaves(depth - 1, ways, wrong); });
    leaves = a + b;
  } else if (way.back() != 0) {
    ++wrong;
  }
  // Still this strand's, and as it was before the join.
  if (&way != &ways.local() || way.size() != before + 1 || way.back() != depth) ++wrong;
  way.pop_back();
  return leaves;
}

// Catches storage that another strand uses across a join, as it uses that of a per_worker.
TEST(per_strand, is_kept_across_joins) {
  under(settings({1, 2, 4}), [](sennit::runtime& rt) {
    sennit::per_strand<std::vector<int>> ways;
    std::atomic<int> wrong{0};
    EXPECT_EQ(rt.run([&] { return right_leaves(12, ways, wrong); }), 4096);
    EXPECT_EQ(wrong, 0);
  });
}

// Catches two strands at once that have the same T, and an object for each strand there ever was.
TEST(per_strand, lends_each_to_one_and_again) {
  struct scratch {
    std::atomic<int> users{0};
    std::unique_ptr<int> owner = std::make_unique<int>(1);
  };
  under(settings({1, 2, 4}), [](sennit::runtime& rt) {
    std::atomic<int> made{0};
    std::atomic<int> shared{0};
    {
      sennit::per_strand<std::unique_ptr<scratch>> spaces([&] {
        ++made;
        return std::make_unique<scratch>();
      });
      rt.run([&] {
        for (int round = 0; round < 50; ++round) {
          sennit::parallel_for(
              64,
              [&](int) {
                scratch& mine = *spaces.local();
                if (mine.users.fetch_add(1) != 0) ++shared;
                std::this_thread::yield();
                mine.users.fetch_sub(1);
              },
              sennit::grain(1));
          sennit::task_group group;
          for (int i = 0; i < 8; ++i) group.spawn([&] { *spaces.local()->owner += 1; });
          group.wait();
        }
      });
    }
    EXPECT_EQ(shared, 0);
    // Each worker has at most a few strands open at a time.
    EXPECT_LE(made, 600);
  });
}

// Catches a value that strands do not begin with.
TEST(per_strand, begins_with_what_is_given) {
  sennit::per_strand like(std::vector<int>{1, 2, 3});
  sennit::per_strand made([] { return 7; });
  EXPECT_EQ(like.local().size(), 3U);
  EXPECT_EQ(made.local(), 7);
  std::thread([&] { EXPECT_EQ(made.local(), 7); }).join();
}

}  // namespace
}  // namespace sennit_test
