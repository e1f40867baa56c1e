// SPDX-License-Identifier: Apache-2.0
// The wavefront on small trees, against what depends on what in them.
#include "seeds.hpp"
#include "splice/wavefront.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/runtime.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {

using sennit::effects;
using sennit::memory_range;
using sennit::range;
using sennit::detail::splice_log;
using sennit::detail::wavefront;
using sennit_test::for_seeds;

// What the step of an element touches: those of an array that are no farther than `reach` from the element, moved by `shift`.
struct access {
  unsigned array;
  std::int64_t shift;
  std::int64_t reach;
  bool written;
};

struct place {
  std::uint32_t tree;
  std::int64_t at;
  friend auto operator<=>(const place&, const place&) = default;
};

// Trees over as many elements each.
struct sweeps {
  std::int64_t size;
  std::int64_t block;
  std::vector<std::vector<access>> trees;
  std::vector<place> failures{};  // the steps that these are in throw

  std::uint32_t count() const { return static_cast<std::uint32_t>(trees.size()); }
};

constexpr std::int64_t margin = 100;
constexpr std::size_t array_size = 512;
const double arrays[3][array_size] = {};

effects effects_of(const sweeps& s, std::uint32_t tree, range r) {
  effects all;
  for (const access& a : s.trees[tree]) {
    const range touched = range{r.first + margin + a.shift, r.last + margin + a.shift}.grown(a.reach);
    if (a.written) {
      all += effects(sennit::writes(memory_range(arrays[a.array], touched)));
    } else {
      all += effects(sennit::reads(memory_range(arrays[a.array], touched)));
    }
  }
  return all;
}

// Each reads what the one before it has written, and writes the other one of two arrays.
sweeps stencil(std::uint32_t count, std::int64_t size, std::int64_t block, std::int64_t reach) {
  sweeps s{.size = size, .block = block, .trees = {}};
  for (unsigned t = 0; t < count; ++t)
    s.trees.push_back({{t % 2, 0, reach, false}, {(t + 1) % 2, 0, 0, true}});
  return s;
}

sweeps any_sweeps(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
  sweeps s{.size = 1 + below(120), .block = 1 + below(3), .trees = {}};
  for (std::int64_t t = 2 + below(6); t > 0; --t) {
    std::vector<access>& tree = s.trees.emplace_back();
    for (std::int64_t n = 1 + below(3); n > 0; --n) {
      tree.push_back({static_cast<unsigned>(below(3)), below(4) == 0 ? below(81) - 40 : below(5) - 2,
                      below(3), below(2) == 0});
    }
  }
  return s;
}

struct step {
  std::uint32_t tree;
  range part;
};

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
    for (const place& f : all->failures) {
      if (f.tree == tree && r.first <= f.at && f.at < r.last) throw f;
    }
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
  std::optional<place> thrown;
  std::size_t noted = 0;
};

outcome run(const sweeps& s, unsigned workers, bool logged) {
  using tree = sennit::divided<range, sweep_effects, sweep_step>;
  outcome result;
  std::vector<tree> trees;
  for (std::uint32_t t = 0; t < s.count(); ++t) {
    trees.push_back({range{0, s.size}, s.block, {&s, t}, {&s, t, &result.done}});
  }
  const sennit::detail::forest forest = sennit::detail::forest_of(trees.data());
  wavefront front(forest, 0, s.count());
  result.suits = front.unsuitable() == sennit::splice_reason::none;
  sennit::splice_report report;
  forked_log log;
  try {
    front.run(logged ? &log : nullptr, workers, report);
    EXPECT_EQ(report.steps, result.done.size());
  } catch (const place& failure) {
    result.thrown = failure;
  }
  result.noted = log.all_notes();
  return result;
}

// What depends on each other in the order of the program.
void expect_in_order(const sweeps& s, const outcome& o) {
  std::vector<effects> all;
  for (const step& d : o.done) all.push_back(effects_of(s, d.tree, d.part));
  for (std::size_t i = 0; i < o.done.size(); ++i) {
    for (std::size_t j = i + 1; j < o.done.size(); ++j) {
      if (place{o.done[i].tree, o.done[i].part.first} < place{o.done[j].tree, o.done[j].part.first}) continue;
      EXPECT_FALSE(all[i].interferes(all[j]))
          << o.done[i].tree << " at " << o.done[i].part.first << " before " << o.done[j].tree << " at "
          << o.done[j].part.first;
    }
  }
}

// Each step before the first failure once, none twice, and none that depends on a step that failed. One strand alone runs nothing
// of a tree behind its failure.
void expect_done(const sweeps& s, const outcome& o, bool alone) {
  std::vector<std::vector<int>> done(s.count(), std::vector<int>(static_cast<std::size_t>(s.size)));
  for (const step& d : o.done) {
    for (std::int64_t x = d.part.first; x < d.part.last; ++x) ++done[d.tree][static_cast<std::size_t>(x)];
  }
  const place first = s.failures.empty() ? place{s.count(), 0} : *std::ranges::min_element(s.failures);
  for (std::uint32_t t = 0; t < s.count(); ++t) {
    for (std::int64_t x = 0; x < s.size; ++x) {
      const int times = done[t][static_cast<std::size_t>(x)];
      EXPECT_LE(times, 1) << t << " at " << x;
      if (place{t, x} < first) {
        EXPECT_EQ(times, 1) << t << " at " << x;
      } else if (t == first.tree && alone) {
        EXPECT_EQ(times, 0) << t << " at " << x;
      }
    }
  }
  if (s.failures.empty()) return;
  EXPECT_TRUE(o.thrown == first) << "thrown: " << (o.thrown ? o.thrown->tree : s.count());
  const effects failed = effects_of(s, first.tree, range{first.at, first.at + 1});
  for (const step& later : o.done) {
    if (place{later.tree, later.part.first} < first) continue;
    EXPECT_FALSE(failed.interferes(effects_of(s, later.tree, later.part)))
        << later.tree << " at " << later.part.first;
  }
}

// By a single strand, by strands that take over what is left to the left, and by such as meet at their ends.
void expect_right(const sweeps& s) {
  for (const unsigned workers : {1U, 2U, 8U}) {
    for (const bool logged : {false, true}) {
      SCOPED_TRACE(std::to_string(workers) + (logged ? " workers, logged" : " workers"));
      const outcome o = run(s, workers, logged);
      expect_in_order(s, o);
      expect_done(s, o, workers == 1);
      EXPECT_EQ(o.noted, logged ? o.done.size() : 0U);
    }
  }
}

// Catches a step that is run before what it depends on, twice, or never.
TEST(wavefront, runs_each_step_after_all_that_it_depends_on) {
  for_seeds(150, [](std::mt19937& random) { expect_right(any_sweeps(random)); });
}

// Catches the same in what wavefronts are for.
TEST(wavefront, runs_stencils) {
  sennit::runtime rt({.workers = 1});
  rt.run([] {
    for (const std::uint32_t count : {1U, 2U, 5U}) {
      for (const std::int64_t reach : {0, 1, 5}) {
        for (const std::int64_t block : {1, 3}) expect_right(stencil(count, 64, block, reach));
      }
    }
  });
}

// Catches steps of one sweep that are all run before the next one begins: that is no front.
TEST(wavefront, goes_through_all_trees_together) {
  const sweeps s = stencil(4, 256, 4, 1);
  const outcome o = run(s, 1, false);
  EXPECT_TRUE(o.suits);
  std::int64_t front[4] = {};
  for (const step& d : o.done) {
    front[d.tree] = d.part.last;
    for (int t = 1; t < 4; ++t) EXPECT_LE(front[t - 1] - front[t], 16);
  }
}

// Catches a failure that comes too early for what is before it in the program, too late for what depends on it, or instead of
// one before it.
TEST(wavefront, does_what_is_before_a_failure_and_nothing_that_depends_on_it) {
  for_seeds(150, [](std::mt19937& random) {
    sweeps s = random() % 2 == 0 ? stencil(4, 64, 1, 1) : any_sweeps(random);
    s.block = 1;
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
      s.failures.push_back({static_cast<std::uint32_t>(random() % s.count()),
                            static_cast<std::int64_t>(random() % static_cast<unsigned>(s.size))});
    }
    expect_right(s);
  });
}

}  // namespace
