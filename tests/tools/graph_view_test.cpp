// `sennit view` of a graph's trace: the page, in a browser if there is one, the text, DOT, and what is said of bad files.
#include "tests/schedule/trees.hpp"
#include "tests/tools/browser.hpp"
#include "tests/tools/support.hpp"
#include "tools/sennit/graph_shares.hpp"
#include "tools/sennit/page.hpp"

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
  EXPECT_THAT(complaint_of({"view", file, "--dot", folder / "a.dot"}), HasSubstr("trace a smaller one"));
  EXPECT_THAT(complaint_of({"view", file, "--trace", folder / "a.json"}), HasSubstr("no trace events"));
  sennit::detail::schedule_access::make(sennit::detail::hold(sample(2, 2))).save(folder / "a.sched");
  EXPECT_THAT(complaint_of({"view", file, "--against", folder / "a.sched"}), HasSubstr("no steal tree"));
  EXPECT_THAT(complaint_of({"view", folder / "a.sched", "--dot", folder / "a.dot"}), HasSubstr("no graph"));
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
  EXPECT_GE(longest_chain(seen).value(), 24 * std::chrono::microseconds(20));
  EXPECT_LE(longest_chain(seen).value(), seen.length());
}

TEST(GraphPage, HoldsItsDataAndNeedsNoNetwork) {
  const std::string made = page(traced_grid(false), "</script><b>.trace");
  EXPECT_THAT(made, Not(HasSubstr("<b>")));
  EXPECT_THAT(made, Not(HasSubstr("{{")));
  EXPECT_EQ(data_of(made)["name"], "</script><b>.trace");
  for (const char* word : {"src=", "href=\"http", "url(", "@import", "fetch(", "import("})
    EXPECT_THAT(made, Not(HasSubstr(word)));
  EXPECT_THAT(made, HasSubstr("default-src 'none'"));
}

TEST_F(Browser, ShowsAGraph) {
  const sennit::graph::trace seen = traced_grid(true);
  const json done = run(page(seen, "grid.trace"), std::string(count) + R"js(
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
  )js");
  EXPECT_EQ(done["title"], "grid.trace – graph");
  EXPECT_GE(done["bars"], 1);
  EXPECT_LE(done["bars"], 100);
  EXPECT_EQ(done["workers"], 2);
  EXPECT_EQ(done["titles"], 8);
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
}

TEST_F(Browser, ShowsAGraphWithoutColorsOrNodes) {
  const std::string script = std::string(count) +
                             "result.titles = count('#titles th');"
                             "result.dark = getComputedStyle(document.body).backgroundColor;";
  const std::string made = page(traced_grid(false), "grid.trace");
  const json dark = run(made, script, "--blink-settings=preferredColorScheme=0");
  const json light = run(made, script, "--blink-settings=preferredColorScheme=1");
  EXPECT_EQ(light["titles"], 6);
  EXPECT_NE(dark["dark"], light["dark"]);
  EXPECT_EQ(run(page(sennit::graph::trace(), "none.trace"), script)["titles"], 6);
}

}  // namespace
}  // namespace command
