// SPDX-License-Identifier: Apache-2.0
// What a trace says of waits and of the longest chain, against answers that are found by trying everything.
#include "tests/tools/graphs.hpp"
#include "tools/sennit/graph_against.hpp"
#include "tools/sennit/graph_filter.hpp"
#include "tools/sennit/graph_shares.hpp"
#include "tools/sennit/graph_view.hpp"
#include "tools/sennit/graph_waits.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace command {
namespace {

using sennit::graph::trace;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using ns = std::chrono::nanoseconds;
using positions = std::vector<std::uint32_t>;

// The longest chain that ends with that node, by looking at all chains.
ns longest_until(const trace& t, std::uint32_t i) {
  ns before{0};
  for (const std::uint32_t p : t.nodes()[i].predecessors) before = std::max(before, longest_until(t, p));
  return before + (t.nodes()[i].end - t.nodes()[i].begin);
}
// Whether a worker computed nothing from that nanosecond to the next.
bool somebody_idle(const trace& t, std::int64_t at) {
  std::vector<bool> busy(t.workers());
  for (const trace::node& n : t.nodes()) {
    if (n.begin.count() <= at && at < n.end.count()) busy[n.worker] = true;
  }
  return std::ranges::find(busy, false) != busy.end();
}

// Catches: a chain that is not one or not the longest; a predecessor that did not end last; time that counts twice or
// not at all.
TEST(WaitsOfAGraph, AreThoseThatAreFoundByTryingEverything) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const trace t = made_trace(random_nodes(seed, 1 + seed % 14, 1 + seed % 3), 1000);
    const auto waits = waits_of(t);
    ASSERT_EQ(waits.size(), t.nodes().size());
    ns longest{0};
    for (std::uint32_t i = 0; i < waits.size(); ++i) {
      const trace::node& n = t.nodes()[i];
      longest = std::max(longest, longest_until(t, i));
      if (n.predecessors.empty()) {
        EXPECT_EQ(waits[i].last, no_node);
        EXPECT_EQ(waits[i].waited, ns{0});
        continue;
      }
      ns ready{0};
      for (const std::uint32_t p : n.predecessors) ready = std::max(ready, t.nodes()[p].end);
      EXPECT_EQ(waits[i].ready, ready);
      EXPECT_THAT(n.predecessors, testing::Contains(waits[i].last));
      EXPECT_EQ(t.nodes()[waits[i].last].end, ready);
      EXPECT_EQ(waits[i].waited, std::max(ns{0}, n.begin - ready));
      std::int64_t avoidable = 0;
      for (std::int64_t at = ready.count(); at < n.begin.count(); ++at)
        avoidable += somebody_idle(t, at) ? 1 : 0;
      EXPECT_EQ(waits[i].avoidable, ns{avoidable}) << "seed " << seed << ", node " << i;
    }
    const auto chain = longest_chain(t);
    ASSERT_TRUE(chain);
    EXPECT_EQ(chain->time, longest) << "seed " << seed;
    ns sum{0};
    for (std::size_t i = 0; i < chain->nodes.size(); ++i) {
      const trace::node& n = t.nodes()[chain->nodes[i]];
      sum += n.end - n.begin;
      if (i != 0) {
        EXPECT_THAT(n.predecessors, testing::Contains(chain->nodes[i - 1]));
      }
    }
    EXPECT_EQ(sum, longest);
  }
}

// Catches: nodes that end when they begin, which a trace may have in any order.
TEST(WaitsOfAGraph, DoNotDependOnTheOrderOfNodesOfNoTime) {
  // In the trace, nodes of equal times are in no order that can be relied on.
  const trace t =
      trace::from_bytes(made_trace({{"b", 0, 5, 5, {1}}, {"a", 0, 5, 5}, {"c", 1, 5, 9, {0}}}, 9).to_bytes());
  const auto chain = longest_chain(t);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->time, ns{4});
  std::vector<std::string> keys;
  for (const std::uint32_t i : chain->nodes) keys.push_back(t.nodes()[i].key);
  EXPECT_THAT(keys, ElementsAre("a", "b", "c"));
}

// Catches: a chain that is lost, or that goes round, where tasks choose to go back.
TEST(WaitsOfAGraph, OfAGraphWithALoop) {
  const trace t =
      made_trace({{"begin", 0, 0, 10, {1}}, {"again", 1, 20, 30, {0, 1}}, {"end", 0, 40, 45, {1}}}, 50);
  const auto chain = longest_chain(t);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->nodes, (positions{0, 1, 2}));
  EXPECT_EQ(waits_of(t)[0].last, no_node);
  EXPECT_EQ(waits_of(t)[1].last, 0U);
}

TEST(WaitsOfAGraph, OfNoNodesAndOfOne) {
  const auto none = longest_chain(made_trace({}, 0));
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->nodes.empty());
  EXPECT_EQ(longest_chain(made_trace({{"a", 0, 2, 7}}, 9))->nodes, positions{0});
  EXPECT_FALSE(longest_chain(made_trace({{"a", 0, 2, 7}}, 9, 0)));
  EXPECT_TRUE(waits_of(made_trace({{"a", 0, 2, 7}}, 9, 0)).empty());
}

// Catches: times of a worker that count twice where nodes are within others; a first node that is another worker's.
TEST(SharesOfAGraph, SayWhenAWorkerBeganAndHowLongItWasBusy) {
  const trace t =
      made_trace({{"a", 0, 10, 50}, {"within a", 0, 20, 30}, {"b", 1, 40, 45}, {"c", 0, 60, 70}}, 100);
  const auto all = shares(t);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].busy, ns{50});
  EXPECT_EQ(all[0].first, ns{10});
  EXPECT_EQ(all[0].last, ns{70});
  EXPECT_EQ(all[1].first, ns{40});
  EXPECT_EQ(shares(made_trace({}, 9))[0].first, ns{9});
}

positions chosen(const trace& t, const graph_filter& filter) {
  return select(t, "a.trace", filter, longest_chain(t));
}
std::string complaint(const trace& t, const graph_filter& filter) {
  try {
    chosen(t, filter);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing";
}

// Catches: a filter that leaves out a node that fits, or that is not applied.
TEST(FilterOfAGraph, KeepsWhatFitsAll) {
  const trace t = made_trace(
      {{"load 1", 0, 0, 10}, {"load 2", 1, 0, 20}, {"sum\n(1)", 1, 30, 40, {0, 1}}, {"", 0, 35, 36, {0}}},
      50);
  EXPECT_EQ(chosen(t, {}), (positions{0, 1, 2, 3}));
  EXPECT_EQ(chosen(t, {.key = "1"}), (positions{0, 2}));
  EXPECT_EQ(chosen(t, {.key = "(1)"}), positions{2});
  EXPECT_EQ(chosen(t, {.matching = "^load [2-9]$"}), positions{1});
  EXPECT_EQ(chosen(t, {.matching = "^$"}), positions{3});
  EXPECT_EQ(chosen(t, {.worker = 1}), (positions{1, 2}));
  EXPECT_EQ(chosen(t, {.key = "sum", .worker = 0}), positions{});
  EXPECT_EQ(chosen(t, {.chain = true}), (positions{1, 2}));
  EXPECT_EQ(chosen(t, {.key = "load", .chain = true}), positions{1});
  EXPECT_EQ(chosen(t, {.from = 15}), (positions{1, 2, 3}));
  EXPECT_EQ(chosen(t, {.from = 15, .to = 30}), (positions{1, 2}));
}

// Catches: a complaint that does not say what to do.
TEST(FilterOfAGraph, NamesWhatItCannotApply) {
  const trace t = made_trace({{"a", 0, 0, 10}}, 50);
  EXPECT_THAT(complaint(t, {.worker = 2}),
              AllOf(HasSubstr("--worker 2"), HasSubstr("'a.trace'"), HasSubstr("0 to 1")));
  EXPECT_THAT(complaint(t, {.color = 0}), AllOf(HasSubstr("has no colors"), HasSubstr("leave out --color")));
  EXPECT_THAT(complaint(t, {.matching = "a("}), AllOf(HasSubstr("'a('"), HasSubstr("--key")));
  EXPECT_THAT(complaint(t, {.from = 5, .to = 4}), HasSubstr("--from is later than --to"));
  EXPECT_THAT(complaint(made_trace({{"a", 0, 0, 10}}, 50, 0), {.chain = true}),
              AllOf(HasSubstr("--chain"), HasSubstr("graph::trace seen(1)")));
}

// Catches: a comparison that pairs the wrong nodes, or that misses some.
TEST(ComparisonOfGraphs, PairsNodesByTheirKeys) {
  const trace earlier =
      made_trace({{"a", 0, 0, 10}, {"b", 0, 10, 30, {0}}, {"gone", 1, 0, 1}, {"c", 1, 5, 6}}, 40);
  const trace now =
      made_trace({{"c", 0, 0, 5}, {"b", 0, 10, 90, {2}}, {"a", 0, 5, 10}, {"new", 1, 0, 1}}, 100);
  const graph_comparison c = compare(now, "now", earlier, "earlier");
  EXPECT_EQ(c.common, 3U);
  EXPECT_EQ(c.only_now, 1U);
  EXPECT_EQ(c.only_earlier, 1U);
  EXPECT_EQ(c.elsewhere, 1U);
  ASSERT_EQ(c.differences.size(), 3U);
  EXPECT_EQ(c.differences[0].key, "b");
  EXPECT_EQ(c.differences[0].earlier, ns{20});
  EXPECT_EQ(c.differences[0].now, ns{80});
  EXPECT_EQ(c.now.chain, ns{85});
  EXPECT_EQ(c.earlier.chain, ns{30});
  EXPECT_THAT(text(c),
              AllOf(HasSubstr("+150.0%"), HasSubstr("3 keys are in both runs"), HasSubstr("a (10 ns)")));
  const graph_comparison same = compare(now, "now", made_trace({}, 0), "none");
  EXPECT_EQ(same.only_now, 4U);
  EXPECT_THAT(text(same), Not(HasSubstr("inf")));
}

// Catches: a drawing that nobody can read, and a refusal without a remedy.
TEST(DotOfAGraph, IsThatOfTheChosenNodes) {
  std::vector<made_node> nodes;
  for (std::size_t i = 0; i <= most_drawn_nodes; ++i) {
    nodes.push_back({"node " + std::to_string(i), static_cast<std::uint32_t>(i % 2), 10 * i, 10 * i + 8});
    if (i != 0) nodes.back().needs = {i - 1};
  }
  const trace t = made_trace(nodes, 100'000);
  const auto of = [&](const graph_filter& filter) {
    return dot(graph_view(t, "a.trace", filter), "a.trace");
  };
  try {
    of({});
    ADD_FAILURE() << "it was drawn";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("1,001 nodes"), HasSubstr("more than 1,000"), HasSubstr("--key")));
  }
  const std::string some = of({.matching = "^node 1[0-2]$"});
  EXPECT_THAT(some,
              AllOf(HasSubstr("node 10\\nworker 0, 8 ns from 100 ns\\nwaited 2 ns\\nneeds 1 more, not shown"),
                    HasSubstr("n10 -> n11 [penwidth"), Not(HasSubstr("n9 ")), Not(HasSubstr("n13"))));
  const std::string strange = dot(graph_view(made_trace({{"\"<b>\\\n\x01", 0, 0, 1}}, 1), ""), "");
  EXPECT_THAT(strange, HasSubstr(R"(label="\"<b>\\\n)"));
}

// Catches: text that a terminal takes for commands, or that is cut within a character.
TEST(TextOfAGraph, ShowsAnyKeyOnOneLine) {
  EXPECT_EQ(shown_key("a\nb\x1b[1m"), "a\\nb\\x1b[1m");
  EXPECT_EQ(shown_key("123456", 5), "12345...");
  EXPECT_EQ(shown_key("äää", 3), "ä...");
  EXPECT_EQ(shown_key("äää", 4), "ää...");
  const trace failed = made_trace({{"a", 0, 0, 1}}, 1, 0, true);
  EXPECT_THAT(text(graph_view(failed, "a.trace"), "a.trace"),
              AllOf(HasSubstr("the run failed"), HasSubstr("graph::trace seen(1)")));
  const trace waits = made_trace({{"a", 0, 0, 10}, {"b", 1, 50, 60, {0}}}, 60);
  EXPECT_THAT(text(graph_view(waits, "a.trace"), "a.trace"),
              AllOf(HasSubstr("longest chain: 2 nodes in 20 ns, 33.3% of the run"), HasSubstr("40 ns")));
}

}  // namespace
}  // namespace command
