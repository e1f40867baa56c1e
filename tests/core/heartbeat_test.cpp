// SPDX-License-Identifier: Apache-2.0
// Promotion by heartbeats: how often latent work becomes others', and that it does.
#include "support.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace sennit_test {
namespace {

using namespace std::chrono_literals;

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

void bursts(sennit::runtime& rt) {
  for (int i = 0; i < scaled(2000); ++i) {
    rt.run([] { fib(5); });
    if (i % 50 == 0) std::this_thread::sleep_for(200us);
  }
}

std::uint64_t square(std::size_t rows, std::size_t columns) {
  std::vector<std::uint64_t> sums(rows);
  sennit::parallel_for(std::size_t{0}, rows, [&](std::size_t i) {
    sums[i] = sennit::parallel_reduce(std::size_t{0}, columns, std::uint64_t{0},
                                      [i](std::size_t j) { return std::uint64_t{(i ^ j) & 1}; });
  });
  std::uint64_t sum = 0;
  for (const std::uint64_t s : sums) sum += s;
  return sum;
}

void groups() {
  for (int i = 0; i < scaled(300); ++i) {
    sennit::task_group group;
    std::array<std::uint64_t, 20> results{};
    for (std::uint64_t& r : results) group.spawn([&r] { r = fib(6); });
    group.wait();
    for (const std::uint64_t r : results) EXPECT_EQ(r, 8U);
  }
}

struct program {
  const char* name;
  void (*run)(sennit::runtime&);
};

std::vector<program> adversaries() {
  return {
      {"forks of nothing", [](sennit::runtime& rt) { EXPECT_EQ(rt.run([] { return fib(21); }), 10946U); }},
      {"short regions in bursts", bursts},
      {"children of groups", [](sennit::runtime& rt) { rt.run(groups); }},
      {"long rows", [](sennit::runtime& rt) { rt.run([] { EXPECT_EQ(square(3, 200000), 300000U); }); }},
      {"short rows", [](sennit::runtime& rt) { rt.run([] { EXPECT_EQ(square(100000, 4), 200000U); }); }},
      {"loops of loops", [](sennit::runtime& rt) {
         rt.run([] { sennit::parallel_for(0, 40, [](int) { EXPECT_EQ(square(40, 40), 800U); }); });
       }}};
}

// The guarantee. Catches: a way by which work becomes others' that asks no clock; a clock that each thief has for himself.
TEST(heartbeat, promotes_at_most_once_a_period_and_worker) {
  constexpr auto period = 500us;
  for (const setting& s : settings({2, 4})) {
    SCOPED_TRACE(name(s));
    sennit::runtime rt({.workers = s.workers, .barrier = s.barrier, .promotion = sennit::heartbeat(period)});
    for (const program& adversary : adversaries()) {
      SCOPED_TRACE(adversary.name);
      const std::uint64_t before = rt.statistics().promotions;
      const auto begin = std::chrono::steady_clock::now();
      adversary.run(rt);
      const auto beats = static_cast<std::uint64_t>((std::chrono::steady_clock::now() - begin) / period) + 1;
      EXPECT_LE(rt.statistics().promotions - before, s.workers * beats);
    }
  }
}

// From a fork to the end of both branches, on two workers: the frame is found, claimed and given a fiber, and the join is
// told. The median, as the thief may have to be woken, or to wait for a CPU.
std::chrono::nanoseconds measured_promotion() {
  std::vector<std::chrono::nanoseconds> costs(static_cast<std::size_t>(scaled(500)));
  sennit::runtime rt({.workers = 2});
  rt.run([&] {
    for (auto& cost : costs) {
      const auto begin = std::chrono::steady_clock::now();
      join_stolen([] {}, [] {});
      cost = std::chrono::steady_clock::now() - begin;
    }
  });
  const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2);
  std::nth_element(costs.begin(), middle, costs.end());
  return *middle;
}

// What a user chooses a period for. The cost is measured once and the rest is arithmetic: however noisy the machine, a
// worker promotes once at its first beat and then once a period. Catches: what the test above does, at the periods that
// are short enough to tell; a unit that is another one where the period is kept than where it is given.
TEST(heartbeat, promotions_cost_their_share_of_the_time) {
  const auto cost = std::max(measured_promotion(), 1ns);
  for (const int one_in : {10, 20, 100}) {
    if (cost * one_in > 1s) continue;  // there is no such period
    const auto period = std::max<std::chrono::nanoseconds>(cost * one_in, 1us);
    for (const setting& s : settings({2, 4})) {
      SCOPED_TRACE(name(s) + ", a promotion is " + std::to_string(cost.count()) + " ns, the share 1/" +
                   std::to_string(one_in));
      sennit::runtime rt(
          {.workers = s.workers, .barrier = s.barrier, .promotion = sennit::heartbeat(period)});
      for (const program& adversary : adversaries()) {
        SCOPED_TRACE(adversary.name);
        const std::uint64_t before = rt.statistics().promotions;
        const auto begin = std::chrono::steady_clock::now();
        adversary.run(rt);
        const auto time_of_workers = (std::chrono::steady_clock::now() - begin) * s.workers;
        const auto spent = (rt.statistics().promotions - before) * cost;
        EXPECT_LE(spent, time_of_workers / one_in + s.workers * cost);
      }
    }
  }
}

// Catches: frames that nobody can ever have, a thief that sleeps although a beat will come.
TEST(heartbeat, lets_others_have_work_in_the_end) {
  for (const setting& s : parallel_settings()) {
    SCOPED_TRACE(name(s));
    current_setting() = name(s);
    sennit::runtime rt({.workers = s.workers, .barrier = s.barrier, .promotion = sennit::heartbeat(50us)});
    for (int i = 0; i < 20; ++i) rt.run([] { join_stolen([] {}, [] {}); });
    // Which comes to its end only if somebody else has had a part of it.
    std::atomic<int> others = 0;
    rt.run([&] {
      const auto mine = std::this_thread::get_id();
      const auto end = std::chrono::steady_clock::now() + 45s;
      sennit::parallel_for(0, 1'000'000, [&](int) {
        if (std::this_thread::get_id() != mine) others.store(1, std::memory_order_relaxed);
        if (others.load(std::memory_order_relaxed) == 0 && std::chrono::steady_clock::now() < end)
          std::this_thread::sleep_for(20us);
      });
    });
    EXPECT_EQ(others, 1);
    EXPECT_GE(rt.statistics().promotions, 21U);
  }
}

// Catches: a region whose rule outlives it, or that keeps its runtime's.
TEST(heartbeat, can_be_a_regions) {
  for (const setting& s : settings({4})) {
    SCOPED_TRACE(name(s));
    sennit::runtime rt(s.options());
    const auto steal_some = [](int count) {
      for (int i = 0; i < count; ++i) join_stolen([] {}, [] {});
    };
    rt.run([&] {
      sennit::region slow(sennit::heartbeat(1s));
      const std::uint64_t before = rt.statistics().promotions;
      const auto begin = std::chrono::steady_clock::now();
      slow.run([] { EXPECT_EQ(fib(22), 17711U); });
      const auto seconds = static_cast<std::uint64_t>((std::chrono::steady_clock::now() - begin) / 1s);
      EXPECT_LE(rt.statistics().promotions - before, s.workers * (seconds + 1));
      steal_some(20);
    });
    sennit::runtime beating({.workers = s.workers, .barrier = s.barrier, .promotion = sennit::heartbeat(1s)});
    beating.run([&] {
      sennit::region prompt(sennit::on_demand);
      const auto begin = std::chrono::steady_clock::now();
      prompt.run([&] { steal_some(40); });
      EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
    });
  }
}

// Catches: a period that is taken though nobody can keep it, an error that does not say what was wrong.
TEST(heartbeat, has_a_period_that_can_be_kept) {
  for (const auto period : {-1ns, 1ns, 999ns, 1000000001ns}) {
    const auto refused = [&](auto&& make) {
      try {
        make();
        ADD_FAILURE() << period.count() << " ns is taken";
      } catch (const std::invalid_argument& e) {
        EXPECT_THAT(e.what(),
                    testing::HasSubstr("promotion is \"" + std::to_string(period.count()) + " ns\""));
        EXPECT_THAT(e.what(), testing::HasSubstr("from 1 us to 1 s"));
      }
    };
    refused([&] { sennit::runtime rt({.promotion = sennit::heartbeat(period)}); });
    refused([&] { sennit::region r(sennit::heartbeat(period)); });
  }
  sennit::runtime shortest({.workers = 2, .promotion = sennit::heartbeat(1us)});
  EXPECT_EQ(shortest.run([] { return fib(15); }), 610U);
}

}  // namespace
}  // namespace sennit_test
