// SPDX-License-Identifier: Apache-2.0
// `sennit view` of a graph's trace: the page, in a browser if there is one, the text, DOT, and what is said of bad files.
#include "tests/schedule/trees.hpp"
#include "tests/tools/browser.hpp"
#include "tests/tools/graphs.hpp"
#include "tests/tools/support.hpp"
#include "tools/sennit/graph_against.hpp"
#include "tools/sennit/graph_shares.hpp"
#include "tools/sennit/graph_view.hpp"

#include <sennit/graph_trace.hpp>
#include <sennit/runtime.hpp>
#include <sennit/schedule.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace command {
namespace {

using gallery::temporary_folder;
using nlohmann::json;
using sennit_test::sample;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A grid of 20 by 5 nodes of some microseconds, whose keys no page or file may take for its own.
sennit::graph::trace traced_grid(bool colored) {
  sennit::graph::trace seen;
  const auto name = [](unsigned k) { return std::to_string(k) + ": \"</script><b>\\"; };
  const auto number = [](const std::string& k) { return static_cast<unsigned>(std::stoul(k)); };
  const auto before = [=](const std::string& key) {
    std::vector<std::string> needs;
    const unsigned k = number(key);
    if (k % 20 != 0) needs.push_back(name(k - 1));
    if (k >= 20) needs.push_back(name(k - 20));
    return needs;
  };
  const auto compute = [](const std::string&) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  sennit::runtime runtime({.workers = 2});
  runtime.run([&] {
    if (colored) {
      sennit::graph::run(name(99), {.predecessors = before,
                                    .compute = compute,
                                    .color = [=](const std::string& k) { return number(k) / 20 % 3; },
                                    .coloring = {.of = sennit::graph::places::workers},
                                    .trace = &seen});
    } else {
      sennit::graph::run(name(99), {.predecessors = before, .compute = compute, .trace = &seen});
    }
  });
  return seen;
}

std::string page_of(const sennit::graph::trace& t, const std::string& name = "grid.trace") {
  return page(graph_view(t, name), name);
}

TEST(ViewOfAGraph, WritesWhatItIsAskedFor) {
  const temporary_folder folder;
  const std::string file = folder / "grid.trace";
  traced_grid(true).save(file);
  const outcome page_only = sennit({"view", file});
  EXPECT_EQ(page_only.code, success) << page_only.err;
  EXPECT_EQ(data_of(read(folder / "grid.trace.html"))["nodes"].size(), 100U);
  std::filesystem::remove(folder / "grid.trace.html");
  const outcome text_only = sennit({"view", file, "--text"});
  EXPECT_THAT(text_only.out, AllOf(HasSubstr("grid.trace: 100 nodes in "), HasSubstr("on 2 workers"),
                                   HasSubstr("of its color, %")));
  const outcome graph = sennit({"view", file, "--dot", folder / "grid.dot"});
  EXPECT_EQ(graph.code, success) << graph.err;
  EXPECT_THAT(read(folder / "grid.dot"), AllOf(testing::StartsWith("digraph"), HasSubstr(" -> ")));
  EXPECT_FALSE(std::filesystem::exists(folder / "grid.trace.html"));
  const outcome some = sennit({"view", file, "--dot", folder / "grid.dot", "--color", "1", "--from", "0ns"});
  EXPECT_EQ(some.code, success) << some.err;
  EXPECT_EQ(sennit({"view", file, "--chain", "--output", folder / "chain.html"}).code, success);
  EXPECT_EQ(data_of(read(folder / "chain.html"))["nodes"].size(), 24U);
  const outcome against =
      sennit({"view", file, "--against", file, "--text", "--output", folder / "same.html"});
  EXPECT_EQ(against.code, success) << against.err;
  EXPECT_THAT(against.out, HasSubstr("100 keys are in both runs"));
  EXPECT_EQ(data_of(read(folder / "same.html"))["compared"]["common"], 100);
}

// Catches: a page of hundreds of MB that no browser opens, and one that leaves nodes out without a word.
TEST(ViewOfAGraph, OfAMillionNodesIsSmall) {
  std::vector<made_node> nodes;
  for (std::size_t i = 0; i < 1'000'000; ++i) {
    nodes.push_back(
        {"(" + std::to_string(i) + ")", static_cast<std::uint32_t>(i % 2), 100 * i, 100 * i + 50 + i % 40});
    // Node 0 is shorter than node 1, with which the chain begins.
    if (i >= 2) nodes.back().needs = {i - 1, i - 2};
  }
  const sennit::graph::trace t = made_trace(nodes, 100'000'000);
  const std::string made = page_of(t);
  EXPECT_LT(made.size(), 1'000'000U);
  const json data = data_of(made);
  EXPECT_EQ(data["total"], 1'000'000);
  EXPECT_EQ(data["lanes"].size(), 2U);
  EXPECT_GT(data["nodes"].size(), 200U);
  EXPECT_EQ(data["chain"]["count"], 999'999);
  const graph_view some(t, "", {.from = 1e6, .to = 2e6});
  EXPECT_EQ(data_of(page(some, "some"))["nodes"].size(), some.shown.size());
}

TEST(ViewOfAGraph, OfTheGallery) {
  const temporary_folder folder;
  const std::string file = folder / "life.trace";
  std::vector<std::string> words{"run",      "life", "--n",       "64", "--steps",       "5", "--no-forks",
                                 "--repeat", "1",    "--workers", "2",  "--trace-graph", file};
  const outcome graph = sennit(words);
  EXPECT_EQ(graph.code, success) << graph.err;
  EXPECT_THAT(graph.out, HasSubstr("life.trace; 'sennit view' shows it"));
  // The blocks of 16 rows at the start and after each step, and the sink.
  EXPECT_EQ(sennit::graph::trace::load(file).nodes().size(), 4U * 6 + 1);
  words.insert(words.end(), {"--variant", "loops"});
  const outcome loops = sennit(words);
  EXPECT_EQ(loops.code, bad_usage);
  EXPECT_THAT(loops.err, HasSubstr("--variant graph"));
  EXPECT_EQ(sennit({"run", "fib", "--trace-graph", file}).code, bad_usage);
}

TEST(ViewOfAGraph, NamesWhatItCannotUse) {
  const temporary_folder folder;
  const std::string file = folder / "grid.trace";
  const auto complaint_of = [](const std::vector<std::string>& words) {
    const outcome o = sennit(words);
    EXPECT_EQ(o.code, bad_usage);
    return o.err;
  };
  sennit::graph::trace large(0);
  sennit::graph::run(
      0, {.predecessors = [](int) { return std::vector<int>(); }, .compute = [](int) {}, .trace = &large});
  large.save(file);
  EXPECT_THAT(complaint_of({"view", file, "--dot", folder / "a.dot"}),
              AllOf(HasSubstr(file), HasSubstr("graph::trace seen(1)")));
  EXPECT_THAT(complaint_of({"view", file, "--trace-events", folder / "a.json"}),
              HasSubstr("no trace events"));
  sennit::detail::schedule_access::make(sennit::detail::hold(sample(2, 2))).save(folder / "a.sched");
  EXPECT_THAT(complaint_of({"view", file, "--against", folder / "a.sched"}),
              AllOf(HasSubstr("a.sched' is no trace of a graph"), HasSubstr("give --against")));
  EXPECT_THAT(complaint_of({"view", folder / "a.sched", "--dot", folder / "a.dot"}), HasSubstr("no graph"));
  EXPECT_THAT(complaint_of({"view", folder / "a.sched", "--worker", "1"}),
              AllOf(HasSubstr("is a schedule"), HasSubstr("leave out --key")));
  EXPECT_THAT(complaint_of({"view", file, "--key", "such"}),
              AllOf(HasSubstr("none of the 1 nodes"), HasSubstr("relax")));
  EXPECT_THAT(complaint_of({"view", file, "--from", "2"}), HasSubstr("--from"));
  EXPECT_THAT(complaint_of({"view", file, "--chain"}),
              HasSubstr("does not say which nodes needed which others"));
  EXPECT_THAT(complaint_of({"view", file, "--against", folder / "none"}), HasSubstr("none'"));
  const std::string cut = folder.with("cut.trace", read(file).substr(0, 60));
  EXPECT_THAT(complaint_of({"view", cut}), AllOf(HasSubstr(cut), HasSubstr("checksum")));
}

TEST(ViewOfAGraph, AddsUpWhatWorkersDid) {
  const sennit::graph::trace seen = traced_grid(true);
  const std::vector<graph_share> all = shares(seen);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].nodes + all[1].nodes, 100U);
  // Two workers have no color 2, which is that of 20 nodes.
  EXPECT_EQ(all[0].colored + all[1].colored, 80U);
  for (const graph_share& s : all) {
    EXPECT_LE(s.at_home, s.colored);
    EXPECT_GE(s.busy, s.nodes * std::chrono::microseconds(20));
    EXPECT_LE(s.busy, seen.length());
  }
  // From one corner of the grid to the other.
  EXPECT_GE(longest_chain(seen)->time, 24 * std::chrono::microseconds(20));
  EXPECT_LE(longest_chain(seen)->time, seen.length());
}

TEST(GraphPage, HoldsItsDataAndNeedsNoNetwork) {
  const std::string made = page_of(traced_grid(false), "</script><b>.trace");
  EXPECT_THAT(made, Not(HasSubstr("<b>")));
  EXPECT_THAT(made, Not(HasSubstr("{{")));
  EXPECT_EQ(data_of(made)["name"], "</script><b>.trace");
  for (const char* word : {"src=", "href=\"http", "url(", "@import", "fetch(", "import("})
    EXPECT_THAT(made, Not(HasSubstr(word)));
  EXPECT_THAT(made, HasSubstr("default-src 'none'"));
}

TEST_F(Browser, ShowsAGraph) {
  const sennit::graph::trace seen = traced_grid(true);
  const json done = run(page_of(seen), std::string(count) + R"js(
    const click = (id) => document.getElementById(id).click();
    const look_for = (words) => {
      document.getElementById("search").value = words;
      document.getElementById("search").dispatchEvent(new Event("input"));
    };
    result.title = document.title;
    result.bars = shown.bars;
    result.workers = count("#shares tr");
    result.titles = count("#titles th");
    result.legend = document.getElementById("legend").textContent;
    // A bar is where the time says, in its color.
    const node = nodes[50], dots = window.devicePixelRatio || 1;
    const middle = across(node.begin + node.end) / 2;
    view = {from: middle - across(node.end - node.begin), size: 2 * across(node.end - node.begin)};
    show_view();
    const x = (middle - view.from) / view.size * bars.width;
    const dot = pen.getImageData(x, (lane * node.worker + lane / 2) * dots, 1, 1).data;
    const box = bars.getBoundingClientRect();
    const at = node_at({clientX: box.left + x / dots, clientY: box.top + lane * (node.worker + 0.5)});
    result.pointed = at && at.index;
    click("all");
    const probe = document.createElement("i");
    probe.style.color = fill_of(node);
    document.body.append(probe);
    const wanted = getComputedStyle(probe).color.match(/\d+/g).map(Number);
    probe.remove();
    result.off = Math.max(...wanted.slice(0, 3).map((part, i) => Math.abs(part - dot[i])));
    click("closer");
    result.half = view.size;
    click("all");
    result.all = view.size;
    look_for("99:");
    result.matches = document.getElementById("matches").textContent;
    click("next");
    result.needs = shown.lines;
    result.chosen = document.querySelector("#node h3").textContent === chosen.key && chosen.key.slice(0, 4);
    document.querySelector("#node button").click();
    result.other = document.querySelector("#node h3").textContent;
    // Filters
    const choose_filter = (id, value) => {
      const input = document.getElementById(id);
      if (value === true || value === false) {
        input.checked = value;
      } else {
        input.value = value;
      }
      input.dispatchEvent(new Event("change"));
    };
    const left = () => matches.length;
    look_for("/^9[0-4]:/");
    result.pattern = left();
    look_for("/(/");
    result.no_pattern = document.getElementById("matches").textContent;
    look_for("");
    choose_filter("of-worker", "1");
    result.of_worker = left() === nodes.filter((one) => one.worker === 1).length;
    choose_filter("of-worker", "");
    choose_filter("of-color", "none");
    result.of_no_color = left();
    choose_filter("of-color", "");
    choose_filter("chain-only", true);
    result.chain = left();
    result.chain_rows = count("#chain-nodes tbody tr");
    choose_filter("chain-only", false);
    view = {from: 0, size: across(nodes[0].end)};
    choose_filter("window-only", true);
    result.in_window = left() === nodes.filter((one) => one.begin <= nodes[0].end).length;
    choose_filter("window-only", false);
    click("all");
    const slow = nodes.reduce((a, b) => waited(a) >= waited(b) ? a : b);
    result.waits = document.querySelector("#waits-nodes tbody button").textContent === slow.key;
    result.tip = words_of(slow);
  )js");
  EXPECT_EQ(done["title"], "grid.trace – graph");
  EXPECT_GE(done["bars"], 1);
  EXPECT_LE(done["bars"], 100);
  EXPECT_EQ(done["workers"], 2);
  EXPECT_EQ(done["titles"], 9);
  EXPECT_THAT(done["legend"].get<std::string>(),
              AllOf(HasSubstr("color 0"), HasSubstr("color 1"), HasSubstr("of no color")));
  EXPECT_LE(done["off"], 2);
  EXPECT_EQ(done["half"], 5e5);
  EXPECT_EQ(done["all"], 1e6);
  EXPECT_EQ(done["matches"], "1 node");
  EXPECT_EQ(done["needs"], 2);
  EXPECT_EQ(done["chosen"], "99: ");
  EXPECT_THAT(done["other"].get<std::string>(), testing::AnyOf(HasSubstr("98: "), HasSubstr("79: ")));
  EXPECT_EQ(done["pointed"], 50);
  EXPECT_EQ(done["pattern"], 5);
  EXPECT_EQ(done["no_pattern"], "That is no regular expression.");
  EXPECT_EQ(done["of_worker"], true);
  EXPECT_EQ(done["of_no_color"], 20);
  EXPECT_EQ(done["chain"], 24);
  EXPECT_EQ(done["chain_rows"], 24);
  EXPECT_EQ(done["in_window"], true);
  EXPECT_EQ(done["waits"], true);
  EXPECT_THAT(done["tip"].get<std::string>(), AllOf(HasSubstr("ready at "), HasSubstr("for a worker")));
}

TEST_F(Browser, ShowsAGraphWithoutColorsOrNodes) {
  const std::string script = std::string(count) +
                             "result.titles = count('#titles th');"
                             "result.dark = getComputedStyle(document.body).backgroundColor;";
  const std::string made = page_of(traced_grid(false));
  const json dark = run(made, script, "--blink-settings=preferredColorScheme=0");
  const json light = run(made, script, "--blink-settings=preferredColorScheme=1");
  EXPECT_EQ(light["titles"], 7);
  EXPECT_NE(dark["dark"], light["dark"]);
  EXPECT_EQ(run(page_of(sennit::graph::trace()), script)["titles"], 7);
}

// Catches: a script that fails where parts of the data are missing.
TEST_F(Browser, ShowsGraphsOfWhichPartsAreMissing) {
  const std::string script = std::string(count) + R"js(
    result.remarks = document.getElementById("remarks").textContent;
    result.chain = document.getElementById("chain").hidden;
    result.waits = document.getElementById("waits-words").textContent;
    result.differences = count("#against-nodes tbody tr");
    result.against = document.getElementById("against").textContent;
    result.bars = shown.bars;
  )js";
  const sennit::graph::trace two = made_trace({{"a <b>\n&\"", 0, 0, 10}, {"ü", 1, 10, 20, {0}}}, 60);
  const json one = run(page_of(made_trace({{"only", 0, 0, 10}}, 10)), script);
  EXPECT_EQ(one["bars"], 1);
  EXPECT_EQ(one["remarks"], "");
  EXPECT_THAT(one["waits"].get<std::string>(), HasSubstr("None of the nodes"));
  const json loose = run(page_of(made_trace({{"only", 0, 0, 10}}, 10, 0, true)), script);
  EXPECT_THAT(loose["remarks"].get<std::string>(),
              AllOf(HasSubstr("failed"), HasSubstr("graph::trace seen(1)")));
  EXPECT_EQ(loose["chain"], true);
  const graph_comparison c = compare(two, "two", traced_grid(true), "grid");
  const graph_comparison same = compare(two, "two", two, "two");
  EXPECT_THAT(run(page(graph_view(two, ""), "two", &c), script)["against"].get<std::string>(),
              HasSubstr("Against grid"));
  EXPECT_EQ(run(page(graph_view(two, ""), "two", &same), script)["differences"], 2);
  std::vector<made_node> many;
  for (std::size_t i = 0; i < 60'000; ++i)
    many.push_back({std::to_string(i), static_cast<std::uint32_t>(i % 2), 100 * i, 100 * i + 99});
  const json lanes = run(page_of(made_trace(many, 6'000'000)), script);
  EXPECT_THAT(lanes["remarks"].get<std::string>(),
              AllOf(HasSubstr("60000 nodes are too many"), HasSubstr("--from")));
  EXPECT_GT(lanes["bars"], 0);
}

}  // namespace
}  // namespace command
