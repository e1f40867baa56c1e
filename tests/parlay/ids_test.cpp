// SPDX-License-Identifier: Apache-2.0
// parlay::worker_id(): what programs that keep something for each worker rely on.
#include "support.hpp"

#include <parlay/primitives.h>

#include <array>
#include <thread>

namespace sennit_test {
namespace {

// Marks the calling worker's id as in use, and counts those that were already.
class ids_in_use {
 public:
  template <class F>
  void with_own(F&& f) {
    const std::size_t id = parlay::worker_id();
    if (id >= parlay::num_workers() || used_.at(id).exchange(true)) ++wrong_;
    f();
    if (parlay::worker_id() != id || !used_.at(id).exchange(false)) ++wrong_;
  }
  int wrong() const { return wrong_; }

 private:
  std::array<std::atomic<bool>, 64> used_{};
  std::atomic<int> wrong_{0};
};

// Long enough, now and then, for others to come in between.
void linger() {
  for (int i = 0; i < 20; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
  static std::atomic<unsigned> calls{0};
  if (calls.fetch_add(1, std::memory_order_relaxed) % 64 == 0) std::this_thread::yield();
}

// Catches ids beyond num_workers(), shared by two threads, or that change where nothing forks or joins.
TEST(parlay_worker_id, is_a_worker_s_alone) {
  ids_in_use ids;
  for (const long granularity : {0L, 1L}) {
    parlay::parallel_for(
        0, static_cast<std::size_t>(scaled(20000)), [&](std::size_t) { ids.with_own(&linger); }, granularity);
  }
  EXPECT_EQ(ids.wrong(), 0);
}

// Catches a root thread that is not worker 0: before, between and after its parallel calls, in the first
// branch of one, and on whichever thread the program works, as long as it is one at a time.
TEST(parlay_worker_id, is_0_on_a_root_thread) {
  const auto check = [] {
    EXPECT_EQ(parlay::worker_id(), 0U);
    for (int i = 0; i < scaled(100); ++i) {
      parlay::par_do([] { EXPECT_EQ(parlay::worker_id(), 0U); }, [] {});
      EXPECT_EQ(parlay::worker_id(), 0U);
      parlay::parallel_for(0, 100, [](std::size_t) {});
      EXPECT_EQ(parlay::worker_id(), 0U);
    }
  };
  check();
  std::thread(check).join();
  check();
}

// Catches counts that get lost because two threads had the same part.
TEST(parlay_worker_id, selects_a_worker_s_own_counter) {
  parlay::per_worker<long> counters;
  const auto n = static_cast<std::size_t>(scaled(20000));
  for (int round = 0; round < 3; ++round) {
    parlay::parallel_for(0, n, [&](std::size_t i) {
      ++*counters;
      parlay::par_do([&] { ++*counters; }, [&] { *counters += static_cast<long>(i % 2); });
      ++*counters;
    });
  }
  long sum = 0;
  counters.for_each([&](long c) { sum += c; });
  EXPECT_EQ(sum, static_cast<long>(3 * (3 * n + n / 2)));
}

// Catches an id that stays behind when the strand has gone to another thread at a join: it is that thread's.
TEST(parlay_worker_id, is_that_of_the_thread_that_the_strand_is_on) {
  if (parlay::num_workers() == 1) return;  // the strand has nowhere to go
  const sennit::runtime& rt = sennit::runtime::default_runtime();
  for (int i = 0; i < scaled(50); ++i) {
    parlay::par_do(
        [&] {
          const std::size_t id = parlay::worker_id();
          change_threads(rt);
          EXPECT_NE(parlay::worker_id(), id);
          EXPECT_LT(parlay::worker_id(), parlay::num_workers());
        },
        [] {});
  }
}

// Catches a second thread of the program that is given an id out of range, or the first one's; it is told
// what to do. And a thread that is alone again but has a number as if it were not.
TEST(parlay_worker_id, is_for_as_many_roots_as_the_program_says) {
  beacon entered;
  beacon refused;
  std::thread first([&] {
    parlay::par_do(
        [&] {
          EXPECT_EQ(parlay::worker_id(), 0U);
          entered.light();
          refused.await();
        },
        [] {});
  });
  entered.await();
  EXPECT_EQ(parlay::worker_id(), 0U);
  try {
    parlay::par_do([] { parlay::worker_id(); }, [] {});
    ADD_FAILURE() << "no exception";
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("larger -DSENNIT_PARLAY_ROOTS"));
  }
  // Without ids, any number of threads may be at it.
  std::atomic<int> calls{0};
  parlay::parallel_for(0, 1000, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 1000);
  parlay::par_do(
      [&] {
        refused.light();
        first.join();
      },
      [] {});
  for (int i = 0; i < 10; ++i) parlay::par_do([] { EXPECT_EQ(parlay::worker_id(), 0U); }, [] {});
}

}  // namespace
}  // namespace sennit_test
