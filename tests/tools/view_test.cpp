// `sennit view`: the page, in a browser if there is one, the text, the trace, and what is said of bad files.
#include "schedule/timeline.hpp"
#include "tests/schedule/trees.hpp"
#include "tests/tools/support.hpp"
#include "tools/sennit/graph_shares.hpp"
#include "tools/sennit/moved.hpp"
#include "tools/sennit/page.hpp"
#include "tools/sennit/trace_events.hpp"

#include <sennit/distribution.hpp>
#include <sennit/graph_trace.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/replay.hpp>
#include <sennit/runtime.hpp>
#include <sennit/schedule.hpp>
#include <sennit/worker.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>

namespace command {
namespace {

using gallery::temporary_folder;
using nlohmann::json;
using sennit::schedule;
using sennit::detail::hold;
using sennit::detail::schedule_access;
using sennit_test::sample;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

schedule of(sennit_test::steal_tree tree) { return schedule_access::make(hold(std::move(tree))); }

std::string read(const std::filesystem::path& path) {
  const std::vector<char> bytes = gallery::read_file(path);
  return {bytes.begin(), bytes.end()};
}

std::string between(const std::string& text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return {};
  return text.substr(from + begin.size(), text.find(end, from) - from - begin.size());
}

json data_of(const std::string& page) {
  return json::parse(between(page, R"(<script type="application/json" id="data">)", "</script>"));
}

std::size_t stretches_of(const schedule& s) {
  std::size_t count = 0;
  for (const auto& strand : strands(*schedule_access::tree(s))) count += strand.stretches.size();
  return count;
}

TEST(View, WritesAPageBesideTheFile) {
  const temporary_folder folder;
  of(sample(4, 4)).save(folder / "heat.sched");
  const outcome o = sennit({"view", folder / "heat.sched"});
  EXPECT_EQ(o.code, success) << o.err;
  EXPECT_THAT(o.out, HasSubstr(fmt::format("Wrote {}", (folder / "heat.sched.html").string())));
  EXPECT_EQ(data_of(read(folder / "heat.sched.html"))["name"], "heat.sched");
}

TEST(View, WritesWhatItIsAskedFor) {
  const temporary_folder folder;
  const schedule s = of(sample(4, 4));
  s.save(folder / "heat.sched");
  const outcome text = sennit({"view", folder / "heat.sched", "--text"});
  EXPECT_EQ(text.out, s.text());
  const outcome all = sennit({"view", folder / "heat.sched", "--output", folder / "new/page.html", "--trace",
                              folder / "trace.json"});
  EXPECT_EQ(all.code, success) << all.err;
  EXPECT_THAT(all.out,
              AllOf(HasSubstr("page.html"), HasSubstr("trace.json; open it in https://ui.perfetto.dev")));
  EXPECT_FALSE(std::filesystem::exists(folder / "heat.sched.html"));
  EXPECT_NO_THROW(data_of(read(folder / "new/page.html")));
  EXPECT_TRUE(json::parse(read(folder / "trace.json")).contains("traceEvents"));
}

TEST(View, NamesWhatItCannotUse) {
  const temporary_folder folder;
  const auto complaint_of = [](const std::vector<std::string>& words) {
    const outcome o = sennit(words);
    EXPECT_EQ(o.code, bad_usage);
    EXPECT_THAT(o.out, IsEmpty());
    return o.err;
  };
  EXPECT_THAT(complaint_of({"view"}), AllOf(HasSubstr("FILE"), HasSubstr("sennit view --help")));
  EXPECT_THAT(complaint_of({"view", "no/such.sched"}),
              AllOf(HasSubstr("'no/such.sched'"), HasSubstr("give a file")));
  const std::string foreign = folder.with("text", "no schedule at all");
  EXPECT_THAT(complaint_of({"view", foreign}), AllOf(HasSubstr(foreign), HasSubstr("schedule::save()")));
  of(sample(2, 2)).without_times().save(folder / "a.sched");
  EXPECT_THAT(complaint_of({"view", folder / "a.sched", "--trace", folder / "a.json"}),
              AllOf(HasSubstr("'a.sched' has no times"), HasSubstr("--text")));
  EXPECT_THAT(complaint_of({"view", folder / "a.sched", "--output", "/proc/no/such"}),
              AllOf(HasSubstr("/proc/no/such"), HasSubstr("choose another place")));
}

comparison compared(const schedule& now, const schedule& before, unsigned nodes = 0) {
  return compare(now, before, "before.sched", nodes);
}

TEST(Moved, CountsIterationsByWorkerAndByNode) {
  const schedule halves = sennit::blocks(1024, 2, 3);
  const schedule quarters = sennit::blocks(1024, 4, 3);
  const moved_work same = compared(quarters, quarters).all();
  EXPECT_EQ(same.iterations, 3072U);
  EXPECT_EQ(same.moved, 0U);
  EXPECT_EQ(same.changed, 0U);
  // Of 0 1 2 3 what was 0 0 1 1.
  const comparison finer = compared(quarters, halves);
  EXPECT_EQ(finer.all().iterations, 3072U);
  EXPECT_EQ(finer.all().moved, 3 * 768U);
  EXPECT_EQ(finer.workers[0].moved, 0U);
  EXPECT_EQ(finer.workers[3].moved, 768U);
  EXPECT_EQ(finer.all().steals, 9U);
  EXPECT_EQ(finer.all().changed, 9U);
  EXPECT_EQ(compared(quarters, halves, 2).all().moved, 0U);
  EXPECT_EQ(compared(quarters, schedule()).all().moved, 3 * 768U);
  EXPECT_EQ(compared(schedule(), quarters).workers[0].moved, 3 * 768U);
}

// Would catch: a strand that is looked for where it was before it waited, in the same loop or an earlier one.
TEST(Moved, FollowsTheStrandToWhereItGoesOn) {
  using namespace sennit_test;
  const auto halved = [](std::uint64_t at, std::uint32_t by) {
    return loop(at, 1024, {taken(node(kind::fork, 0), {by})});
  };
  steal resumed = loop(0, 1024, {waited(taken(node(kind::fork, 0), {1}), {1})});
  const schedule now =
      of(numbered({2, 0, {resumed, halved(1, 0), waited(node(kind::wait, 2), {0}), halved(3, 1)}}));
  const schedule before = of(numbered({2, 0, {halved(0, 1), halved(1, 1), halved(3, 1)}}));
  const comparison found = compared(now, before);
  EXPECT_EQ(found.workers[0].iterations, 1536U);
  EXPECT_EQ(found.workers[0].moved, 512U);
  EXPECT_EQ(found.workers[1].moved, 512U);
  EXPECT_EQ(found.all().changed, 1U);
}

// Would catch: a number for what the trees leave open, or for two programs.
TEST(Moved, ComparesNothingThatIsNotKnown) {
  using namespace sennit_test;
  const auto one = [](std::uint64_t size) { return loop(1, size, {taken(node(kind::fork, 0), {1})}); };
  const schedule now = of(numbered({2, 0, {taken(node(kind::fork, 0), {1}), one(100)}}));
  const schedule before = of(numbered({2, 0, {one(100)}}));
  EXPECT_EQ(compared(now, before).all().iterations, 0U);
  EXPECT_EQ(compared(before, now).all().iterations, 0U);
  EXPECT_EQ(compared(of(numbered({2, 0, {one(99)}})), before).all().iterations, 0U);
  EXPECT_EQ(compared(now, before).all().changed, 1U);
}

TEST(Moved, EndsForAnyTrees) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const schedule now = of(sennit_test::random_tree(seed, true).make());
    const schedule before = of(sennit_test::random_tree(seed / 2 + 1000, false).make());
    const moved_work all = compared(now, before, seed % 3).all();
    EXPECT_LE(all.moved, all.iterations);
    EXPECT_EQ(all.steals, now.steals());
    EXPECT_EQ(compared(now, now).all().moved + compared(now, now).all().changed, 0U);
  }
}

// Would catch: a tree that is read otherwise than the runtime runs it.
TEST(Moved, CountsWhatRunsDo) {
  constexpr std::size_t n = 700;
  constexpr unsigned loops = 5;
  using workers = std::vector<std::vector<unsigned>>;
  const auto run = [](workers& by) {
    by.assign(loops, std::vector<unsigned>(n));
    return sennit::record([&] {
      const unsigned first = sennit::worker_index();
      for (std::vector<unsigned>& of : by) {
        sennit::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
          of[i] = (sennit::worker_index() + sennit::worker_count() - first) % sennit::worker_count();
          for (const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(5);
               std::chrono::steady_clock::now() < end;) {
          }
        });
      }
    });
  };
  sennit::runtime runtime({.workers = 3});
  runtime.run([&] {
    for (int round = 0; round < 20; ++round) {
      workers there;
      workers here;
      const schedule before = run(there);
      const schedule now = run(here);
      std::vector<moved_work> expected(3);
      for (unsigned loop = 0; loop < loops; ++loop) {
        const auto whole = [&](const workers& by) {
          return std::ranges::count(by[loop], by[loop].front()) == std::ptrdiff_t{n};
        };
        if (whole(here) && whole(there)) continue;  // neither tree has it
        for (std::size_t i = 0; i < n; ++i) {
          moved_work& work = expected[here[loop][i]];
          ++work.iterations;
          work.moved += here[loop][i] != there[loop][i];
        }
      }
      const comparison found = compared(now, before);
      for (unsigned worker = 0; worker < 3; ++worker) {
        EXPECT_EQ(found.workers[worker].iterations, expected[worker].iterations) << now.text();
        EXPECT_EQ(found.workers[worker].moved, expected[worker].moved) << now.text() << before.text();
      }
    }
  });
}

TEST(View, ComparesTwoSchedules) {
  const temporary_folder folder;
  sennit::blocks(1024, 4).save(folder / "now.sched");
  sennit::blocks(1024, 2).save(folder / "before.sched");
  const outcome workers =
      sennit({"view", folder / "now.sched", "--against", folder / "before.sched", "--text"});
  EXPECT_THAT(workers.out, HasSubstr("against before.sched: 75.0% of 1024 iterations ran on another worker; "
                                     "3 of 3 steals are others\n  worker 0: 0.0% of 256"));
  const outcome nodes =
      sennit({"view", folder / "now.sched", "--against", folder / "before.sched", "--nodes", "2", "--text"});
  EXPECT_THAT(nodes.out, HasSubstr("0.0% of 1024 iterations ran on another node"));
  EXPECT_THAT(sennit({"view", folder / "now.sched", "--nodes", "2"}).err, HasSubstr("--against"));
  EXPECT_THAT(sennit({"view", folder / "now.sched", "--against", "no/such.sched"}).err,
              HasSubstr("'no/such.sched'"));
}

// Would catch: a file's name, or anything else, that ends the script it stands in.
TEST(Page, HoldsItsDataWhateverTheName) {
  const std::string name = "</script><!--<b>\xff\u2028.sched";
  const std::string made = page(of(sample(3, 2)), name);
  EXPECT_THAT(made, Not(HasSubstr("<b>")));
  EXPECT_THAT(made, Not(HasSubstr("{{data}}")));
  EXPECT_EQ(data_of(made)["name"], "</script><!--<b>\ufffd\u2028.sched");
}

// Would catch: a font, script or picture from elsewhere.
TEST(Page, NeedsNoNetwork) {
  const std::string made = page(of(sample(3, 2)), "a.sched");
  for (const char* word : {"src=", "href=\"http", "url(", "@import", "fetch(", "import("}) {
    EXPECT_THAT(made, Not(HasSubstr(word)));
  }
  EXPECT_THAT(made, HasSubstr("default-src 'none'"));
}

TEST(Page, OfATreeAsDeepAsARecursionIsFlat) {
  sennit_test::steal_tree tree{2, 0, {}};
  std::vector<sennit_test::steal>* list = &tree.root;
  for (int i = 0; i < 100'000; ++i) {
    list->push_back(sennit_test::node(sennit_test::kind::fork, sennit::detail::most_constructs - 1));
    list = &list->back().inside;
  }
  const json data = data_of(page(of(std::move(tree)), "deep.sched"));
  EXPECT_EQ(data["nodes"].size(), 100'000U);
  EXPECT_EQ(data["nodes"][7][0], 6);
  EXPECT_EQ(data["nodes"][7][2], std::to_string(sennit::detail::most_constructs - 1));
}

// Would catch: what Perfetto refuses: events of a thread that overlap, arrows without an end, pauses that do
// not end.
TEST(Trace, HoldsTogether) {
  const schedule s = of(sample(6, 8));
  const json events = json::parse(trace_events(s, "heat.sched"))["traceEvents"];
  std::map<int, std::vector<std::pair<double, double>>> ran;
  std::map<std::string, int> seen;
  std::map<int, double> arrows;
  std::map<int, double> pauses;
  for (const json& event : events) {
    const std::string phase = event["ph"];
    ++seen[phase];
    if (phase == "X") ran[event["tid"]].emplace_back(event["ts"], event["dur"]);
    if (phase == "s") arrows.emplace(event["id"], event["ts"]);
    if (phase == "b") pauses.emplace(event["id"], event["ts"]);
    if (phase == "f") {
      EXPECT_LE(arrows.at(event["id"]), event["ts"]);
    }
    if (phase == "e") {
      EXPECT_LE(pauses.at(event["id"]), event["ts"]);
    }
  }
  EXPECT_EQ(ran.size(), 6U);
  for (auto& [worker, spans] : ran) {
    std::sort(spans.begin(), spans.end());
    for (std::size_t i = 1; i < spans.size(); ++i) {
      EXPECT_LE(spans[i - 1].first + spans[i - 1].second, spans[i].first + 1e-6);
    }
  }
  const int strands = static_cast<int>(s.steals()) + 1;
  const int stretches = static_cast<int>(stretches_of(s));
  EXPECT_EQ(seen["M"], 7);
  EXPECT_EQ(seen["X"], stretches);
  EXPECT_EQ(seen["b"], stretches - strands);
  EXPECT_EQ(seen["e"], seen["b"]);
  EXPECT_EQ(seen["s"], strands - 1 + seen["b"]);
  EXPECT_EQ(seen["f"], seen["s"]);
}

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
  of(sample(2, 2)).save(folder / "a.sched");
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

// Runs the page in a browser, and what a user would do with it.
class Browser : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v chromium >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "there is no 'chromium' here; install Debian's package to have the page tested in it";
    }
  }

  // What the script, which comes at the page's end, leaves in `result`. "errors" are those of the whole page.
  json run(std::string page, const std::string& script, const std::string& options = "") {
    const auto insert = [&](std::string_view place, const std::string& text) {
      page.insert(page.find(place), text);
    };
    insert("<style>",
           "<script>var errors = []; addEventListener('error', (e) => errors.push(e.message));</script>");
    insert("</body>", "<script>const result = {};" + script +
                          "result.errors = errors; document.body.innerHTML = '<pre></pre>';"
                          "document.querySelector('pre').textContent = JSON.stringify(result);</script>");
    const std::string command =
        fmt::format("timeout 60 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr "
                    "--user-data-dir='{}' "
                    "--window-size=1280,900 {} --dump-dom 'file://{}' 2>'{}'",
                    (folder_ / "profile").string(), options, folder_.with("page.html", page).string(),
                    (folder_ / "log").string());
    std::FILE* pipe = popen(command.c_str(), "r");
    std::string dom;
    for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) dom += static_cast<char>(c);
    if (pipe != nullptr) pclose(pipe);
    const std::string log = std::filesystem::file_size(folder_ / "log") > 0 ? read(folder_ / "log") : "";
    EXPECT_THAT(log, Not(HasSubstr("CONSOLE")));
    const json result = json::parse(between(dom, "<pre>", "</pre>"), nullptr, false);
    EXPECT_TRUE(result.is_object()) << log << dom;
    if (result.is_object()) {
      EXPECT_EQ(result["errors"], json::array());
    }
    return result;
  }

  temporary_folder folder_;
};

constexpr const char* count = "const count = (what) => document.querySelectorAll(what).length;";

TEST_F(Browser, ShowsAsManyBarsAndRowsAsThereAre) {
  const schedule s = of(sample(5, 6));
  const json shown = run(page(s, "a.sched"), std::string(count) + R"js(
    result.title = document.title;
    result.bars = count(".bar");
    result.pauses = count(".pause");
    result.lanes = count(".lane");
    result.workers = count("#shares tr");
    document.getElementById("unfold").click();
    result.taken = count(".row .dot:not(.none)");
  )js");
  const std::size_t bars = stretches_of(s);
  EXPECT_EQ(shown["title"], "a.sched – schedule");
  EXPECT_EQ(shown["bars"], bars);
  EXPECT_EQ(shown["pauses"], bars - s.steals() - 1);
  EXPECT_EQ(shown["lanes"], 5);
  EXPECT_EQ(shown["workers"], 5);
  EXPECT_EQ(shown["taken"], s.steals());
}

TEST_F(Browser, ShowsWhatHasMoved) {
  const schedule now = sennit::blocks(1024, 4);
  const comparison against = compared(now, sennit::blocks(1024, 2));
  const std::string script = R"js(
    result.figures = document.getElementById("figures").textContent;
    result.titles = document.querySelectorAll("#titles th").length;
    result.last = [...document.querySelectorAll("#shares tr:last-child td")].map((cell) => cell.textContent);
    result.hint = document.getElementById("moved").textContent;
  )js";
  const json shown = run(page(now, "now.sched", &against), script);
  EXPECT_THAT(shown["figures"].get<std::string>(),
              HasSubstr("75%of the iterations on another worker than in before.sched"));
  EXPECT_EQ(shown["titles"], 5);
  EXPECT_EQ(shown["last"], (json{"worker 3", "1", "1", "256", "100%"}));
  EXPECT_THAT(shown["hint"].get<std::string>(), HasSubstr("than in before.sched"));
  const json alone = run(page(now, "now.sched"), script);
  EXPECT_EQ(alone["titles"], 2);
  EXPECT_EQ(alone["hint"], "");
}

TEST_F(Browser, ZoomsSearchesFoldsAndChooses) {
  const schedule s = of(sample(5, 6));
  const json done = run(page(s, "a.sched"), std::string(count) + R"js(
    const click = (id) => document.getElementById(id).click();
    const size = () => document.getElementById("bars").viewBox.baseVal.width;
    const look_for = (words) => {
      const box = document.getElementById("search");
      box.value = words;
      box.dispatchEvent(new Event("input"));
    };
    result.sizes = [size()];
    click("closer");
    result.sizes.push(size());
    document.getElementById("plot").dispatchEvent(new WheelEvent("wheel", {deltaY: -100, cancelable: true}));
    result.sizes.push(size());
    click("all");
    result.sizes.push(size());
    look_for("worker 2");
    result.bars_of_worker = count(".bar.found");
    click("next");
    result.place = document.getElementById("matches").textContent;
    result.chosen = count(".bar.chosen");
    look_for("no such thing");
    result.bars_of_nothing = count(".bar.found");
    result.nothing = document.getElementById("matches").textContent;
    look_for("0/");
    result.in_first = count(".row.found");
    look_for("");
    result.searching = count(".searching");
    click("fold");
    result.folded = [...document.querySelectorAll("#tree ul ul")].every((list) => list.hidden);
  )js");
  std::size_t bars = 0;
  std::size_t nodes = 0;
  for (const auto& strand : strands(*schedule_access::tree(s))) {
    for (const auto& part : strand.stretches) bars += part.by.role == 2 ? 1 : 0;
  }
  walk(schedule_access::tree(s)->root, [&](const auto& at) {
    nodes +=
        (at.node.taken && at.node.begun.role == 2) || (at.node.waited && at.node.resumed.role == 2) ? 1 : 0;
  });
  const std::vector<double> sizes = done["sizes"];
  EXPECT_EQ(sizes[1], sizes[0] / 2);
  EXPECT_LT(sizes[2], sizes[1]);
  EXPECT_EQ(sizes[3], sizes[0]);
  EXPECT_EQ(done["bars_of_worker"], bars);
  EXPECT_EQ(done["place"], fmt::format("1 of {}", nodes));
  EXPECT_GE(done["chosen"], 1);
  EXPECT_EQ(done["bars_of_nothing"], 0);
  EXPECT_EQ(done["nothing"], "0 nodes");
  EXPECT_GE(done["in_first"], 1);
  EXPECT_EQ(done["searching"], 0);
  EXPECT_EQ(done["folded"], true);
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

TEST_F(Browser, IsLightOrDarkAsTheUserWants) {
  const std::string script = "result.page = getComputedStyle(document.body).backgroundColor;";
  const std::string made = page(of(sample(2, 2)), "a.sched");
  const json dark = run(made, script, "--blink-settings=preferredColorScheme=0");
  const json light = run(made, script, "--blink-settings=preferredColorScheme=1");
  EXPECT_NE(dark["page"], light["page"]);
}

TEST_F(Browser, ShowsWhatHasNoTimesOrNoSteals) {
  const std::string script = std::string(count) + "result.bars = count('.bar'); result.rows = count('.row');";
  const json untimed = run(page(of(sample(2, 2)).without_times(), "a.sched"), script);
  EXPECT_EQ(untimed["bars"], 0);
  EXPECT_GT(untimed["rows"], 0);
  EXPECT_EQ(run(page(schedule(), "a.sched"), script)["rows"], 0);
}

}  // namespace
}  // namespace command
