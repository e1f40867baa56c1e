// SPDX-License-Identifier: Apache-2.0
// task_group: children, groups side by side and inside one another, and what becomes of their exceptions.
#include "support.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace sennit_test {
namespace {

// Catches a group that takes the deque's end for its own because it has come to the same position again:
// its wait() then runs a child twice, and the join around it loses its frame.
TEST(task_group, knows_its_children_after_the_deque_began_anew) {
  under(settings({3, 8}), [](sennit::runtime& rt) {
    std::atomic<int> children{0};
    std::atomic<int> branches{0};
    rt.run([&] {
      sennit::task_group group;
      beacon taken;
      group.spawn([&] {
        ++children;
        taken.light();
      });
      taken.await();
      lose_all_frames();
      sennit::join([&] { group.wait(); }, [&] { ++branches; });
    });
    EXPECT_EQ(children, 1);
    EXPECT_EQ(branches, 1);
  });
}

// The same with spawn(): the child pushed there lies on the join's frame.
TEST(task_group, spawns_in_order_after_the_deque_began_anew) {
  under(settings({3, 8}), [](sennit::runtime& rt) {
    std::atomic<int> children{0};
    std::atomic<int> branches{0};
    rt.run([&] {
      sennit::task_group group;
      beacon taken;
      group.spawn([&] {
        ++children;
        taken.light();
      });
      taken.await();
      lose_all_frames();
      sennit::join([&] { group.spawn([&] { ++children; }); }, [&] { ++branches; });
      group.wait();
    });
    EXPECT_EQ(children, 2);
    EXPECT_EQ(branches, 1);
  });
}

// Catches a child that is kept for a thief, or for the destructor: one worker must run it inside wait().
// And children that wait() runs in an order of its own need not be spawned before those that
// they spawn in groups of theirs.
TEST(task_group, one_worker_runs_all_children_before_wait_returns) {
  under(settings({1}), [](sennit::runtime& rt) {
    std::vector<int> ran(40);
    rt.run([&] {
      sennit::task_group group;
      for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < 10; ++i) {
          group.spawn([&ran, at = round * 10 + i] {
            sennit::task_group inner;
            inner.spawn([&ran, at] { ++ran[at]; });
          });
        }
        group.wait();
        EXPECT_EQ(std::count(ran.begin(), ran.end(), 1), (round + 1) * 10);
      }
    });
  });
}

// Catches the exception of the child that ended first, or that was collected first,
// in place of the first spawned.
TEST(task_group, reports_the_first_spawned_of_those_that_throw) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    const auto children = [] {
      sennit::task_group group;
      beacon taken;
      beacon second_ended;
      group.spawn([&] {
        taken.light();
        second_ended.await();
        throw failure{1};
      });
      taken.await();
      group.spawn([&] {
        const struct light {
          beacon& b;
          ~light() { b.light(); }
        } at_end{second_ended};
        throw failure{2};
      });
      group.wait();
    };
    try {
      rt.run(children);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const failure& f) {
      EXPECT_EQ(f.position, 1U);
    }
  });
}

// Catches a failure that stays in the group and is reported again, and a group that is of no use after one.
TEST(task_group, is_as_new_after_a_wait_that_threw) {
  under(all_settings(), [](sennit::runtime& rt) {
    int ran = 0;
    rt.run([&] {
      sennit::task_group group;
      group.spawn([] { throw failure{1}; });
      EXPECT_THROW(group.wait(), failure);
      group.wait();
      group.spawn([&] { ++ran; });
      group.wait();
    });
    EXPECT_EQ(ran, 1);
  });
}

// Catches children that are left behind, with references to a stack that is gone, when the scope ends by an
// exception; and a second exception during the unwinding, which would end the program.
TEST(task_group, waits_as_the_stack_is_unwound) {
  under(all_settings(), [](sennit::runtime& rt) {
    for (int i = 0; i < scaled(100); ++i) {
      EXPECT_THROW(rt.run([] {
        const tracked on_stack(7);
        sennit::task_group group;
        for (int child = 0; child < 8; ++child) {
          group.spawn([&on_stack, held = tracked(1)] {
            if (on_stack.value() + held.value() == 8) throw failure{2};
          });
        }
        throw std::runtime_error("the scope's own");
      }),
                   std::runtime_error);
      EXPECT_EQ(tracked::live(), 0);
    }
  });
}

// Catches children's closures that are destroyed twice, never, or in an arena of
// which pieces went back already.
TEST(task_group, ends_each_closure_once_whatever_its_size) {
  under(all_settings(), [](sennit::runtime& rt) {
    std::atomic<std::uint64_t> sum{0};
    rt.run([&] {
      sennit::task_group group;
      for (std::uint64_t i = 0; i < 300; ++i) {
        group.spawn(
            [&sum, held = tracked(i), large = std::array<char, 700>{}] { sum += held.value() + large[0]; });
        group.spawn([&sum, held = tracked(1)] { sum += held.value(); });
        struct alignas(128) aligned {
          std::uint64_t value = 1;
        };
        group.spawn([&sum, held = aligned()] {
          if (reinterpret_cast<std::uintptr_t>(&held) % 128 == 0) sum += held.value;
        });
      }
    });
    EXPECT_EQ(sum, 299U * 300U / 2 + 600);
    EXPECT_EQ(tracked::live(), 0);
  });
}

// Catches a group outside any runtime whose children nobody runs, or whose wait() does not see them end.
TEST(task_group, works_outside_any_runtime) {
  std::atomic<int> children{0};
  {
    sennit::task_group group;
    for (int i = 0; i < 10; ++i) group.spawn([&] { ++children; });
    group.wait();
    EXPECT_EQ(children, 10);
    group.spawn([&] { ++children; });
  }
  EXPECT_EQ(children, 11);
}

}  // namespace
}  // namespace sennit_test
