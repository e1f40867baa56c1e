// SPDX-License-Identifier: Apache-2.0
// Groups in groups: the memory for the children of one serves the next.
#include "../replaced_new.hpp"
#include "support.hpp"

#include <sennit/task_group.hpp>

#include <array>
#include <atomic>
#include <cstddef>

namespace {

constinit std::atomic<std::size_t> allocated{0};  // bytes, ever

}  // namespace

void sennit_test::allocating(std::size_t bytes) { allocated.fetch_add(bytes, std::memory_order_relaxed); }

namespace sennit_test {
namespace {

// Its children have no room in the group itself.
void nested(unsigned depth) {
  if (depth == 0) return;
  sennit::task_group group;
  for (int i = 0; i < 3; ++i) group.spawn([ballast = std::array<char, 200>{}] { (void)ballast; });
  nested(depth - 1);
  group.wait();
}

TEST(NestedGroups, TakeTheMemoryOfTheGroupsBefore) {
  // Catches: memory that goes back to malloc with each group. A recursion that goes up and down at the end of the heap made
  // two system calls a group of that.
  sennit::runtime one({.workers = 1});
  one.run([] {
    constexpr unsigned depth = 40;
    nested(depth);
    const std::size_t before = allocated;
    for (int i = 0; i < 100; ++i) nested(depth);
    EXPECT_LT(allocated - before, std::size_t{8192});
  });
}

TEST(NestedGroups, KeepOnlySoMuch) {
  // Catches: spare memory without a bound.
  sennit::runtime one({.workers = 1});
  one.run([] {
    constexpr unsigned depth = 400;
    nested(depth);
    const std::size_t before = allocated;
    nested(depth);
    EXPECT_GT(allocated - before, std::size_t{depth / 2 * 8192});
  });
}

}  // namespace
}  // namespace sennit_test
