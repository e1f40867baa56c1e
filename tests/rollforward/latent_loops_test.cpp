// SPDX-License-Identifier: Apache-2.0
// Loops and calls that are latent give away what they should at beats, and mean what their serial elision means.
#include "tests/rollforward/beats.hpp"

#include <sennit/beats.hpp>
#include <sennit/join.hpp>
#include <sennit/latent_for.hpp>
#include <sennit/latent_join.hpp>
#include <sennit/latent_reduce.hpp>
#include <sennit/reducer.hpp>
#include <sennit/region.hpp>
#include <sennit/runtime.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#define NOINLINE [[gnu::noinline]]

namespace {

using test::beat;

class latent_loops : public test::beating {
 protected:
  // On a strand, whose thread lets beats through.
  template <class F>
  static void on_strand(F&& f) {
    sennit::join(
        [&] {
          test::let_beats_through();
          f();
        },
        [] {});
  }
};

// Catches iterations that are done twice or not at all, whatever the form of the loop is.
TEST_F(latent_loops, each_iteration_runs_once) {
  on_strand([] {
    for (const int n : {0, 1, 2, 3, 64, 1000, 5000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(n));
      sennit::latent_for(n, [&](int i) {
        if (i % 7 == 0) beat();
        ++done[static_cast<std::size_t>(i)];
      });
      sennit::latent_for(-n, 0, [&](int i) {
        if (i % 5 == 0) beat();
        ++done[static_cast<std::size_t>(-i - 1)];
      });
      sennit::latent_for(done, [&](std::atomic<int>& each) {
        beat();
        ++each;
      });
      sennit::latent_for(done.begin(), done.end(), [](std::atomic<int>& each) { ++each; });
      for (const auto& each : done) EXPECT_EQ(each, 4);
    }
  });
  EXPECT_GT(test::placed, 0);
}

// Catches an order that is lost where a part is combined, and a first value that counts twice.
TEST_F(latent_loops, a_reduction_is_in_order) {
  on_strand([] {
    std::string expected = "<";
    for (int i = 0; i < 3000; ++i) expected += static_cast<char>('a' + i % 26);
    const std::string found = sennit::latent_reduce(0, 3000, std::string("<"), [](int i) {
      if (i % 11 == 0) beat();
      return std::string(1, static_cast<char>('a' + i % 26));
    });
    EXPECT_EQ(found, expected);
    EXPECT_EQ(sennit::latent_reduce(3, 3, 17L, [](int i) { return long{i}; }), 17);
  });
}

// Catches a loop outside of a region that is split inside of it: its part is dropped with the region, or still open at its end.
TEST_F(latent_loops, a_beat_in_a_region_splits_no_loop_around) {
  on_strand([] {
    std::atomic<int> sum{0};
    sennit::latent_for(20, [&](int, sennit::latent& rest) {
      test::let_beats_through();
      const std::size_t end = rest.last();
      sennit::region inner;
      try {
        inner.run([&] {
          inner.cancel();
          beat();
          sennit::latent_for(1, [&](int) { ++sum; }, rest);
        });
      } catch (const sennit::cancelled&) {
      }
      EXPECT_EQ(rest.last(), end);
    });
    EXPECT_EQ(sum, 20);
  });
}

// Catches what the second half of a loop adds to a reducer, before what the first half adds behind the beat.
TEST_F(latent_loops, reducers_keep_the_serial_order) {
  std::vector<int> expected;
  for (int i = 0; i < 1000; ++i) expected.push_back(i);
  const auto append = [](std::vector<int>& left, std::vector<int>&& right) {
    left.insert(left.end(), right.begin(), right.end());
  };
  for (const unsigned workers : {1U, 3U}) {
    sennit::runtime runtime({.workers = workers});
    runtime.run([&] {
      test::let_beats_through();
      sennit::reducer loop(std::vector<int>(), append);
      sennit::latent_for(1000, [&](int i) {
        if (i % 9 == 0) beat();
        loop->push_back(i);
      });
      EXPECT_EQ(loop.value(), expected);
      sennit::reducer nest(std::vector<int>(), append);
      sennit::latent_for(10, [&](int i, sennit::latent& rest) {
        sennit::latent_for(
            i * 100, i * 100 + 100,
            [&](int j) {
              if (j % 9 == 0) beat();
              nest->push_back(j);
            },
            rest);
      });
      EXPECT_EQ(nest.value(), expected);
      sennit::reducer reduction(std::vector<int>(), append);
      sennit::latent_reduce(0, 1000, 0, [&](int i) {
        if (i % 9 == 0) beat();
        reduction->push_back(i);
        return i;
      });
      EXPECT_EQ(reduction.value(), expected);
    });
  }
}

// Catches an inner loop that is split while the outer one has rows left.
TEST_F(latent_loops, the_outermost_loop_is_split_first) {
  on_strand([] {
    std::atomic<int> split{0};
    sennit::latent_for(8, [&](int, sennit::latent& rest) {
      test::let_beats_through();  // a task may be another thread's
      const bool was_last = rest.empty();
      const std::size_t end = rest.last();
      sennit::latent_for(
          4096,
          [](int j) {
            if (j == 100) beat();
          },
          rest);
      if (was_last) return;
      EXPECT_LT(rest.last(), end);
      ++split;
    });
    EXPECT_GT(split, 0);
  });
}

// Catches another exception than that of the lowest iteration, and tasks that outlive the loop.
TEST_F(latent_loops, the_lowest_iteration_throws) {
  on_strand([] {
    for (int from = 0; from < 2000; from += 97) {
      std::atomic<int> inside{0};
      try {
        sennit::latent_for(2000, [&](int i) {
          ++inside;
          if (i % 13 == 0) beat();
          --inside;
          if (i >= from && i % 3 == 0) throw i;
        });
        ADD_FAILURE() << "nothing was thrown";
      } catch (const int thrown) {
        EXPECT_EQ(thrown, (from + 2) / 3 * 3);
        EXPECT_EQ(inside, 0);
      }
      EXPECT_THROW(sennit::latent_reduce(0, 2000, 0L,
                                         [&](int i) -> long {
                                           if (i % 17 == 0) beat();
                                           if (i >= from) throw std::runtime_error("as asked");
                                           return i;
                                         }),
                   std::runtime_error);
    }
  });
}

// A nest as generated: a loop of loops, reductions and leaves. Each leaf adds to a sum that depends on its place.
struct shape {
  int kind;  // 0: leaf, 1: loop, 2: reduction, 3: join
  int length;
  std::vector<shape> children;
};

shape random_shape(std::mt19937& random, int depth) {
  const int kind = depth == 0 ? 0 : static_cast<int>(random() % 4);
  shape made{kind, static_cast<int>(random() % (depth > 2 ? 9 : 40)), {}};
  if (kind != 0) made.children.push_back(random_shape(random, depth - 1));
  if (kind == 3) made.children.push_back(random_shape(random, depth - 1));
  return made;
}

std::uint64_t leaf(std::uint64_t place, int length) {
  std::uint64_t sum = place;
  for (int i = 0; i < length; ++i) sum = sum * 6364136223846793005U + 1442695040888963407U;
  return sum;
}

std::uint64_t serially(const shape& s, std::uint64_t place) {
  if (s.kind == 0) return leaf(place, s.length);
  if (s.kind == 3) return serially(s.children[0], place * 3) ^ serially(s.children[1], place * 3 + 1);
  std::uint64_t sum = 0;
  for (int i = 0; i < s.length; ++i)
    sum += serially(s.children[0], place * 31 + static_cast<std::uint64_t>(i));
  return sum;
}

NOINLINE std::uint64_t latently(const shape& s, std::uint64_t place, sennit::latent* around) {
  const shape* const inner = s.children.data();
  if (s.kind == 0) return leaf(place, s.length);
  if (s.kind == 3) {
    const auto [a, b] = sennit::latent_join([=] { return latently(inner[0], place * 3, around); },
                                            [=] { return latently(inner[1], place * 3 + 1, nullptr); });
    return a ^ b;
  }
  const auto one = [=](int i, sennit::latent& rest) {
    return latently(*inner, place * 31 + static_cast<std::uint64_t>(i), &rest);
  };
  if (s.kind == 2) {
    if (around == nullptr) return sennit::latent_reduce(0, s.length, std::uint64_t{0}, one);
    return sennit::latent_reduce(0, s.length, std::uint64_t{0}, one, std::plus<>(), *around);
  }
  std::atomic<std::uint64_t> sum{0};
  const auto body = [&](int i, sennit::latent& rest) { sum += one(i, rest); };
  if (around == nullptr) {
    sennit::latent_for(s.length, body);
  } else {
    sennit::latent_for(s.length, body, *around);
  }
  return sum;
}

// Catches a nest that is not what its serial elision is, wherever beats come, on one worker and on several.
TEST_F(latent_loops, any_nest_means_its_serial_elision) {
  for (const unsigned workers : {1U, 3U}) {
    sennit::runtime runtime({.workers = workers});
    runtime.run([] {
      test::let_beats_through();
      std::mt19937 random(17);
      // In ns. With AddressSanitizer a handler takes about 20 us, and the next signal is pending when it ends: the program would go on by
      // some instructions a beat. This timer does not lengthen its period, as the library's beats do.
      const test::metronome beats(SENNIT_ASAN ? 200'000 : 20'000);
      for (int trial = 0; trial < 150; ++trial) {
        const shape s = random_shape(random, 4);
        EXPECT_EQ(latently(s, 1, nullptr), serially(s, 1)) << "trial " << trial;
      }
    });
  }
  EXPECT_GT(test::placed, 0);
}

// Catches beats that leave no time for the program, because they cost as much as their period.
TEST_F(latent_loops, a_short_period_leaves_time_for_the_program) {
  using clock = std::chrono::steady_clock;
  sennit::runtime runtime({.workers = 2});
  const sennit::beats beating(
      {.period = std::chrono::microseconds(20), .in = &runtime, .calling_thread = true});
  const auto begin = clock::now();
  runtime.run([] {
    std::mt19937 random(17);
    for (int trial = 0; trial < 150; ++trial) {
      const shape s = random_shape(random, 4);
      EXPECT_EQ(latently(s, 1, nullptr), serially(s, 1)) << "trial " << trial;
    }
  });
  EXPECT_LT(clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
