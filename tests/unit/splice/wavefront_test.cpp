// The wavefront on small trees, against what depends on what in them.
#include "splice/wavefront.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/runtime.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using sennit::effects;
using sennit::memory_range;
using sennit::range;
using sennit::detail::splice_log;
using sennit::detail::wavefront;

// Sweeps over two arrays in turn: each reads `reach` to both sides of what it writes.
struct sweeps {
  std::uint32_t count;
  std::int64_t size;
  std::int64_t block;
  std::int64_t reach;
  std::uint32_t fails = UINT32_MAX;  // this one, where `fails_at` is in the step
  std::int64_t fails_at = -1;
};

struct step {
  std::uint32_t tree;
  range part;
};

const double arrays[2][1024] = {};

effects effects_of(const sweeps& s, std::uint32_t tree, range r) {
  return {sennit::reads(memory_range(arrays[tree % 2], r.grown(s.reach))),
          sennit::writes(memory_range(arrays[(tree + 1) % 2], r))};
}

struct sweep_effects {
  const sweeps* all;
  std::uint32_t tree;
  effects operator()(range r) const { return effects_of(*all, tree, r); }
};

struct sweep_step {
  const sweeps* all;
  std::uint32_t tree;
  std::vector<step>* done;
  void operator()(range r) const {
    if (tree == all->fails && r.first <= all->fails_at && all->fails_at < r.last)
      throw std::runtime_error("sweep");
    done->push_back({tree, r});
  }
};

// A log that has all strands part before they meet.
struct forked_log final : splice_log {
  void note(sennit::detail::spliced_call&) override {}
  void note(std::uint32_t, const void*) override { ++notes; }
  pair fork() override {
    logs.push_back(std::make_unique<forked_log>());
    logs.push_back(std::make_unique<forked_log>());
    return {*logs[logs.size() - 2], *logs.back()};
  }
  std::size_t all_notes() const {
    std::size_t sum = notes;
    for (const auto& log : logs) sum += log->all_notes();
    return sum;
  }
  std::size_t notes = 0;
  std::vector<std::unique_ptr<forked_log>> logs;
};

struct outcome {
  std::vector<step> done;
  bool suits = false;
  bool threw = false;
  std::size_t noted = 0;
};

outcome run(const sweeps& s, unsigned workers, bool logged) {
  using tree = sennit::divided<range, sweep_effects, sweep_step>;
  outcome result;
  std::vector<tree> trees;
  for (std::uint32_t t = 0; t < s.count; ++t) {
    trees.push_back({range{0, s.size}, s.block, {&s, t}, {&s, t, &result.done}});
  }
  const sennit::detail::forest forest = sennit::detail::forest_of(trees.data());
  wavefront front(forest, 0, s.count);
  result.suits = front.suits();
  sennit::splice_report report;
  forked_log log;
  try {
    front.run(logged ? &log : nullptr, workers, report);
  } catch (const std::runtime_error&) {
    result.threw = true;
  }
  EXPECT_EQ(report.steps, result.done.size() + (result.threw ? 1 : 0));
  result.noted = log.all_notes();
  return result;
}

std::string name(const sweeps& s) {
  return std::to_string(s.count) + " sweeps of " + std::to_string(s.size) + " by " + std::to_string(s.block) +
         ", reach " + std::to_string(s.reach);
}

// All steps of the sweeps before the one that fails, and of that one before the failure, each once; and what depends on each
// other in the order of the program. What depends on the step that failed is not run; one strand alone runs nothing of that
// sweep behind it.
void expect_right(const sweeps& s, const outcome& o, bool alone) {
  std::vector<std::vector<bool>> done(s.count, std::vector<bool>(static_cast<std::size_t>(s.size)));
  for (std::size_t i = 0; i < o.done.size(); ++i) {
    const step& later = o.done[i];
    for (std::int64_t x = later.part.first; x < later.part.last; ++x) {
      EXPECT_FALSE(done[later.tree][static_cast<std::size_t>(x)]) << "twice: " << later.tree << " at " << x;
      done[later.tree][static_cast<std::size_t>(x)] = true;
    }
    for (std::size_t j = 0; j < i; ++j) {
      const step& earlier = o.done[j];
      const bool in_order =
          earlier.tree < later.tree || (earlier.tree == later.tree && earlier.part.first < later.part.first);
      if (in_order) continue;
      EXPECT_FALSE(
          effects_of(s, earlier.tree, earlier.part).interferes(effects_of(s, later.tree, later.part)))
          << earlier.tree << " at " << earlier.part.first << " before " << later.tree << " at "
          << later.part.first;
    }
  }
  for (std::uint32_t t = 0; t < s.count && t <= s.fails; ++t) {
    for (std::int64_t x = 0; x < s.size; ++x) {
      if (t < s.fails || x < s.fails_at || alone) {
        EXPECT_EQ(done[t][static_cast<std::size_t>(x)], t < s.fails || x < s.fails_at) << t << " at " << x;
      }
    }
  }
  if (s.fails >= s.count) return;
  const effects failed = effects_of(s, s.fails, range{s.fails_at, s.fails_at + 1});
  for (const step& later : o.done) {
    if (later.tree <= s.fails) continue;
    EXPECT_FALSE(failed.interferes(effects_of(s, later.tree, later.part)))
        << later.tree << " at " << later.part.first;
  }
}

// Catches a step that is run before what it depends on, twice, or never; by a single strand, by strands that meet at once, and
// by such as meet at their ends.
TEST(wavefront, runs_each_step_after_all_that_it_depends_on) {
  sennit::runtime rt({.workers = 1});
  rt.run([] {
    for (const std::uint32_t count : {1U, 2U, 3U, 5U, 9U}) {
      for (const std::int64_t size : {1, 7, 64, 100}) {
        for (const std::int64_t block : {1, 3, 16}) {
          for (const std::int64_t reach : {0, 1, 5}) {
            const sweeps s{.count = count, .size = size, .block = block, .reach = reach};
            SCOPED_TRACE(name(s));
            for (const unsigned workers : {1U, 2U, 8U}) {
              for (const bool logged : {false, true}) {
                const outcome o = run(s, workers, logged);
                expect_right(s, o, workers == 1);
                EXPECT_EQ(o.noted, logged ? o.done.size() : 0U);
                if (testing::Test::HasFailure()) return;
              }
            }
          }
        }
      }
    }
  });
}

// Catches steps of one sweep that are all run before the next one begins: that is no front.
TEST(wavefront, goes_through_all_trees_together) {
  const sweeps s{.count = 4, .size = 256, .block = 4, .reach = 1};
  const outcome o = run(s, 1, false);
  EXPECT_TRUE(o.suits);
  std::size_t first_of_last = 0;
  while (o.done[first_of_last].tree != 3) ++first_of_last;
  EXPECT_LT(first_of_last, 32U);
}

// Catches a failure that comes too early for what is before it in the program, or too late for what is after it.
TEST(wavefront, does_what_is_before_a_failure_and_nothing_of_its_tree_behind_it) {
  sennit::runtime rt({.workers = 1});
  rt.run([] {
    for (std::uint32_t fails = 0; fails < 4; ++fails) {
      for (const std::int64_t at : {0, 1, 31, 32, 50, 63}) {
        const sweeps s{.count = 4, .size = 64, .block = 1, .reach = 1, .fails = fails, .fails_at = at};
        for (const unsigned workers : {1U, 8U}) {
          for (const bool logged : {false, true}) {
            SCOPED_TRACE(name(s) + ", " + std::to_string(fails) + " fails at " + std::to_string(at));
            const outcome o = run(s, workers, logged);
            EXPECT_TRUE(o.threw);
            expect_right(s, o, workers == 1);
            if (testing::Test::HasFailure()) return;
          }
        }
      }
    }
  });
}

}  // namespace
