// SPDX-License-Identifier: Apache-2.0
// Two threads of the program at once, in a build that says so.
#include "support.hpp"

#include <parlay/primitives.h>

#include <array>
#include <cstdlib>
#include <thread>

namespace sennit_test {
namespace {

// Catches an id that is shared, or out of range, where threads help in each other's parallel calls.
TEST(parlay_roots, have_ids_of_their_own) {
  EXPECT_EQ(parlay::num_workers(), std::stoul(std::getenv("SENNIT_WORKERS")) + 1);
  std::array<std::atomic<bool>, 64> used{};
  std::atomic<int> wrong{0};
  parlay::per_worker<long> counters;
  const auto n = static_cast<std::size_t>(scaled(2000));
  const auto program = [&] {
    EXPECT_EQ(parlay::worker_id(), 0U);
    for (int phase = 0; phase < 20; ++phase) {
      parlay::par_do(
          [&] {
            parlay::parallel_for(
                0, n,
                [&](std::size_t) {
                  const std::size_t id = parlay::worker_id();
                  if (id >= parlay::num_workers() || used.at(id).exchange(true)) ++wrong;
                  ++*counters;
                  if (id != parlay::worker_id() || !used.at(id).exchange(false)) ++wrong;
                },
                1);
          },
          [&] { ++*counters; });
    }
  };
  std::thread other(program);
  program();
  other.join();
  EXPECT_EQ(wrong, 0);
  long sum = 0;
  counters.for_each([&](long c) { sum += c; });
  EXPECT_EQ(sum, static_cast<long>(2 * 20 * (n + 1)));
}

// Catches a spare thread that keeps the first guest's number: nobody would have 0 any more.
TEST(parlay_roots, get_0_back_after_blocking_calls) {
  beacon first_in;
  beacon second_in;
  beacon first_out;
  std::thread first([&] {
    parlay::par_do(
        [&] {
          EXPECT_EQ(parlay::worker_id(), 0U);
          first_in.light();
          second_in.await();
        },
        [] {});
    first_out.light();
  });
  std::thread second([&] {
    first_in.await();
    parlay::par_do(
        [&] {
          EXPECT_EQ(parlay::worker_id(), parlay::num_workers() - 1);
          second_in.light();
          first_out.await();
          sennit::blocking([] { std::this_thread::yield(); });
        },
        [] {});
  });
  first.join();
  second.join();
  parlay::par_do([] { EXPECT_EQ(parlay::worker_id(), 0U); }, [] {});
}

}  // namespace
}  // namespace sennit_test
