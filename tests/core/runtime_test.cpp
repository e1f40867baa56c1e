// SPDX-License-Identifier: Apache-2.0
// Runtimes: several, nested, shared by threads; and what they consume.
#include "support.hpp"

#include <memory>

namespace sennit_test {
namespace {

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

// Catches stacks that gather where strands end: each region here begins on one worker,
// which takes a stack for it, and ends on the other, which keeps it.
TEST(runtime, needs_no_more_stacks_the_longer_it_lives) {
  under(settings({2}), [](sennit::runtime& rt) {
    for (int i = 0; i < 500; ++i) rt.run([&] { suspend(rt); });
    EXPECT_LT(rt.statistics().fibers, 50U);
  });
}

// Catches a result that is copied, or a reference to a local.
TEST(runtime, returns_what_the_region_returns) {
  under(all_settings(), [](sennit::runtime& rt) {
    int referred = 1;
    EXPECT_EQ(&rt.run([&]() -> int& { return referred; }), &referred);
    EXPECT_EQ(*rt.run([] { return std::make_unique<int>(2); }), 2);
    EXPECT_EQ(rt.run([] { return tracked(3); }).value(), 3U);
    EXPECT_EQ(tracked::live(), 0);
    EXPECT_THROW(rt.run([] { throw failure{1}; }), failure);
    EXPECT_THROW(rt.run([]() -> tracked { throw failure{1}; }), failure);
  });
}

// Catches a thread that, back in the first runtime by way of a second, waits for itself:
// there may be no other worker.
TEST(runtime, may_be_entered_from_another_that_it_entered) {
  under(all_settings(), [](sennit::runtime& first) {
    for (const unsigned workers : {1U, 2U}) {
      sennit::runtime second({.workers = workers});
      for (int i = 0; i < scaled(50); ++i) {
        const auto result = first.run([&] {
          auto [a, b] = sennit::join(
              [&] { return second.run([&] { return fib(8) + first.run([] { return fib(10); }); }); },
              [&] { return second.run([&] { return first.run([] { return fib(9); }) + fib(7); }); });
          return a + b;
        });
        EXPECT_EQ(result, 21U + 55U + 34U + 13U);
      }
    }
  });
}

// Catches constructs that fork into the wrong one of the runtimes that their thread is in.
TEST(runtime, owns_the_branches_of_its_own_regions) {
  under(settings({2, 3}), [](sennit::runtime& first) {
    sennit::runtime second({.workers = 2});
    const auto steals_of = [&](auto&& body) {
      const std::uint64_t in_first = first.statistics().steals;
      const std::uint64_t in_second = second.statistics().steals;
      body();
      return std::pair(first.statistics().steals - in_first, second.statistics().steals - in_second);
    };
    const auto steal = [] { join_stolen([] {}, [] {}); };
    using testing::Pair;
    EXPECT_THAT(steals_of([&] { first.run(steal); }), Pair(1, 0));
    EXPECT_THAT(steals_of([&] { first.run([&] { second.run(steal); }); }), Pair(0, 1));
    EXPECT_THAT(steals_of([&] { first.run([&] { second.run([&] { first.run(steal); }); }); }), Pair(1, 0));
    EXPECT_THAT(steals_of([&] {
                  first.run([&] {
                    second.run([] {});
                    steal();
                  });
                }),
                Pair(1, 0));
  });
}

// Catches an exception, or a cancellation, that is lost between two runtimes.
TEST(runtime, passes_on_how_the_inner_region_ended) {
  under(all_settings(), [](sennit::runtime& first) {
    sennit::runtime second({.workers = 2});
    EXPECT_THROW(first.run([&] { second.run([&] { first.run([] { throw failure{1}; }); }); }), failure);
    EXPECT_EQ(first.run([] { return fib(5); }), 5U);
    EXPECT_EQ(second.run([] { return fib(5); }), 5U);
    sennit::region outer;
    EXPECT_FALSE(first.run([&] {
      return outer.run([&] {
        second.run([&] {
          first.run([&] {
            outer.cancel();
            EXPECT_TRUE(sennit::cancel_requested());
            fib(5);
          });
        });
      });
    }));
    EXPECT_EQ(first.run([] { return fib(5); }), 5U);
    EXPECT_EQ(second.run([] { return fib(5); }), 5U);
  });
}

// Catches guests that take one another's place, results or wakes; also where the only worker is a guest.
TEST(runtime, serves_many_threads_at_once) {
  under(settings({1, 2, 8}), [](sennit::runtime& rt) {
    std::vector<std::thread> guests;
    std::atomic<int> wrong{0};
    for (unsigned guest = 0; guest < 32; ++guest) {
      guests.emplace_back([&, guest] {
        for (int i = 0; i < scaled(30); ++i) {
          if (rt.run([] { return fib(12); }) != 144) ++wrong;
          // Of the default runtime.
          if (fib(7 + guest % 4) < 13) ++wrong;
          try {
            rt.run([guest] { sennit::join([] { fib(6); }, [guest] { throw failure{guest}; }); });
            ++wrong;
          } catch (const failure& f) {
            if (f.position != guest) ++wrong;
          }
        }
      });
    }
    for (std::thread& guest : guests) guest.join();
    EXPECT_EQ(wrong, 0);
  });
}

// Catches threads or places that stay behind, and a sleeping worker that misses the end.
TEST(runtime, begins_and_ends_quickly_and_often) {
  for (int i = 0; i < scaled(200); ++i) {
    sennit::runtime rt({.workers = 3});
    if (i % 2 == 0) {
      EXPECT_EQ(rt.run([] { return fib(8); }), 21U);
    }
  }
}

}  // namespace
}  // namespace sennit_test
