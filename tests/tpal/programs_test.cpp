// SPDX-License-Identifier: Apache-2.0
// The programs that come with the command, and random ones: the answer is that of the serial program, whatever the heartbeat,
// the interleaving and the workers.
#include "tests/tpal/loop_nest.hpp"
#include "tests/tpal/support.hpp"

#include <cstddef>
#include <numeric>
#include <ostream>

namespace tpal {
namespace {

struct example {
  std::string name;
  std::vector<std::string> inputs;
  std::string expected;
};
void PrintTo(const example& e, std::ostream* out) { *out << e.name; }

std::int64_t fib(std::int64_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

// The steps of each point, with the arithmetic of mandelbrot.tpal.
std::int64_t mandelbrot(std::int64_t width, std::int64_t height, std::int64_t most) {
  const std::int64_t dx = (std::int64_t{3} << 24) / width;
  const std::int64_t dy = (std::int64_t{1} << 25) / height;
  std::int64_t total = 0;
  for (std::int64_t row = 0; row < height; ++row) {
    for (std::int64_t column = 0; column < width; ++column) {
      const std::int64_t cx = column * dx - (1 << 25);
      const std::int64_t cy = (row + 1) * dy - (1 << 24);
      std::int64_t n = 0;
      for (std::int64_t x = 0, y = 0; n < most; ++n) {
        const std::int64_t xx = (x * x) >> 24;
        const std::int64_t yy = (y * y) >> 24;
        if (xx + yy > (1 << 26)) break;
        y = ((x * y) >> 23) + cy;
        x = xx - yy + cx;
      }
      total += n;
    }
  }
  return total;
}

std::vector<example> examples() {
  return {
      {"prod", {"a=0", "b=9"}, "c = 0\n"},
      {"prod", {"a=321", "b=-9"}, "c = -2889\n"},
      {"pow", {"b=7", "e=0"}, "p = 1\n"},
      {"pow", {"b=3", "e=7"}, "p = 2187\n"},
      {"pow", {"b=2", "e=9"}, "p = 512\n"},
      {"fib", {"n=1"}, "f = 1\n"},
      {"fib", {"n=14"}, fmt::format("f = {}\n", fib(14))},
      {"plus-reduce", {}, "s = 500500\n"},
      {"plus-reduce", {"xs=5"}, "s = 5\n"},
      {"spmv", {}, "y = 91, 23, 39, 59, 83, 111\n"},
      // One long row, which only the inner loop can split.
      {"spmv",
       {"rows=0,200", "col=0..199", "a=1..200", "x=1..200"},
       fmt::format("y = 2686700{}\n",
                   [] {
                     std::string zeros;
                     for (int i = 1; i < 200; ++i) zeros += ", 0";
                     return zeros;
                   }())},
      {"mandelbrot", {"width=16", "height=9", "most=30"}, fmt::format("total = {}\n", mandelbrot(16, 9, 30))},
  };
}

class Programs : public testing::TestWithParam<example> {
 protected:
  const image start = loaded_file(GetParam().name, GetParam().inputs);
};

TEST_P(Programs, HaveKnownAnswers) { EXPECT_EQ(answer(start, beating({})), GetParam().expected); }

// Catches lost and doubled iterations, wrong combinations, marks in the wrong order, and all that depends on who is first.
TEST_P(Programs, AnswerAlikeWhateverTheHeartAndTheInterleaving) {
  for (const std::uint64_t heart : {0U, 1U, 2U, 3U, 10U, 30U, 100U, 1000U}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      EXPECT_EQ(answer(start, beating(heart, seed)), GetParam().expected)
          << "heart " << heart << ", seed " << seed;
    }
  }
}

TEST_P(Programs, AnswerAlikeOnWorkers) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    for (const std::uint64_t heart : {0U, 3U, 50U}) {
      EXPECT_EQ(outputs(start, run_on_workers(start, beating(heart), workers)), GetParam().expected)
          << "heart " << heart << ", workers " << workers;
    }
  }
}

// Catches annotations that change anything but where a beat leads: without them the program executes, instruction by
// instruction, what it executes when no beat is taken.
TEST_P(Programs, AreSerialWithoutAnnotations) {
  image bare = start;
  for (block& b : bare.code.blocks) b.note = {};
  const result serial = run(start, beating({}));
  const result stripped = run(bare, beating(5));
  EXPECT_EQ(outputs(bare, stripped), outputs(start, serial));
  EXPECT_EQ(stripped.done.work, serial.done.work);
  EXPECT_EQ(stripped.span, stripped.done.work);
  EXPECT_EQ(stripped.done.beats, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, Programs, testing::ValuesIn(examples()), [](const auto& info) {
  std::string name = info.param.name + std::to_string(info.index);
  std::erase(name, '-');
  return name;
});

// Catches programs with so much work that they say nothing about parallelism: each one is split, and by much.
TEST(Parallelism, IsThere) {
  const auto parallelism = [](const std::string& name, const std::vector<std::string>& inputs) {
    const result r = run(loaded_file(name, inputs), beating(20));
    return static_cast<double>(r.done.work) / static_cast<double>(r.span);
  };
  EXPECT_GT(parallelism("prod", {"a=2000", "b=1"}), 20);
  EXPECT_GT(parallelism("pow", {"b=2", "e=10"}), 2);
  EXPECT_GT(parallelism("fib", {"n=15"}), 20);
  EXPECT_GT(parallelism("plus-reduce", {}), 10);
  EXPECT_GT(parallelism("spmv", {"rows=0,500", "col=0..499", "a=1..500", "x=1..500"}), 5);
  EXPECT_GT(parallelism("mandelbrot", {}), 20);
}

// Catches a promotion that takes an inner loop while an outer one has iterations left: with the heart that splits a nest once,
// the child gets half of the outer loop, and so half of the work.
TEST(Parallelism, OutermostFirst) {
  const image start = loaded_file("mandelbrot", {"width=64", "height=64", "most=20"});
  const std::uint64_t work = run(start, beating({})).done.work;
  const result r = run(start, beating(work / 3));
  EXPECT_GE(r.done.forks, 1U);
  EXPECT_LT(static_cast<double>(r.span), 0.85 * static_cast<double>(work));
}

class LoopNests : public testing::TestWithParam<std::uint64_t> {};

TEST_P(LoopNests, AnswerAsInCpp) {
  const loop_nest nest = loop_nest::random(GetParam());
  const std::string expected = fmt::format("c = {}\n", nest.expected());
  const image start = loaded(nest.source());
  EXPECT_EQ(answer(start, beating({})), expected);
  for (const std::uint64_t heart : {0U, 2U, 9U, 33U}) {
    EXPECT_EQ(answer(start, beating(heart, GetParam())), expected) << "heart " << heart << "\n"
                                                                   << nest.source();
    EXPECT_EQ(outputs(start, run_on_workers(start, beating(heart), 2)), expected) << "heart " << heart;
  }
}

// Heartbeat scheduling's bounds: where a beat comes after N instructions and a promotion costs t, the work is at most 1 + t/N times
// the serial work, and the span at most 1 + N/t times the span of the program that forks wherever it can. (Acar et al., "Heartbeat
// Scheduling: Provable Efficiency for Nested Parallelism", 2018.)
//
// Catches beats that come too soon, or too late; a promotion of less than half of what is left, or of another loop than the
// outermost one; records whose joins wait in a chain.
TEST_P(LoopNests, KeepTheBoundsOfWorkAndSpan) {
  const loop_nest nest = loop_nest::large(GetParam());
  const image start = loaded(nest.source());
  const std::uint64_t serial = run(start, beating({})).done.work;
  const std::uint64_t cost = nest.promotion_cost();
  for (const std::uint64_t heart : {cost / 2, cost, 2 * cost, 5 * cost, 20 * cost}) {
    const result r = run(start, beating(heart, GetParam()));
    EXPECT_LE(heart * r.done.work, (heart + cost) * serial) << "work, heart " << heart << "\n"
                                                            << nest.source();
    EXPECT_LE(cost * r.span, (cost + heart) * nest.parallel_span()) << "span, heart " << heart << "\n"
                                                                    << nest.source();
  }
}

// Shows that the test above can fail: a beat that meets an inner loop promotes that loop, as if it were the outermost one.
TEST(LoopNestsThatPromoteTheInnermost, DoNotKeepTheBoundOfTheSpan) {
  int broken = 0;
  for (std::uint64_t seed = 1; seed < 24; seed += 4) {  // two loops
    const loop_nest nest = loop_nest::large(seed);
    const image start = loaded(nest.source(loop_nest::promotes::own));
    EXPECT_EQ(answer(start, beating(100)), fmt::format("c = {}\n", nest.expected()));
    const std::uint64_t cost = nest.promotion_cost();
    const result r = run(start, beating(cost, seed));
    broken += cost * r.span > 2 * cost * nest.parallel_span() ? 1 : 0;
  }
  EXPECT_EQ(broken, 6);
}

// The same for a recursion, whose latent calls are marks on its stack.
// Catches promotions that leave most of the calls to one task.
TEST(Recursion, KeepsTheBoundsOfWorkAndSpan) {
  constexpr std::uint64_t n = 20;
  constexpr std::uint64_t cost =
      15 + 7 + 4;                     // the handler; what the child does besides its call; the two joins
  constexpr std::uint64_t call = 16;  // a call without the calls in it
  const image start = loaded_file("fib", {fmt::format("n={}", n)});
  const std::uint64_t serial = run(start, beating({})).done.work;
  for (const std::uint64_t heart : {cost / 2, cost, 2 * cost, 5 * cost, 20 * cost}) {
    const result r = run(start, beating(heart, heart));
    EXPECT_LE(heart * r.done.work, (heart + cost) * serial) << heart;
    EXPECT_LE(cost * r.span, (cost + heart) * n * (call + cost)) << heart;
  }
}

INSTANTIATE_TEST_SUITE_P(Random, LoopNests, testing::Range(std::uint64_t{0}, std::uint64_t{24}));

}  // namespace
}  // namespace tpal
