// SPDX-License-Identifier: Apache-2.0
// Regions: what a cancellation stops, and where it ends.
#include "support.hpp"

namespace sennit_test {
namespace {

// Catches a region that goes on asking the one it ran in, which has ended. (ASan sees it; so may the answer.)
TEST(region, after_its_run_asks_no_other) {
  sennit::region r;
  EXPECT_TRUE(r.run([] {}));
  std::thread([&] { EXPECT_FALSE(r.cancel_requested()); }).join();
}

// Catches a region whose links change while another thread asks. (TSan sees it.)
TEST(region, may_be_asked_from_any_thread_at_any_time) {
  sennit::region r;
  std::atomic<bool> ended{false};
  std::thread watcher([&] {
    while (!ended) EXPECT_FALSE(r.cancel_requested());
  });
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(r.run([] { sennit::join([] {}, [] {}); }));
  ended = true;
  watcher.join();
}

// Catches a left branch that is started because a thief holds the right one,
// so that the fork cannot be undone.
TEST(region, starts_no_branch_of_the_strand_that_cancelled) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    std::atomic<int> started{0};
    const auto branch = [&] { ++started; };
    rt.run([&] {
      for (int i = 0; i < scaled(5000); ++i) {
        sennit::region r;
        EXPECT_FALSE(r.run([&] {
          r.cancel();
          sennit::join(branch, branch);
        }));
      }
    });
    EXPECT_EQ(started, 0);
  });
}

// Catches a cancellation that stops at the border of a runtime: its workers' gates must be shut, too.
TEST(region, cancels_what_runs_for_it_in_another_runtime) {
  under(all_settings(), [](sennit::runtime& rt) {
    sennit::runtime other({.workers = 2});
    std::atomic<int> started{0};
    const auto branch = [&] { ++started; };
    sennit::region r;
    const auto result = rt.run([&] {
      return r.run([&] {
        return other.run([&] {
          r.cancel();
          sennit::join(branch, branch);
          return 1;
        });
      });
    });
    EXPECT_FALSE(result.has_value());
    EXPECT_EQ(started, 0);
  });
}

// Catches a region that tells of a cancellation around it as its own, which its run() would then absorb;
// and a strand that is told of its innermost region only.
TEST(region, tells_of_its_own_cancellation_only) {
  under(all_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      sennit::region outer;
      sennit::region inner;
      bool inner_returned = false;
      EXPECT_FALSE(outer.run([&] {
        inner.run([&] {
          outer.cancel();
          EXPECT_TRUE(outer.cancel_requested());
          EXPECT_FALSE(inner.cancel_requested());
          EXPECT_TRUE(sennit::cancel_requested());
          sennit::join([] {}, [] {});
        });
        inner_returned = true;
      }));
      EXPECT_FALSE(inner_returned) << "the inner region absorbed what was not its own";
      EXPECT_FALSE(sennit::cancel_requested());
      sennit::join([] {}, [] {});
    });
  });
}

// Catches a cancellation that spreads outwards, or to other regions.
TEST(region, ends_its_cancellation_with_its_run) {
  under(all_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      for (int i = 0; i < 10; ++i) {
        sennit::region r;
        EXPECT_FALSE(r.run([&] {
          r.cancel();
          sennit::join([] {}, [] {});
          return 1;
        }));
        EXPECT_FALSE(sennit::cancel_requested());
        sennit::region other;
        EXPECT_EQ(other.run([] { return std::get<1>(sennit::join([] { return 1; }, [] { return 2; })); }), 2);
      }
    });
  });
}

// Catches a request that is lost, whenever it comes: before the first run, in one, or between two of them.
TEST(region, stays_cancelled) {
  under(all_settings(), [](sennit::runtime& rt) {
    const auto expect = [] {
      const auto not_to_be_called = [] { ADD_FAILURE() << "the function was called"; };
      sennit::region never_run;
      never_run.cancel();
      EXPECT_TRUE(never_run.cancel_requested());
      EXPECT_FALSE(never_run.run(not_to_be_called));
      EXPECT_FALSE(never_run.run(not_to_be_called));
      EXPECT_TRUE(never_run.cancel_requested());
      EXPECT_FALSE(sennit::cancel_requested());

      sennit::region in_its_run;
      EXPECT_EQ(in_its_run.run([] { return 1; }), 1);
      EXPECT_TRUE(in_its_run.run([&] { in_its_run.cancel(); }));
      EXPECT_FALSE(in_its_run.run(not_to_be_called));

      sennit::region between_runs;
      EXPECT_TRUE(between_runs.run([] {}));
      between_runs.cancel();
      EXPECT_FALSE(between_runs.run(not_to_be_called));
    };
    expect();
    rt.run(expect);
  });
}

// Catches constructs that are cancelled though they only share a function with the region's object.
TEST(region, is_what_its_run_calls_and_nothing_else) {
  sennit::region r;
  r.cancel();
  std::atomic<int> ran{0};
  sennit::parallel_for(0, 100, [&](int) { ++ran; });
  EXPECT_EQ(ran, 100);
}

// Catches a result, or an exception, that is thrown away because the cancellation
// came too late to stop the work.
TEST(region, keeps_what_was_complete_before_the_cancellation) {
  sennit::region r;
  EXPECT_EQ(r.run([&] {
    r.cancel();
    return 3;
  }),
            3);
  sennit::region throwing;
  EXPECT_THROW(throwing.run([&] {
    throwing.cancel();
    throw failure{1};
  }),
               failure);
}

// Catches a stolen branch, or a suspended strand, that is not stopped from outside; and results that leak.
TEST(region, may_be_cancelled_from_any_thread) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    sennit::region r;
    beacon running;
    std::thread canceller([&] {
      running.await();
      r.cancel();
    });
    std::atomic<bool> right_stopped{false};
    const auto forever = [&] {
      for (;;) sennit::join([] { return tracked(1); }, [] { return tracked(2); });
    };
    EXPECT_FALSE(rt.run([&] {
      return r.run([&] {
        join_stolen(
            [&] {
              running.light();
              forever();
            },
            [&] {
              try {
                forever();
              } catch (const sennit::cancelled&) {
                right_stopped = true;
                throw;
              }
            });
      });
    }));
    EXPECT_TRUE(right_stopped);
    EXPECT_EQ(tracked::live(), 0);
    canceller.join();
  });
}

// Calls prepare() deep inside a region that does not begin at the deque's bottom, then has a branch stolen:
// is that taken for one of the region's?
template <class Prepare>
void expect_own_branches(Prepare&& prepare) {
  under(settings({3, 8}), [&](sennit::runtime& rt) {
    rt.run([&] {
      beacon outer_taken;
      beacon ended;
      bool seen = false;
      sennit::join(
          [&] {
            sennit::region inner;
            inner.run([&] {
              prepare(outer_taken);
              beacon cancelled;
              join_stolen(
                  [&] {
                    inner.cancel();
                    cancelled.light();
                  },
                  [&] {
                    cancelled.await();
                    seen = sennit::cancel_requested();
                  });
            });
            ended.light();
          },
          [&] {
            outer_taken.light();
            ended.await();
          });
      EXPECT_TRUE(seen);
    });
  });
}

// Catch frames counted to an outer region after the deque began anew below the region's first position:
// such a branch is not cancelled with its region, and runs under another's floating-point environment.
TEST(region, owns_its_branches_after_all_frames_were_stolen) {
  expect_own_branches([](beacon& outer_taken) {
    outer_taken.await();
    lose_all_frames();
  });
}
TEST(region, owns_its_branches_after_its_frames_moved_for_a_group) {
  expect_own_branches([](beacon&) {
    sennit::task_group group;
    sennit::join([&] { group.spawn([] {}); }, [] {});
    sennit::join([&] { group.wait(); }, [] {});
  });
}
TEST(region, owns_its_branches_after_a_visit_to_another_runtime) {
  expect_own_branches([](beacon&) {
    sennit::runtime other({.workers = 1});
    other.run([] {});
  });
}

}  // namespace
}  // namespace sennit_test
