// SPDX-License-Identifier: Apache-2.0
// `sennit scale`, `sennit sim` and `sennit view` of a program's trace: what they print, their files, and their pages in a browser.
#include "tests/sim/traces.hpp"
#include "tests/tools/browser.hpp"
#include "tests/tools/support.hpp"
#include "tools/sennit/lanes.hpp"
#include "tools/sennit/lanes_of_ranks.hpp"
#include "tools/sennit/program_trace.hpp"
#include "tools/sennit/speedup_curve.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace command {
namespace {

using gallery::temporary_folder;
using nlohmann::json;
using sennit::sim::event;
using sennit::sim::joined;
using sennit::sim::trace_lines;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A section of 200 us, and then a loop of 800 us in four leaves, with as many microseconds of the region's own before.
std::string sample(double before = 0) {
  return joined(trace_lines(
      {event("region", 1, 0, 0, before + 1000, R"("site":1)"),
       R"({"name":"assemble","cat":"named","ph":"X","ts":0,"dur":200,"pid":1,"tid":0,"args":{"id":2,"in":1,"site":1}})",
       event("loop", 3, 1, before + 200, 800, R"("n":4000,"site":2)"),
       event("leaf", 4, 3, before + 200, 200, R"("first":0,"last":1000)"),
       event("leaf", 5, 3, before + 400, 200, R"("first":1000,"last":2000)"),
       event("leaf", 6, 3, before + 600, 200, R"("first":2000,"last":3000)"),
       event("leaf", 7, 3, before + 800, 200, R"("first":3000,"last":4000)")}));
}

// Catches: figures of another program; a construct that limits and is not named; bounds of another machine.
TEST(Scale, SaysWhatLimitsAProgram) {
  const temporary_folder folder;
  const std::filesystem::path file = folder.with("heat.trace", sample());
  const outcome o = sennit({"scale", file, "--machine", "8x10", "--json", folder / "heat.json"});
  EXPECT_EQ(o.code, success) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("heat.trace: heat, 7 events"), HasSubstr("section assemble"),
                           HasSubstr("loop in step"), HasSubstr("strands of section assemble")));
  const json data = json::parse(read(folder / "heat.json"));
  EXPECT_NEAR(data["work_s"], 1e-3, 1e-9);
  EXPECT_NEAR(data["parallelism"], 5, 0.05);
  EXPECT_EQ(data["curve"].back()["workers"], 80);
  EXPECT_EQ(data["constructs"][0]["name"], "section assemble");
  EXPECT_NEAR(data["constructs"][0]["if_twice_as_fast"]["most_speedup"], 10, 0.2);
  double before = 0;
  for (const json& point : data["curve"]) {
    EXPECT_LE(point["least"], point["most"]);
    EXPECT_GE(point["most"], before);
    EXPECT_LE(point["simulated"], 1.02 * point["most"].get<double>());
    before = point["most"];
  }
}

// Catches: a simulation that is asked not to take place.
TEST(Scale, MayLeaveOutTheSimulation) {
  const temporary_folder folder;
  const outcome o = sennit({"scale", folder.with("heat.trace", sample()), "--no-simulation", "--json", "-"});
  EXPECT_EQ(o.code, success) << o.err;
  const json data = json::parse(o.out);
  EXPECT_EQ(data["curve"].back()["workers"], 1024);
  EXPECT_FALSE(data["curve"].back().contains("simulated"));
}

// Catches: figures of nothing without a word about it; a division by the length of the run.
TEST(Scale, SaysThatATraceIsEmpty) {
  const temporary_folder folder;
  const std::string file = folder.with("empty.trace", joined(trace_lines({}))).string();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"scale", file}, {"sim", file, "--machine", "8x10"}}) {
    const outcome o = sennit(words);
    EXPECT_EQ(o.code, success) << o.err;
    EXPECT_THAT(o.out, AllOf(HasSubstr("The trace is empty"), Not(HasSubstr("nan"))));
  }
}

// Catches: an error without the file, the line or the remedy; an output that replaces the trace.
TEST(Scale, NamesWhatItCannotUse) {
  const temporary_folder folder;
  const std::filesystem::path file = folder.with("heat.trace", sample());
  const auto complaint_of = [](const std::vector<std::string>& words) {
    const outcome o = sennit(words);
    EXPECT_EQ(o.code, bad_usage);
    EXPECT_THAT(o.out, IsEmpty());
    return o.err;
  };
  EXPECT_THAT(complaint_of({"scale"}), AllOf(HasSubstr("TRACE"), HasSubstr("sennit scale --help")));
  EXPECT_THAT(complaint_of({"scale", folder / "none"}),
              AllOf(HasSubstr("none'"), HasSubstr("SENNIT_TRACE=FILE")));
  EXPECT_THAT(complaint_of({"scale", folder.with("text", "hello\n")}), HasSubstr("is no trace of a program"));
  EXPECT_THAT(complaint_of({"scale", file, "--machine", "9x9"}),
              AllOf(HasSubstr("9x9"), HasSubstr("8x10"), HasSubstr("64x16")));
  EXPECT_THAT(complaint_of({"scale", file, "--json", file}), HasSubstr("heat.trace"));
  EXPECT_THAT(complaint_of({"sim", file, "--machine", "8x10", "--workers", "81"}),
              AllOf(HasSubstr("80 cores"), HasSubstr("--workers")));
  EXPECT_THAT(complaint_of({"sim", file, "--machine", "8x10", "--steal", "never"}),
              HasSubstr("'never' is none of ask, barrier, fence"));
  EXPECT_THAT(complaint_of({"sim", file, "--machine", "8x10", "--loops", "1"}), HasSubstr("halves"));
  EXPECT_THAT(complaint_of({"sim", file, "--machine", "8x10", "--machine", "9x9"}), HasSubstr("9x9"));
  EXPECT_THAT(complaint_of({"sim", file}), HasSubstr("--machine"));
  EXPECT_THAT(complaint_of({"view", file, "--dot", folder / "dot"}), HasSubstr("the trace of a program"));
}

// Catches: runs that differ from time to time; a speed-up over another run; rows of the wrong machine.
TEST(Sim, RunsAProgramOnMachines) {
  const temporary_folder folder;
  const std::filesystem::path file = folder.with("heat.trace", sample());
  const outcome first =
      sennit({"sim", file, "--machine", "8x10", "--workers", "4", "--seed", "3", "--json", "-"});
  const outcome second =
      sennit({"sim", file, "--machine", "8x10", "--workers", "4", "--seed", "3", "--json", "-"});
  EXPECT_EQ(first.code, success) << first.err;
  EXPECT_EQ(first.out, second.out);
  const json run = json::parse(first.out)["runs"][0];
  EXPECT_EQ(run["workers"], 4);
  EXPECT_GT(run["steals"], 0);
  EXPECT_GE(run["makespan_s"], 400e-6);
  EXPECT_NEAR(run["speedup"], run["one_worker_s"].get<double>() / run["makespan_s"].get<double>(), 1e-9);
  double spent = 0;
  for (const auto& [what, seconds] : run["spent_s"].items()) spent += seconds.get<double>();
  EXPECT_NEAR(spent, 4 * run["makespan_s"].get<double>(), 1e-9);
  const outcome several = sennit({"sim", file, "--machine", "8x10", "--machine", "2x20", "--compare"});
  EXPECT_THAT(several.out, AllOf(HasSubstr("8x10"), HasSubstr("2x20"), HasSubstr("nearest victims")));
}

// Catches: a timeline whose slices are of other workers or overlap; one that is no JSON.
TEST(Sim, WritesATimeline) {
  const temporary_folder folder;
  const outcome o = sennit({"sim", folder.with("heat.trace", sample()), "--machine", "8x10", "--workers", "4",
                            "--trace-events", folder / "run.json"});
  EXPECT_THAT(o.out, HasSubstr("run.json; open it in https://ui.perfetto.dev"));
  const json events = json::parse(read(folder / "run.json"));
  std::vector<double> ends(4);
  double busy = 0;
  for (const json& e : events) {
    if (e["ph"] != "X") continue;
    double& end = ends.at(e["tid"].get<std::size_t>());
    EXPECT_GE(e["ts"].get<double>(), end - 1e-3);
    end = e["ts"].get<double>() + e["dur"].get<double>();
    if (e["cat"] == "section" || e["cat"] == "leaf") busy += e["dur"].get<double>();
  }
  EXPECT_NEAR(busy, 1000, 1);
}

// Catches: bodies that are shown beside what is in them; time that is shown twice or not at all.
TEST(ViewOfATrace, ShowsTheInnermostBodyAtEachTime) {
  const temporary_folder folder;
  const program_trace t = load_program_trace(folder.with("heat.trace", sample(50)).string());
  const lanes l = lanes_of(t, "heat.trace");
  EXPECT_EQ(l.names, (std::vector<std::string>{"worker 0", "worker 1"}));
  ASSERT_EQ(l.slices.size(), 6U);
  EXPECT_EQ(l.slices[0].name, "assemble");
  EXPECT_EQ(l.slices[1].name, "region in main");
  EXPECT_EQ(l.slices[2].name, "loop in step, 0 to 1000");
  sennit::sim::picoseconds now = 0;
  for (const lane_slice& s : l.slices) {
    EXPECT_EQ(s.begin, now);
    now = s.end;
  }
  EXPECT_EQ(now, l.length);
  const outcome o = sennit({"view", folder / "heat.trace", "--text"});
  EXPECT_THAT(o.out, AllOf(HasSubstr("worker 1"), HasSubstr("loop in step"), HasSubstr("assemble")));
}

// A message of a rank, at so many microseconds.
std::string sent(double at, int to, int tag, int bytes) {
  return fmt::format(
      R"({{"name":"send","cat":"message","ph":"i","s":"t","ts":{},"pid":1,"tid":1,"args":{{"to":{},"tag":{},"bytes":{}}}}})",
      at, to, tag, bytes);
}
std::string received(double at, int from, int tag, int bytes) {
  return fmt::format(
      R"({{"name":"recv","cat":"message","ph":"i","s":"t","ts":{},"pid":1,"tid":0,"args":{{"from":{},"tag":{},"bytes":{}}}}})",
      at, from, tag, bytes);
}

// A region of 1,000 us, which began so many microseconds after that of rank 0.
std::string rank_of(int rank, int ranks, double after, std::vector<std::string> events) {
  events.insert(
      events.begin(),
      {fmt::format(
           R"({{"name":"rank","ph":"M","pid":1,"tid":0,"args":{{"rank":{},"ranks":{},"clock_ns":{}}}}})",
           rank, ranks, static_cast<std::int64_t>(7'000'000 + after * 1000)),
       event("region", 1, 0, 0, 1000)});
  return joined(trace_lines(events));
}

constexpr sennit::sim::picoseconds us = 1000 * sennit::sim::nanosecond;

// Catches: messages between the wrong lanes or at the times of one rank; tags or sizes that are mixed up; ranks by the order of
// the files; ranks of an earlier run.
TEST(ViewOfRanks, HasTheirLanesAndMessages) {
  const temporary_folder folder;
  folder.with("heat.0.trace", rank_of(0, 2, 0,
                                      {sent(100, 1, 7, 80), sent(110, 1, 8, 80), sent(120, 1, 7, 80),
                                       received(900, 1, 7, 8)}));
  folder.with(
      "heat.1.trace",
      rank_of(1, 2, 50,
              {received(200, 0, 8, 80), received(210, 0, 7, 80), received(220, 0, 7, 80), sent(500, 0, 7, 8),
               R"({"name":"recv from rank 0","cat":"outside","ph":"X","ts":150,"dur":50,"pid":1,"tid":0})"}));
  folder.with("heat.2.trace", rank_of(2, 3, 0, {}));
  const std::string first = folder / "heat.0.trace";
  const std::string second = folder / "heat.1.trace";
  const lanes l = lanes_of_ranks({load_program_trace(second), load_program_trace(first)}, {second, first});
  EXPECT_THAT(l.remarks, IsEmpty());
  EXPECT_EQ(l.names, (std::vector<std::string>{"rank 0, worker 0", "rank 0, worker 1", "rank 1, worker 0",
                                               "rank 1, worker 1"}));
  EXPECT_EQ(l.length, 1050 * us);
  const auto drawn = [](const lane_message& m) {
    return fmt::format("{} at {} to {} at {}: {} {}", m.from, m.sent / us, m.to, m.received / us, m.tag,
                       m.bytes);
  };
  std::vector<std::string> seen;
  for (const lane_message& m : l.messages) seen.push_back(drawn(m));
  EXPECT_EQ(seen, (std::vector<std::string>{"1 at 100 to 2 at 260: 7 80", "1 at 110 to 2 at 250: 8 80",
                                            "1 at 120 to 2 at 270: 7 80", "3 at 550 to 0 at 900: 7 8"}));
  const auto wait = std::ranges::find(l.slices, lane_kind::outside, &lane_slice::kind);
  ASSERT_NE(wait, l.slices.end());
  EXPECT_EQ(wait->lane, 2U);
  EXPECT_EQ(wait->begin, 200 * us);
  EXPECT_EQ(wait->name, "recv from rank 0");
  for (const std::vector<std::string>& files :
       {std::vector<std::string>{folder / "heat.trace"}, {second, first}}) {
    std::vector<std::string> words{"view", "--text"};
    words.insert(words.end(), files.begin(), files.end());
    const outcome o = sennit(words);
    EXPECT_EQ(o.code, success) << o.err;
    EXPECT_THAT(o.out, AllOf(HasSubstr("heat on 2 ranks"), testing::ContainsRegex("rank 0 .* 3 +240 +1\n"),
                             testing::ContainsRegex("rank 1 .* 1 +8 +3\n")));
  }
}

// Catches: a rank that is shown twice; messages that are missing without a word; clocks of hosts that are taken for one.
TEST(ViewOfRanks, SaysWhatIsMissing) {
  const temporary_folder folder;
  const std::string first =
      folder.with("a", rank_of(0, 2, 0, {sent(100, 1, 7, 80), sent(100, 2, 7, 80)})).string();
  const std::string second = folder.with("b", rank_of(1, 2, 50, {})).string();
  const outcome o = sennit({"view", "--text", first, second});
  EXPECT_THAT(o.out, AllOf(HasSubstr("1 messages are left out, whose sender or receiver"),
                           HasSubstr("from or to ranks whose traces are not given: 2")));
  EXPECT_THAT(sennit({"view", "--text", first, first}).err, HasSubstr("are both of rank 0"));
  const std::string other = folder.with("c", joined(trace_lines({event("region", 1, 0, 0, 10)}))).string();
  EXPECT_THAT(sennit({"view", "--text", first, other}).out,
              HasSubstr("The clocks of the ranks' hosts were not compared"));
  EXPECT_THAT(sennit({"view", "--text", folder / "none"}).err, HasSubstr("none'"));
}

// Catches: a worker that was busy with brief pieces and is shown idle; pieces that overlap; a page of any number of pieces.
TEST(Lanes, JoinBriefPieces) {
  constexpr std::size_t most = 1000;
  constexpr unsigned workers = 4;
  lanes l{"many", worker_names(workers), 0, {}};
  for (unsigned w = 0; w < workers; ++w) {
    for (sennit::sim::picoseconds i = 0; i < 5000; ++i) {
      const lane_kind kind = i % 3 == 0 ? lane_kind::overhead : lane_kind::child;
      const sennit::sim::picoseconds length = i % 1000 == 0 ? 90'000 : 7;
      const sennit::sim::picoseconds begin = l.slices.empty() || i == 0 ? 0 : l.slices.back().end + 1;
      l.slices.push_back({w, begin, begin + length, kind, i % 2 == 0 ? "even" : "odd", ""});
      l.length = std::max(l.length, begin + length);
    }
  }
  using key = std::pair<std::uint32_t, lane_kind>;
  const auto times = [](const std::vector<lane_slice>& slices) {
    std::map<key, sennit::sim::picoseconds> sums;
    for (const lane_slice& s : slices) sums[{s.lane, s.kind}] += s.end - s.begin;
    return sums;
  };
  const std::vector<lane_slice> few = joined_slices(l, most);
  EXPECT_LE(few.size(), 2 * most);
  EXPECT_EQ(times(few), times(l.slices));
  for (std::size_t i = 1; i < few.size(); ++i) {
    if (few[i].lane == few[i - 1].lane) {
      EXPECT_GE(few[i].begin, few[i - 1].end);
    }
    EXPECT_LE(few[i].end, l.length);
  }
  EXPECT_EQ(joined_slices(l, l.slices.size()).size(), l.slices.size());
}

// Catches: a picture that is no XML, that leaves out a point, or that has a name of the file as markup.
TEST(SpeedupCurve, DrawsAllPoints) {
  const std::string svg = speedup_curve({{1, 1, 1, 1}, {2, 1.5, 1.7, 2}, {80, 3, 0.2, 9.6}}, "<b> & co");
  EXPECT_THAT(svg, AllOf(HasSubstr("&lt;b> &amp; co"), HasSubstr("at most 9.6"), HasSubstr("simulated 0.2")));
  std::size_t circles = 0;
  for (std::size_t at = svg.find("<circle"); at != svg.npos; at = svg.find("<circle", at + 1)) ++circles;
  EXPECT_EQ(circles, 3U);
  EXPECT_THAT(speedup_curve({{1, 1, std::nullopt, 1}}, ""), Not(HasSubstr("nan")));
}

using PagesOfTraces = Browser;

// Catches: a page with a script that fails; a table or a picture that is empty.
TEST_F(PagesOfTraces, ShowHowAProgramScales) {
  const std::filesystem::path file = folder_.with("heat.trace", sample());
  ASSERT_EQ(sennit({"scale", file, "--machine", "8x10", "--html", folder_ / "scale.html"}).code, success);
  const json seen = run(read(folder_ / "scale.html"), std::string(count) + R"(
      result.points = count("#curve tr"); result.constructs = count("#constructs tr"); result.dots = count("#picture circle");
      result.name = by_id("name").textContent;)");
  EXPECT_EQ(seen["points"], 8);
  EXPECT_EQ(seen["dots"], 8);
  EXPECT_GE(seen["constructs"], 2);
  EXPECT_EQ(seen["name"], "heat.trace: heat");
}

// Catches: a page with a script that fails; a timeline without bars; a search that finds other pieces.
TEST_F(PagesOfTraces, ShowATimeline) {
  const std::filesystem::path file = folder_.with("heat.trace", sample(50));
  ASSERT_EQ(sennit({"view", file}).code, success);
  const json seen = run(read(folder_ / "heat.trace.html"), std::string(count) + R"(
      result.bars = count("#bars .bar"); result.sums = count("#sums tr"); result.lanes = count("#workers div");
      by_id("search").value = "assemble"; search(); result.found = count("#bars .found");
      by_id("closer").click(); result.zoomed = count("#bars .bar");)");
  EXPECT_EQ(seen["bars"], 6);
  EXPECT_EQ(seen["sums"], 3);
  EXPECT_EQ(seen["lanes"], 2);
  EXPECT_EQ(seen["found"], 1);
  EXPECT_GE(seen["zoomed"], 2);
  ASSERT_EQ(sennit({"sim", file, "--machine", "8x10", "--html", folder_ / "sim.html"}).code, success);
  EXPECT_EQ(run(read(folder_ / "sim.html"),
                std::string(count) + R"(result.lanes = count("#workers div");)")["lanes"],
            80);
}

// Catches: a page with a script that fails; arrows that are not where the messages are, or too many to be drawn without a word.
TEST_F(PagesOfTraces, ShowRanksAndMessages) {
  constexpr int many = 1000;
  std::vector<std::string> sends;
  std::vector<std::string> receives;
  for (int i = 0; i < many; ++i) {
    sends.push_back(sent(100 + 0.5 * i, 1, 7, 80));
    receives.push_back(received(110 + 0.5 * i, 0, 7, 80));
  }
  folder_.with("heat.0.trace", rank_of(0, 2, 0, sends));
  folder_.with("heat.1.trace", rank_of(1, 2, 50, receives));
  ASSERT_EQ(sennit({"view", folder_ / "heat.trace"}).code, success);
  const json seen = run(read(folder_ / "heat.trace.html"), std::string(count) + R"(
      result.lanes = count("#workers div"); result.ranks = count("#ranks tr"); result.pairs = by_id("pairs").textContent;
      result.all = arrows.length; result.left_out = by_id("left-out").textContent;
      zoom(0.05, 0.3); result.zoomed = arrows.length; result.none_left_out = by_id("left-out").hidden;
      const {x1, y1, x2, y2} = arrows[10], box = bars.getBoundingClientRect();
      const place = {clientX: box.left + (x1 + x2) / 2, clientY: box.top + (y1 + y2) / 2};
      plot.dispatchEvent(new PointerEvent("pointermove", place)); result.tip = by_id("tip").textContent;
      result.near = count(".message.near");)");
  EXPECT_EQ(seen["lanes"], 4);
  EXPECT_EQ(seen["ranks"], 2);
  EXPECT_THAT(seen["pairs"].get<std::string>(), HasSubstr("rank 0rank 11,00080 kB60 µs60 µs"));
  EXPECT_GT(seen["all"], 100);
  EXPECT_LE(seen["all"], 400);
  EXPECT_THAT(seen["left_out"].get<std::string>(), HasSubstr("Of 1,000 messages here, one in 3 is drawn"));
  EXPECT_GT(seen["zoomed"], 50);
  EXPECT_EQ(seen["none_left_out"], true);
  EXPECT_THAT(seen["tip"].get<std::string>(),
              AllOf(HasSubstr("80 B from rank 0 to rank 1, tag 7"), HasSubstr("received 60 µs later")));
  EXPECT_EQ(seen["near"], 1);
}

}  // namespace
}  // namespace command
