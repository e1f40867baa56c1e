// SPDX-License-Identifier: Apache-2.0
// No loop is serial beside a worker that waits. Iterations wait for each other here, so that a loop which keeps some of them
// from workers that wait never ends; nothing is timed.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

namespace {

// Where `wanted` strands meet: none goes on before all are there.
class meeting {
 public:
  explicit meeting(int wanted) noexcept : wanted_(wanted) {}
  void come() noexcept {
    ++here_;
    while (here_.load() < wanted_) std::this_thread::yield();
  }
  bool empty() const noexcept { return here_.load() == 0; }

 private:
  const int wanted_;
  std::atomic<int> here_{0};
};

// A loop that begins while nobody waits is a plain loop: others get the rest of it after the iteration that is under way. The
// threads of workers that have ended their parts of the loop before may have no processor yet. So a loop whose first iteration
// waits for others begins after this.
void until_somebody_waits() noexcept {
  while (sennit::detail::current_tls().waiting->load() == 0) std::this_thread::yield();
}

constexpr unsigned many = 8;

sennit::runtime& eight() {
  static sennit::runtime rt({.workers = many});
  return rt;
}

meeting* place = nullptr;
void nothing(int) {}
void meet(int) { place->come(); }

struct item {
  int number = 0;
  void prepare() { ++number; }
  void run() { place->come(); }
};

// Catches: what was measured of one function decides over another of the same type.
TEST(loops_sharing, functions_of_one_type) {
  eight().run([] {
    for (int round = 0; round < 20; ++round) {
      meeting all(many);
      place = &all;
      for (int i = 0; i < 300; ++i) sennit::parallel_for(0, many, &nothing);
      until_somebody_waits();
      sennit::parallel_for(0, many, &meet);
    }
  });
}

// Catches: the same for members.
TEST(loops_sharing, members_of_one_type) {
  std::vector<item> items(many);
  eight().run([&] {
    for (int round = 0; round < 20; ++round) {
      meeting all(many);
      place = &all;
      for (int i = 0; i < 300; ++i) sennit::parallel_for(items, &item::prepare);
      until_somebody_waits();
      sennit::parallel_for(items, &item::run);
    }
  });
}

// Catches: the same for what a std::function holds.
TEST(loops_sharing, functions_that_are_held) {
  eight().run([] {
    for (int round = 0; round < 20; ++round) {
      meeting all(many);
      const std::function<void(int)> light = [](int) {};
      const std::function<void(int)> heavy = [&](int) { all.come(); };
      for (int i = 0; i < 300; ++i) sennit::parallel_for(0, many, light);
      until_somebody_waits();
      sennit::parallel_for(0, many, heavy);
    }
  });
}

// Catches: a loop whose cost has changed a millionfold, up and down, several times, at different sizes.
TEST(loops_sharing, one_body_whose_cost_changes) {
  eight().run([] {
    for (const int n : {8, 9, 64, 65, 1000, 100'000}) {
      for (int round = 0; round < 10; ++round) {
        meeting all(many);
        bool heavy = false;
        const auto body = [&](int i) {
          if (heavy && static_cast<std::uint64_t>(i) % static_cast<std::uint64_t>(n / 8) == 0 &&
              i / (n / 8) < 8)
            all.come();
        };
        for (int k = 0; k <= 30; ++k) {
          heavy = k == 30;
          if (heavy) until_somebody_waits();
          sennit::parallel_for(0, n, body);
        }
      }
    }
  });
}

// One place of the call, so that one memory.
[[gnu::noinline]] void fill(std::vector<std::uint64_t>& numbers, const std::vector<std::uint64_t>& steps) {
  sennit::parallel_for(std::size_t{0}, steps.size(),
                       [out = numbers.data(), count = steps.data()](std::size_t i) {
                         std::uint64_t x = i;
                         for (std::uint64_t k = 0; k < count[i]; ++k)
                           x = (x ^ (x >> 1)) + 0x9e3779b97f4a7c15U;
                         out[i] = x;
                       });
}

// Catches: a loop that the compiler sees through and that was brief once, and so is run whole beside workers that wait, for
// good: that it has become long is never learned. Then nobody ever steals of it.
TEST(loops_sharing, seen_iterations_that_become_long) {
  std::vector<std::uint64_t> numbers(100);
  for (const std::size_t n : {std::size_t{8}, std::size_t{64}, numbers.size()}) {
    for (const std::size_t first_long : {std::size_t{0}, n - 4}) {
      eight().run([&] {
        std::vector<std::uint64_t> steps(n, 1);
        for (int i = 0; i < 500; ++i) fill(numbers, steps);
        std::fill(steps.begin() + static_cast<std::ptrdiff_t>(first_long), steps.end(), 100'000);
        const std::uint64_t before = eight().statistics().steals;
        while (eight().statistics().steals == before) fill(numbers, steps);
      });
    }
  }
}

// Catches: a body that takes whole chunks, and was brief once: a strand that claims all that is left of its part at once, though
// the first iteration took long. Then two strands have all of the loop.
TEST(loops_sharing, whole_chunks_that_become_long) {
  sennit::runtime rt({.workers = 4});
  rt.run([] {
    std::atomic<int> under_way{0};
    std::atomic<int> most{0};
    bool heavy = false;
    const auto body = [&](int from, int to) {
      if (!heavy) return;
      most = std::max(most.load(), ++under_way);
      std::this_thread::sleep_for(std::chrono::milliseconds(to - from));
      --under_way;
    };
    for (int k = 0; k <= 2000; ++k) {
      heavy = k == 2000;
      sennit::parallel_for(0, 200, body);
    }
    EXPECT_GE(most, 3);
  });
}

// Catches: heavy iterations side by side among light ones, claimed as one chunk that nobody can cut.
TEST(loops_sharing, heavy_neighbors) {
  eight().run([] {
    for (const int at : {0, 1, 7, 40, 63, 64, 70, 5000, 99'992}) {
      meeting all(many);
      until_somebody_waits();
      sennit::parallel_for(0, 100'000, [&](int i) {
        if (at <= i && i < at + 8) all.come();
      });
    }
  });
}

// Catches: a worker that begins to wait after a short loop has begun, and waits for the end of it.
TEST(loops_sharing, workers_that_come_late) {
  for (int round = 0; round < 20; ++round) {
    eight().run([&] {
      meeting busy(many);
      std::atomic<bool> begun{false};
      meeting all(many);
      sennit::task_group others;
      for (unsigned i = 1; i < many; ++i) {
        others.spawn([&] {
          busy.come();
          while (!begun.load()) std::this_thread::yield();
        });
      }
      busy.come();
      // Nobody waits as this begins: all of it can be had after an iteration that somebody has come in to stay.
      std::atomic<bool> shared{false};
      const auto beginner = std::this_thread::get_id();
      sennit::parallel_for(0, 40, [&](int i) {
        begun.store(true);
        if (std::this_thread::get_id() != beginner) shared = true;
        if (i < 32) {
          while (!sennit::detail::any_gate_shut() && !shared.load()) std::this_thread::yield();
        }
        if (i >= 32) all.come();
      });
      others.wait();
    });
  }
}

// Catches: algorithms that are not cut as plain loops are.
TEST(loops_sharing, algorithms) {
  constexpr int n = 640;
  std::vector<int> in(n, 1);
  std::vector<int> out(n);
  for (int round = 0; round < 5; ++round) {
    eight().run([&] {
      {
        meeting all(many);
        until_somebody_waits();
        EXPECT_EQ(sennit::parallel_reduce(0, n, 0L,
                                          [&](int i) {
                                            if (300 <= i && i < 308) all.come();
                                            return 1L;
                                          }),
                  n);
      }
      {
        meeting all(many);
        std::iota(in.begin(), in.end(), 0);
        until_somebody_waits();
        sennit::parallel_transform(in, out, [&](int i) {
          if (i < 8) all.come();
          return 2 * i;
        });
        for (int i = 0; i < n; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], 2 * i);
      }
      {
        meeting all(many);
        until_somebody_waits();
        sennit::parallel_for_nest({20, 32}, [&](auto i, auto j) {
          if (i == 7 && 10 <= j && j < 18) all.come();
        });
      }
      {
        meeting all(many);
        until_somebody_waits();
        sennit::parallel_for_nest(
            {16, 16},
            [&](auto i, auto j) {
              if (i == j && i < 8) all.come();
            },
            sennit::tiled(4));
      }
    });
  }
}

// Catches: long rows of tiles, run as one because there are many tiles.
TEST(loops_sharing, rows_of_tiles) {
  eight().run([] {
    meeting all(many);
    until_somebody_waits();
    sennit::parallel_for_nest(
        {256, 256},
        [&](auto i, auto j) {
          if (i == 5 && 100 <= j && j < 108) all.come();
        },
        sennit::tiled(2, 256));
  });
}

// Catches: a loop that is short, or was so before, and goes on in a cancelled region.
TEST(loops_sharing, a_cancelled_loop_ends) {
  for (const int n : {8, 64, 1000}) {
    std::atomic<int> ran{0};
    eight().run([&] {
      std::atomic<bool> cancelling{false};
      std::atomic<bool> cancelled{false};
      sennit::region region;
      const auto body = [&](int i) {
        if (!cancelling.load()) return;
        if (i == 0) {
          region.cancel();
          cancelled = true;
        }
        while (!cancelled.load()) std::this_thread::yield();
        ++ran;
      };
      region.run([&] {
        for (int k = 0; k <= 300; ++k) {
          cancelling = k == 300;
          sennit::parallel_for(0, n, body);
        }
      });
    });
    EXPECT_GE(ran.load(), 1) << n;
    EXPECT_LE(ran.load(), static_cast<int>(many)) << n;
  }
}

// Catches: the bound of heartbeats that does not hold for a loop which was short before.
TEST(loops_sharing, between_beats) {
  sennit::runtime rt({.workers = 4, .promotion = sennit::heartbeat(std::chrono::microseconds(100))});
  rt.run([] {
    for (int round = 0; round < 5; ++round) {
      meeting all(4);
      place = &all;
      for (int i = 0; i < 300; ++i) sennit::parallel_for(0, 4, &nothing);
      until_somebody_waits();
      sennit::parallel_for(0, 4, &meet);
    }
  });
}

// Catches: the same with fences in the place of barriers.
TEST(loops_sharing, with_fences) {
  sennit::runtime rt({.workers = 4, .barrier = sennit::steal_barrier::fence});
  rt.run([] {
    for (int round = 0; round < 5; ++round) {
      for (const int at : {0, 40, 5000}) {
        meeting all(4);
        until_somebody_waits();
        sennit::parallel_for(0, 10'000, [&](int i) {
          if (at <= i && i < at + 4) all.come();
        });
      }
    }
  });
}

// Catches: a loop that finds no room in the deque, is put there as it is asked for more, and is never retired: the join around it takes
// a branch for its own that has run elsewhere.
TEST(loops_sharing, in_a_full_deque) {
  constexpr int slots = 65536 / 48;
  sennit::runtime rt({.workers = 3, .stack_bytes = 65536});
  for (int round = 0; round < (SENNIT_TSAN ? 1 : 3); ++round) {
    std::atomic<int> ran{0};
    std::atomic<int> iterations{0};
    rt.run([&] {
      const auto* const bottom = sennit::detail::load_tail();
      const unsigned worker = sennit::worker_index();
      const auto wait_for = [](const std::atomic<int>& count, int n) {
        while (count.load() < n) std::this_thread::yield();
      };
      sennit::task_group group;
      std::atomic<int> ended{0};
      // All are taken at the head, and none is popped at the tail.
      for (int i = 1; i < slots; ++i) {
        group.spawn([&] { ++ended; });
        wait_for(ended, i);
      }
      sennit::join(
          [&] {
            wait_for(ran, 1);
            const auto* const before = sennit::detail::load_tail();
            sennit::parallel_for(
                1000,
                [&](int) {
                  ++iterations;
                  for (int i = 0; i < 2000; ++i) asm volatile("");
                },
                sennit::loop_options{.grain = 10});
            // All older frames have left: the deque is as it was, or has begun anew.
            const auto* const after = sennit::detail::load_tail();
            EXPECT_TRUE(worker != sennit::worker_index() || after == before || after == bottom);
          },
          [&] { ++ran; });
      group.wait();
    });
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(iterations, 1000);
  }
}

}  // namespace
