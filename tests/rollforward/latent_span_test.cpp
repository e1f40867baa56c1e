// SPDX-License-Identifier: Apache-2.0
// The span of nested loops that latent_range splits, in simulated time: a beat comes after so many steps of a strand, and a
// promotion takes as long as some of them. Heartbeat scheduling bounds the span by 1 + beat / promotion times that of the program
// that forks wherever it can.
#include <sennit/latent_range.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace {

using sennit::latent;
using sennit::latent_range;

struct timing {
  std::uint64_t beat;
  std::uint64_t promotion;
};

class simulation {
 public:
  // `linked`: whether loops know the loops around them.
  simulation(std::vector<std::size_t> sizes, timing with, bool linked)
      : sizes_(std::move(sizes)), with_(with), linked_(linked) {}

  void run() {
    strands_.push_back({0, 0, sizes_[0], 0});
    while (!strands_.empty()) {
      const strand s = strands_.back();
      strands_.pop_back();
      now_ = beaten_ = s.begin;
      loop(s.level, s.first, s.last, nullptr);
      span_ = std::max(span_, now_);
    }
  }

  std::uint64_t span() const { return span_; }
  std::uint64_t work() const { return work_; }

  // If each loop is a balanced tree of forks.
  std::uint64_t parallel_span() const {
    std::uint64_t span = 1;
    for (const std::size_t n : sizes_)
      span += static_cast<std::uint64_t>(std::bit_width(n)) * with_.promotion;
    return span;
  }

 private:
  struct strand {
    std::size_t level;
    std::size_t first;
    std::size_t last;
    std::uint64_t begin;
  };

  void loop(std::size_t level, std::size_t first, std::size_t last, latent* around) {
    for (std::size_t i = first; i < last; ++i) {
      latent_range rest(
          linked_ ? around : nullptr, i + 1, last,
          [this, level](std::size_t from, std::size_t to) { strands_.push_back({level, from, to, now_}); });
      if (level + 1 == sizes_.size()) {
        step(rest);
      } else {
        loop(level + 1, 0, sizes_[level + 1], &rest);
      }
      last = rest.last();
    }
  }

  void step(latent& innermost) {
    ++now_;
    ++work_;
    if (now_ - beaten_ < with_.beat) return;
    now_ += with_.promotion;
    innermost.promote();
    beaten_ = now_;
  }

  const std::vector<std::size_t> sizes_;
  const timing with_;
  const bool linked_;
  std::vector<strand> strands_;
  std::uint64_t now_ = 0;  // on the strand that runs
  std::uint64_t beaten_ = 0;
  std::uint64_t span_ = 0;
  std::uint64_t work_ = 0;
};

std::vector<std::size_t> sizes_of(std::uint64_t seed) {
  constexpr std::size_t most[] = {20000, 150, 30, 12};
  std::mt19937_64 random(seed);
  std::vector<std::size_t> sizes(1 + seed % 4);
  const std::size_t limit = most[sizes.size() - 1];
  for (std::size_t& n : sizes) n = limit / 2 + random() % (limit / 2);
  return sizes;
}

constexpr timing timings[] = {{10, 10}, {20, 10}, {50, 10}, {200, 10}, {100, 3}};

// Catches a promotion of another loop than the outermost one, or of less than half of it.
TEST(rollforward_latent_span, keeps_the_bound) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (const timing with : timings) {
      simulation s(sizes_of(seed), with, true);
      s.run();
      std::uint64_t steps = 1;
      for (const std::size_t n : sizes_of(seed)) steps *= n;
      EXPECT_EQ(s.work(), steps);
      EXPECT_LE(with.promotion * s.span(), (with.promotion + with.beat) * s.parallel_span())
          << "seed " << seed << ", beat " << with.beat << ", promotion " << with.promotion;
    }
  }
}

// Shows that the test above can fail.
TEST(rollforward_latent_span, of_innermost_loops_breaks_the_bound) {
  for (std::uint64_t seed = 1; seed < 40; seed += 4) {  // two loops
    simulation s(sizes_of(seed), {20, 10}, false);
    s.run();
    EXPECT_GT(10 * s.span(), (10 + 20) * s.parallel_span()) << "seed " << seed;
  }
}

}  // namespace
