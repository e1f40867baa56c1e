// `sennit scale`, `sennit sim` and `sennit view` of a program's trace: what they print, their files, and their pages in a browser.
#include "tests/sim/traces.hpp"
#include "tests/tools/browser.hpp"
#include "tests/tools/support.hpp"
#include "tools/sennit/lanes.hpp"
#include "tools/sennit/program_trace.hpp"
#include "tools/sennit/speedup_curve.hpp"

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

}  // namespace
}  // namespace command
