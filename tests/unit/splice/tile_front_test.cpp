// SPDX-License-Identifier: Apache-2.0
// The front of tiles on small trees, against what depends on what in them.
#include "seeds.hpp"
#include "splice/tile_front.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/runtime.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace {

using sennit::effects;
using sennit::memory_box;
using sennit::range;
using sennit::rectangle;
using sennit::splice_reason;
using sennit::detail::splice_log;
using sennit::detail::tile_front;
using sennit::detail::tiles;
using sennit_test::for_seeds;

// What the step of a tile touches: those of an array that are no farther than `reach` from the tile, moved by
// (down, across).
struct access {
  unsigned array;
  std::int64_t down;
  std::int64_t across;
  std::int64_t reach;
  bool written;
};

struct place {
  std::uint32_t tree;
  std::int64_t row;
  std::int64_t column;
  friend auto operator<=>(const place&, const place&) = default;
};

// Trees over as many tiles each.
struct sweeps {
  std::int64_t rows;
  std::int64_t columns;
  std::vector<std::vector<access>> trees{};
  // This tile touches another one, too.
  std::optional<place> odd{};
  rectangle odd_touches{};
  unsigned odd_array = 0;
  std::vector<place> failures{};  // the steps that these are throw

  std::uint32_t count() const { return static_cast<std::uint32_t>(trees.size()); }
};

constexpr std::int64_t margin = 20;
constexpr std::int64_t pitch = 128;
const double arrays[3][pitch * pitch] = {};

effects effects_of(const sweeps& s, std::uint32_t tree, const rectangle& r) {
  effects all;
  if (r.size() == 0) return all;
  const auto box = [](unsigned array, rectangle of) {
    return memory_box<2>(arrays[array], {pitch},
                         {range{of.rows.first + margin, of.rows.last + margin},
                          range{of.columns.first + margin, of.columns.last + margin}});
  };
  for (const access& a : s.trees[tree]) {
    const rectangle touched = rectangle{{r.rows.first + a.down, r.rows.last + a.down},
                                        {r.columns.first + a.across, r.columns.last + a.across}}
                                  .grown(a.reach);
    if (a.written) {
      all += effects(sennit::writes(box(a.array, touched)));
    } else {
      all += effects(sennit::reads(box(a.array, touched)));
    }
  }
  if (s.odd && s.odd->tree == tree &&
      rectangle{{s.odd->row, s.odd->row + 1}, {s.odd->column, s.odd->column + 1}}.within(r).size() != 0) {
    all += effects(sennit::writes(box(s.odd_array, s.odd_touches)));
  }
  return all;
}

// Each reads what the one before it has written, and writes the other one of two arrays; all are shifted by as much as they reach.
sweeps stencil(std::uint32_t count, std::int64_t rows, std::int64_t columns, std::int64_t reach) {
  sweeps s{.rows = rows, .columns = columns};
  for (unsigned t = 0; t < count; ++t) {
    const std::int64_t back = -reach * t;
    s.trees.push_back({{t % 2, back, back, reach, false}, {(t + 1) % 2, back, back, 0, true}});
  }
  return s;
}

sweeps any_sweeps(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
  const bool wide = below(3) == 0;
  sweeps s = stencil(static_cast<std::uint32_t>(1 + below(5)), 1 + below(wide ? 7 : 40),
                     1 + below(wide ? 40 : 7), below(3));
  for (auto more = below(3); more > 0; --more) {
    const auto t = static_cast<std::size_t>(below(s.count()));
    s.trees[t].push_back(
        {static_cast<unsigned>(below(3)), below(5) - 4, below(5) - 4, below(2), below(2) == 0});
  }
  if (below(3) == 0) {
    s.odd = {static_cast<std::uint32_t>(below(s.count())), below(static_cast<unsigned>(s.rows)),
             below(static_cast<unsigned>(s.columns))};
    const std::int64_t i = below(static_cast<unsigned>(s.rows));
    const std::int64_t j = below(static_cast<unsigned>(s.columns));
    s.odd_touches = {{i, i + 1}, {j, j + 1}};
  }
  return s;
}

struct step {
  std::uint32_t tree;
  rectangle part;
  place at() const { return {tree, part.rows.first, part.columns.first}; }
};

struct sweep_effects {
  const sweeps* all;
  std::uint32_t tree;
  effects operator()(const tiles& some) const { return effects_of(*all, tree, some.numbers); }
};

struct sweep_step {
  const sweeps* all;
  std::uint32_t tree;
  std::vector<step>* done;
  void operator()(const tiles& some) const {
    const step now{tree, some.numbers};
    for (const place& f : all->failures) {
      if (f == now.at()) throw f;
    }
    done->push_back(now);
  }
};

// A log that has all strands part before they meet.
struct forked_log final : splice_log {
  void note(sennit::detail::spliced_call&) override {}
  void note(std::uint32_t tree, const void* part) override {
    notes.push_back({tree, static_cast<const tiles*>(part)->numbers});
  }
  pair fork() override {
    logs.push_back(std::make_unique<forked_log>());
    logs.push_back(std::make_unique<forked_log>());
    return {*logs[logs.size() - 2], *logs.back()};
  }
  std::vector<step> all_notes() const {
    std::vector<step> all = notes;
    for (const auto& log : logs) {
      const std::vector<step> more = log->all_notes();
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
  // Strands that run at once share nothing.
  void expect_apart(const sweeps& s) const {
    for (std::size_t i = 0; i < logs.size(); i += 2) {
      for (const step& a : logs[i]->all_notes()) {
        for (const step& b : logs[i + 1]->all_notes()) {
          EXPECT_FALSE(effects_of(s, a.tree, a.part).interferes(effects_of(s, b.tree, b.part)))
              << a.tree << " at " << a.part.rows.first << " beside " << b.tree << " at " << b.part.rows.first;
        }
      }
      logs[i]->expect_apart(s);
      logs[i + 1]->expect_apart(s);
    }
  }
  std::vector<step> notes;
  std::vector<std::unique_ptr<forked_log>> logs;
};

struct outcome {
  std::vector<step> done;
  bool suits = false;
  std::optional<place> thrown;
  bool forked = false;
};

outcome run(const sweeps& s, unsigned workers, bool logged) {
  using tree = sennit::divided<tiles, sweep_effects, sweep_step>;
  outcome result;
  std::vector<tree> trees;
  for (std::uint32_t t = 0; t < s.count(); ++t) {
    trees.push_back({{{{0, s.rows}, {0, s.columns}}, 1}, 1, {&s, t}, {&s, t, &result.done}});
  }
  const sennit::detail::forest forest = sennit::detail::forest_of(trees.data());
  tile_front front(forest, 0, s.count());
  result.suits = front.unsuitable() == splice_reason::none;
  if (!result.suits) return result;
  sennit::splice_report report;
  forked_log log;
  try {
    front.run(logged ? &log : nullptr, workers, report);
    EXPECT_EQ(report.steps, result.done.size());
  } catch (const place& failure) {
    result.thrown = failure;
  }
  EXPECT_EQ(log.all_notes().size(), logged ? result.done.size() : 0U);
  log.expect_apart(s);
  result.forked = !log.logs.empty();
  return result;
}

// What depends on each other in the order of the program, where a tree goes row by row.
void expect_in_order(const sweeps& s, const outcome& o) {
  std::vector<effects> all;
  for (const step& d : o.done) all.push_back(effects_of(s, d.tree, d.part));
  for (std::size_t i = 0; i < o.done.size(); ++i) {
    for (std::size_t j = i + 1; j < o.done.size(); ++j) {
      if (o.done[i].at() < o.done[j].at()) continue;
      EXPECT_FALSE(all[i].interferes(all[j]))
          << o.done[i].tree << " at " << o.done[i].part.rows.first << " before " << o.done[j].tree << " at "
          << o.done[j].part.rows.first;
    }
  }
}

// Each step before the first failure once, none twice, and none that depends on a step that failed.
void expect_done(const sweeps& s, const outcome& o) {
  std::vector<place> done;
  for (const step& d : o.done) done.push_back(d.at());
  std::ranges::sort(done);
  EXPECT_TRUE(std::ranges::adjacent_find(done) == done.end()) << "a step was run twice";
  const place first = s.failures.empty() ? place{s.count(), 0, 0} : *std::ranges::min_element(s.failures);
  for (std::uint32_t t = 0; t < s.count(); ++t) {
    for (std::int64_t i = 0; i < s.rows; ++i) {
      for (std::int64_t j = 0; j < s.columns; ++j) {
        if (place{t, i, j} < first) {
          EXPECT_TRUE(std::ranges::binary_search(done, place{t, i, j})) << t << " at " << i;
        }
      }
    }
  }
  if (s.failures.empty()) return;
  EXPECT_TRUE(o.thrown == first) << "thrown: " << (o.thrown ? o.thrown->tree : s.count());
  const effects failed =
      effects_of(s, first.tree, {{first.row, first.row + 1}, {first.column, first.column + 1}});
  for (const step& later : o.done) {
    if (later.at() < first) continue;
    EXPECT_FALSE(failed.interferes(effects_of(s, later.tree, later.part)))
        << later.tree << " at " << later.part.rows.first;
  }
}

// Whether the order of the tiles suits the sweeps. If it does: by a single strand, and by such as meet at their ends.
bool expect_right(const sweeps& s) {
  bool suits = false;
  for (const unsigned workers : {1U, 2U, 8U}) {
    for (const bool logged : {false, true}) {
      SCOPED_TRACE(std::to_string(workers) + (logged ? " workers, logged" : " workers"));
      const outcome o = run(s, workers, logged);
      suits = o.suits;
      if (!suits) continue;
      expect_in_order(s, o);
      expect_done(s, o);
    }
  }
  return suits;
}

// Catches a step that is run before what it depends on or beside it, twice, or never, where single tiles reach farther than others;
// and sweeps that are refused although the order suits them.
TEST(tile_front, runs_each_step_after_all_that_it_depends_on) {
  unsigned suited = 0;
  for_seeds(150, [&](std::mt19937& random) { suited += expect_right(any_sweeps(random)) ? 1 : 0; });
  EXPECT_GT(suited, 35U);
  EXPECT_LT(suited, 150U);
}

// Catches stencils that are refused; lanes that are not walked at once.
TEST(tile_front, runs_stencils_in_lanes) {
  sennit::runtime rt({.workers = 1});
  rt.run([] {
    for (const std::uint32_t count : {1U, 2U, 5U}) {
      for (const std::int64_t reach : {0, 1, 2}) {
        EXPECT_TRUE(expect_right(stencil(count, 40, 5, reach)));
        const sweeps s = stencil(count, 80, 5, reach);
        EXPECT_TRUE(run(s, 2, true).forked);
        EXPECT_FALSE(run(s, 1, true).forked);
      }
    }
  });
}

// Catches wide trees of few rows that one strand walks, though their columns are as good for lanes.
TEST(tile_front, cuts_columns_where_rows_are_few) {
  sennit::runtime rt({.workers = 1});
  rt.run([] {
    for (const std::uint32_t count : {1U, 2U, 5U}) {
      for (const std::int64_t rows : {1, 2, 6}) {
        const sweeps s = stencil(count, rows, 80, 1);
        EXPECT_TRUE(expect_right(s));
        EXPECT_TRUE(run(s, 2, true).forked);
      }
    }
  });
}

// Catches tiles that are refused only where they are compared one by one, and sweeps that are run all the same.
TEST(tile_front, refuses_a_tile_that_needs_a_later_one) {
  sennit::runtime rt({.workers = 1});
  rt.run([] {
    sweeps s = stencil(4, 50, 5, 1);
    s.odd = place{.tree = 2, .row = 20, .column = 2};
    s.odd_touches = {{21, 22}, {2, 3}};
    EXPECT_FALSE(run(s, 1, false).suits) << "a row below";
    s.odd_touches = {{5, 6}, {3, 4}};
    EXPECT_FALSE(run(s, 1, false).suits) << "a column behind";
    s.odd_touches = {{40, 41}, {60, 61}};
    EXPECT_TRUE(expect_right(s)) << "nothing that others use";
  });
}

// Catches a lane that is walked beside the one that has what it needs: far below, in a column that comes earlier.
TEST(tile_front, has_no_lane_that_needs_one_below) {
  sennit::runtime rt({.workers = 1});
  rt.run([] {
    sweeps s = stencil(4, 80, 5, 1);
    EXPECT_TRUE(run(s, 2, true).forked);
    s.trees[0].push_back({2, 0, 0, 0, true});
    s.odd = place{.tree = 2, .row = 20, .column = 4};
    s.odd_touches = {{60, 61}, {1, 2}};
    s.odd_array = 2;
    EXPECT_TRUE(expect_right(s));
    EXPECT_FALSE(run(s, 2, true).forked);
  });
}

// Catches a tree whose tiles depend on one another, and are run in another order than row by row.
TEST(tile_front, refuses_trees_that_need_their_own_order) {
  sennit::runtime rt({.workers = 1});
  rt.run([] {
    sweeps s = stencil(2, 20, 5, 0);
    s.trees[1].push_back({0, -1, 1, 0, false});
    EXPECT_FALSE(run(s, 1, false).suits);
    s.trees[1].back().across = 0;
    EXPECT_TRUE(expect_right(s));
  });
}

// Catches a failure that comes too early for what is before it in the program, too late for what depends on it, or instead of
// one before it.
TEST(tile_front, does_what_is_before_a_failure_and_nothing_that_depends_on_it) {
  for_seeds(80, [](std::mt19937& random) {
    sweeps s = random() % 2 == 0 ? stencil(4, 40, 5, 1) : any_sweeps(random);
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
      s.failures.push_back({static_cast<std::uint32_t>(random() % s.count()),
                            static_cast<std::int64_t>(random() % static_cast<unsigned>(s.rows)),
                            static_cast<std::int64_t>(random() % static_cast<unsigned>(s.columns))});
    }
    expect_right(s);
  });
}

}  // namespace
