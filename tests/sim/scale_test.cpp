// SPDX-License-Identifier: Apache-2.0
// Work, span, burdened span, and what would change, against programs whose answer is known and a naive computation.
#include "scale/scale.hpp"
#include "scale/spans.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>

namespace sennit::sim {
namespace {

constexpr picoseconds us = 1000 * nanosecond;

// Catches: a span that is not the longest path; a fork that adds to the wrong side.
TEST(sim_scale, knows_work_and_span_of_forks) {
  program p;
  const std::uint32_t site = p.site("heat.cpp:1");
  const node_number before = p.work(10 * us, {}, site);
  const node_number fork = p.fork(p.work(30 * us, {}, site), p.work(20 * us, {}, site), site);
  const node_number all[] = {before, fork, before};
  p.set_root(p.series(all));
  const scalability s = scale(p, {.fork = us, .burden = 5 * us});
  EXPECT_EQ(s.all.work, 70 * us);
  EXPECT_EQ(s.all.span, 51 * us);
  EXPECT_EQ(s.burdened_span, 55 * us);
  EXPECT_NEAR(s.all.parallelism(), 70.0 / 51, 1e-9);
}

// Catches: a bound that is not Cilkview's: the table is that of a program which Cilkview printed, with 307,502,918
// instructions of work, 5,866,402 of span and 29,393,897 of burdened span.
TEST(sim_scale, has_the_bounds_of_cilkview) {
  scalability s;
  s.all = {307'502'918, 5'866'402};
  s.burdened_span = 29'393'897;
  EXPECT_NEAR(s.least_speedup(2), 1.72, 0.005);
  EXPECT_NEAR(s.least_speedup(16), 4.65, 0.005);
  EXPECT_NEAR(s.least_speedup(256), 6.03, 0.005);
  EXPECT_EQ(s.most_speedup(2), 2);
  EXPECT_NEAR(s.most_speedup(256), 52.42, 0.005);
  EXPECT_EQ(s.least_speedup(1), 1);
}

// Catches: a loop whose span is that of a strand, or that forks for nothing where iterations are brief.
TEST(sim_scale, halves_uniform_loops) {
  program p;
  const node_number parts[] = {p.each(1024, p.work(1024 * us))};
  p.set_root(p.loop(parts));
  EXPECT_EQ(spans(p, 0).span(), us);
  EXPECT_EQ(spans(p, nanosecond).span(), us + 10 * nanosecond);
  // Halving once more would save less than the fork costs.
  EXPECT_EQ(spans(p, 300 * us).span(), 300 * us + 512 * us);
  EXPECT_EQ(spans(p, 2000 * us).span(), 1024 * us);
}

// Catches: children that end after those who spawned them, and that a wait forgets, waits for twice, or waits for too early.
TEST(sim_scale, waits_for_children) {
  program p;
  const node_number child = p.spawn(p.work(30 * us));
  const node_number step = p.work(10 * us);
  const node_number wait = p.wait();
  const node_number once[] = {step, child, step, wait, step};
  p.set_root(p.series(once));
  EXPECT_EQ(spans(p, 0).span(), 50 * us);
  // Not waited for in the section, but after it.
  const node_number inner[] = {child, step};
  const node_number outer[] = {p.series(inner), step, wait, step};
  p.set_root(p.series(outer));
  EXPECT_EQ(spans(p, 0).span(), 40 * us);
  const node_number never[] = {step, child};
  p.set_root(p.series(never));
  EXPECT_EQ(spans(p, 0).span(), 40 * us);
}

// Catches: a graph that is taken for its longest task, or for a chain; a cycle that is searched without an end.
TEST(sim_scale, knows_graphs) {
  program p;
  const node_number tasks[] = {p.work(5 * us), p.work(7 * us), p.work(1 * us), p.work(2 * us)};
  const program::edge edges[] = {{0, 2}, {1, 2}, {0, 3}};
  p.set_root(p.graph(tasks, edges));
  EXPECT_EQ(spans(p, us).span(), 10 * us);
  const program::edge circle[] = {{0, 1}, {1, 0}};
  p.set_root(p.graph(tasks, circle));
  EXPECT_THROW(spans(p, us), std::invalid_argument);
}

// A serial part of 20 us, a loop of 1000 iterations and 80 us, and a named section in which a fork recurs.
struct known {
  program p;
  std::uint32_t serial = p.site("serial");
  std::uint32_t loop = p.site("loop");
  std::uint32_t recursion = p.site("recursion");
  known() {
    const node_number part[] = {p.each(1000, p.work(80 * us, {}, loop))};
    node_number deep = p.work(us, {}, recursion);
    for (int i = 0; i < 3; ++i) deep = p.fork(deep, deep, recursion);
    const node_number all[] = {p.work(20 * us, {}, serial), p.loop(part, loop), deep};
    p.set_root(p.series(all, serial));
  }
  static const construct& at(const scalability& s, std::uint32_t site) {
    return *std::ranges::find(s.constructs, site, &construct::site);
  }
};

// Catches: a construct that is blamed for another's time; recursion that counts its work once a level; an answer about a
// change that is that of another change.
TEST(sim_scale, names_what_limits) {
  const known k;
  const scalability s = scale(k.p, {.fork = 0, .burden = us});
  EXPECT_EQ(s.all.work, 108 * us);
  EXPECT_EQ(s.all.span, 20 * us + 80 * nanosecond + us);
  ASSERT_FALSE(s.constructs.empty());
  const construct& serial = s.constructs.front();
  EXPECT_EQ(serial.site, k.serial);
  EXPECT_EQ(serial.what, part::series);
  EXPECT_EQ(serial.strands, 20 * us);
  EXPECT_EQ(serial.all.work, 108 * us);
  EXPECT_NEAR(serial.on_path, 20.0 * us, 1);
  ASSERT_TRUE(serial.twice_as_fast);
  EXPECT_EQ(*serial.twice_as_fast, (work_and_span{98 * us, 10 * us + 80 * nanosecond + us}));
  EXPECT_EQ(*serial.parallel, (work_and_span{108 * us, 80 * nanosecond + us}));
  const construct& recursion = known::at(s, k.recursion);
  EXPECT_EQ(recursion.what, part::fork);
  EXPECT_EQ(recursion.all, (work_and_span{8 * us, us}));
  EXPECT_EQ(recursion.count, 7U);
  EXPECT_NEAR(recursion.burden, 3.0 * us, 1);
  const construct& loop = known::at(s, k.loop);
  EXPECT_EQ(loop.what, part::loop);
  EXPECT_NEAR(loop.all.parallelism(), 1000, 1e-6);
  EXPECT_FALSE(loop.twice_as_fast);  // next to nothing of the path
}

// Catches: recursion that is as deep as the program.
TEST(sim_scale, knows_deep_programs) {
  program p;
  const node_number leaf = p.work(us);
  node_number deep = leaf;
  for (int i = 0; i < 1'000'000; ++i) deep = p.fork(deep, leaf);
  p.set_root(deep);
  const scalability s = scale(p, {.fork = nanosecond, .burden = 2 * nanosecond});
  EXPECT_EQ(s.all.work, 1'000'001 * us);
  EXPECT_EQ(s.all.span, us + 1'000'000 * nanosecond);
}

// Random programs -----------------------------------------------------------------------------------------------------------

// The same by the definitions, recursively, for a path of changes by site.
struct naive {
  const program& p;
  picoseconds fork;
  std::vector<change> changes;

  struct ends {
    picoseconds own;
    picoseconds children;
  };
  picoseconds time(const node& n) const {
    const change c = n.site < changes.size() ? changes[n.site] : change::none;
    return c == change::none ? n.time : c == change::twice_as_fast ? n.time / 2 : 0;
  }
  picoseconds whole(node_number n) const {
    const ends e = of(n);
    return std::max(e.own, e.children);
  }
  // What is between two iterations of a part of work is not looked at: only the least number of halvings.
  picoseconds halved(const node& n) const {
    picoseconds best = time(n);
    std::uint64_t longest = n.iterations;
    for (unsigned cuts = 1; longest > 1; ++cuts) {
      longest = (longest + 1) / 2;
      const double share = std::max(1.0 / static_cast<double>(std::uint64_t{1} << cuts),
                                    1.0 / static_cast<double>(n.iterations));
      best =
          std::min(best, cuts * fork + static_cast<picoseconds>(static_cast<double>(time(n)) * share + 0.5));
    }
    return best;
  }
  picoseconds loop(std::span<const node_number> parts) const {
    if (parts.size() == 1)
      return p.at(parts[0]).what == part::work ? halved(p.at(parts[0])) : whole(parts[0]);
    picoseconds serial = 0;
    for (const node_number c : parts) serial += p.at(c).what == part::work ? time(p.at(c)) : whole(c);
    const std::size_t m = parts.size() / 2;
    return std::min(serial, fork + std::max(loop(parts.first(m)), loop(parts.subspan(m))));
  }
  ends of(node_number number) const {
    const node& n = p.at(number);
    if (n.what == part::work) return {time(n), 0};
    const auto children = p.children(n);
    switch (n.what) {
      case part::fork: return {fork + std::max(whole(children[0]), whole(children[1])), 0};
      case part::loop: return {loop(children), 0};
      case part::spawn: return {0, fork + whole(children[0])};
      case part::series: {
        ends now{0, 0};
        for (const node_number c : children) {
          const ends e = of(c);
          if (p.at(c).what == part::wait) {
            now = {std::max(now.own, now.children), 0};
          } else {
            if (e.children > 0) now.children = std::max(now.children, now.own + e.children);
            now.own += e.own;
          }
        }
        return now;
      }
      case part::graph: {
        std::function<picoseconds(std::uint32_t)> finish = [&](std::uint32_t i) {
          picoseconds begin = 0;
          for (const program::edge& e : p.edges(n))
            if (e.after == i) begin = std::max(begin, finish(e.before));
          return begin + fork + whole(children[i]);
        };
        picoseconds last = 0;
        for (std::uint32_t i = 0; i < children.size(); ++i) last = std::max(last, finish(i));
        return {last, 0};
      }
      default: return {0, 0};
    }
  }
};

node_number random_program(program& p, std::mt19937& random, int depth) {
  const auto below = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint32_t site = below(static_cast<unsigned>(p.sites()));
  const auto some = [&](unsigned most) {
    std::vector<node_number> all(1 + below(most));
    for (node_number& n : all) n = random_program(p, random, depth - 1);
    return all;
  };
  switch (depth == 0 ? 0 : below(5) == 0 ? 0 : 1 + below(6)) {
    case 1: return p.series(some(4), site);
    case 2: {
      const node_number left = random_program(p, random, depth - 1);
      return p.fork(left, random_program(p, random, depth - 1), site);
    }
    case 3: {
      std::vector<node_number> parts = some(5);
      for (node_number& n : parts) n = p.each(1 + below(100), n);
      return p.loop(parts, site);
    }
    case 4:
    case 5: {
      std::vector<node_number> all = some(4);
      for (node_number& n : all)
        if (below(2) == 0) n = p.spawn(n, site);
      if (below(3) > 0) all.insert(all.begin() + below(static_cast<unsigned>(all.size() + 1)), p.wait());
      return p.series(all, site);
    }
    case 6: {
      const std::vector<node_number> tasks = some(5);
      std::vector<program::edge> edges;
      for (std::uint32_t i = 0; i < tasks.size(); ++i)
        for (std::uint32_t k = 0; k < i; ++k)
          if (below(3) == 0) edges.push_back({k, i});
      return p.graph(tasks, edges, site);
    }
    default: return p.work(below(1000) * nanosecond, {}, site);
  }
}

// Catches: any span that differs from the definition's; a critical path that is not as long as the span, under any change.
TEST(sim_scale, agrees_with_the_definition_on_random_programs) {
  std::mt19937 random(11);
  for (int i = 0; i < 4000; ++i) {
    program p;
    for (int s = 0; s < 4; ++s) p.site("site");
    p.set_root(random_program(p, random, 1 + i % 6));
    const picoseconds fork = random() % 3 * (random() % 200) * nanosecond;
    std::vector<change> changes(p.sites(), change::none);
    if (i % 2 == 1)
      changes[random() % changes.size()] = random() % 2 == 0 ? change::twice_as_fast : change::parallel;
    const spans s(p, fork, changes);
    ASSERT_EQ(s.span(), (naive{p, fork, changes}.whole(p.root()))) << "program " << i;
    const critical_path path = s.path();
    double length = 0;
    for (const double at : path.strands) length += at;
    for (const double at : path.forks) length += at;
    ASSERT_NEAR(length, static_cast<double>(s.span()), 20 + 1e-9 * length) << "program " << i;
  }
}

// Catches: constructs whose strands do not add up to the work, or whose parts of the path exceed it; a change that makes a
// program slower.
TEST(sim_scale, divides_the_work_among_the_constructs) {
  std::mt19937 random(12);
  for (int i = 0; i < 500; ++i) {
    program p;
    for (int s = 0; s < 4; ++s) p.site("site");
    p.set_root(random_program(p, random, 5));
    const scalability s = scale(p, {.fork = nanosecond, .burden = 100 * nanosecond});
    picoseconds strands = 0;
    for (const construct& c : s.constructs) {
      strands += c.strands;
      EXPECT_LE(c.all.work, s.all.work);
      if (c.twice_as_fast) {
        EXPECT_LE(c.twice_as_fast->span, s.all.span);
        EXPECT_LE(c.parallel->span, c.twice_as_fast->span);
      }
    }
    EXPECT_EQ(strands, s.all.work);
    EXPECT_GE(s.burdened_span, s.all.span);
  }
}

}  // namespace
}  // namespace sennit::sim
