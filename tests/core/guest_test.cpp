// SPDX-License-Identifier: Apache-2.0
// Outside threads in one runtime: each takes work of its own region only while it waits.
#include "support.hpp"

#include <chrono>

namespace sennit_test {
namespace {

using namespace std::chrono_literals;

// Catches a thread that waits for its region, takes a leaf of another one, and is kept by that after its own has ended: here
// for ever, as the leaf waits for the region to have returned.
TEST(guest, returns_while_another_regions_leaf_blocks) {
  under(settings({2}), [](sennit::runtime& rt) {
    beacon first_is_away;
    beacon leaf_is_offered;
    beacon returned;
    std::thread other([&] {
      first_is_away.await();
      rt.run([&] {
        sennit::join(
            [&] {
              leaf_is_offered.light();
              returned.await();
            },
            [&] { returned.await(); });
      });
    });
    rt.run([&] {
      // The runtime's one thread has this, so nobody but the waiting thread is there for the leaf.
      join_stolen([] {},
                  [&] {
                    first_is_away.light();
                    leaf_is_offered.await();
                    std::this_thread::sleep_for(30ms);
                  });
    });
    returned.light();
    other.join();
  });
}

// The same for what is listed, posted or handed over where strands suspend: children of a group, parts of a loop.
TEST(guest, takes_no_children_and_no_iterations_of_another_region) {
  under(settings({2}), [](sennit::runtime& rt) {
    beacon first_is_away;
    beacon offered;
    beacon returned;
    std::thread other([&] {
      first_is_away.await();
      rt.run([&] {
        sennit::task_group group;
        for (int i = 0; i < 100; ++i) group.spawn([&] { returned.await(); });
        sennit::join(
            [&] {
              offered.light();
              sennit::parallel_for(0, 1000, [&](int) { returned.await(); });
            },
            [&] { returned.await(); });
        group.wait();
      });
    });
    rt.run([&] {
      join_stolen([] {},
                  [&] {
                    first_is_away.light();
                    offered.await();
                    std::this_thread::sleep_for(30ms);
                  });
    });
    returned.light();
    other.join();
  });
}

// Catches a thread that sleeps at home while there is work of its own region, and one that is kept from that by another region's.
TEST(guest, comes_for_work_of_its_own_region) {
  under(settings({2}), [](sennit::runtime& rt) {
    std::atomic<bool> over{false};
    // Forks all the time, and each fork may find the gate that the waiting thread has shut.
    std::thread other([&] {
      rt.run([&] {
        while (!over) sennit::join([] {}, [] {});
      });
    });
    for (const auto pause : {0ms, 1ms, 20ms, 150ms}) {
      rt.run([&] {
        join_stolen([] {},
                    [&] {
                      std::this_thread::sleep_for(pause);
                      // Only the thread whose region this is can come.
                      join_stolen([] {}, [] {});
                    });
      });
    }
    over = true;
    other.join();
  });
}

// Catches a gate that a foreign strand's push has opened, for nobody, and that is still open when the same worker goes on with a
// strand of the sleeping thread's region.
TEST(guest, is_told_by_a_worker_that_comes_from_another_region) {
  under(settings({3}), [](sennit::runtime& rt) {
    for (int round = 0; round < 5; ++round) {
      beacon first_is_away;
      beacon foreign_done;
      std::thread second([&] {
        first_is_away.await();
        rt.run([&] {
          join_stolen([] {},
                      [] {
                        for (int i = 0; i < 100; ++i) sennit::join([] {}, [] {});
                      });
        });
        foreign_done.light();
      });
      std::atomic<int> present{0};
      const auto arrive = [&] {
        ++present;
        await([&] { return present == 3; }, "both workers and the thread whose region it is");
      };
      rt.run([&] {
        join_stolen([] {},
                    [&] {
                      std::this_thread::sleep_for(2ms);
                      first_is_away.light();
                      foreign_done.await();
                      join_stolen(arrive, [&] { sennit::join(arrive, arrive); });
                    });
      });
      second.join();
    }
  });
}

// Catches a thread outside any region that waits for its group's children and leaves what they fork to others.
TEST(guest, helps_with_what_children_of_an_outside_thread_fork) {
  sennit::runtime& rt = sennit::runtime::default_runtime();
  if (rt.workers() != 2) GTEST_SKIP() << "needs a default runtime of two workers";
  sennit::task_group group;
  beacon begun;
  group.spawn([&] {
    begun.light();
    join_stolen([] {}, [] {});
  });
  begun.await();
  group.wait();
}

// Catches regions that end one another's waits in any other order than their own.
TEST(guest, many_threads_return_when_their_own_regions_end) {
  under(settings({1, 2, 8}), [](sennit::runtime& rt) {
    constexpr int threads = 6;
    std::vector<std::thread> all;
    std::atomic<long> sum{0};
    for (int t = 0; t < threads; ++t) {
      all.emplace_back([&] {
        for (int i = 0; i < scaled(300); ++i) {
          sum += rt.run([&] {
            long inside = 0;
            sennit::task_group group;
            std::atomic<long> children{0};
            for (int c = 0; c < 4; ++c) group.spawn([&] { ++children; });
            auto [a, b] = sennit::join([] { return 1L; }, [] { return 2L; });
            group.wait();
            inside = a + b + children;
            return inside;
          });
        }
      });
    }
    for (auto& t : all) t.join();
    EXPECT_EQ(sum, 7L * threads * scaled(300));
  });
}

}  // namespace
}  // namespace sennit_test
