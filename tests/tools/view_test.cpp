// SPDX-License-Identifier: Apache-2.0
// `sennit view`: the page, in a browser if there is one, the text, the trace, and what is said of bad files.
#include "schedule/timeline.hpp"
#include "tests/schedule/trees.hpp"
#include "tests/tools/browser.hpp"
#include "tests/tools/support.hpp"
#include "tools/sennit/moved.hpp"
#include "tools/sennit/page.hpp"
#include "tools/sennit/trace_events.hpp"

#include <sennit/distribution.hpp>
#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/replay.hpp>
#include <sennit/runtime.hpp>
#include <sennit/schedule.hpp>
#include <sennit/worker.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
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
  const outcome all = sennit({"view", folder / "heat.sched", "--output", folder / "page.html",
                              "--trace-events", folder / "trace.json"});
  EXPECT_EQ(all.code, success) << all.err;
  EXPECT_THAT(all.out,
              AllOf(HasSubstr("page.html"), HasSubstr("trace.json; open it in https://ui.perfetto.dev")));
  EXPECT_FALSE(std::filesystem::exists(folder / "heat.sched.html"));
  EXPECT_NO_THROW(data_of(read(folder / "page.html")));
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
  EXPECT_THAT(complaint_of({"view", folder / "a.sched", "--trace-events", folder / "a.json"}),
              AllOf(HasSubstr("'a.sched' has no times"), HasSubstr("--text")));
  EXPECT_THAT(complaint_of({"view", folder / "a.sched", "--output", "/proc/no/such"}),
              AllOf(HasSubstr("/proc/no/such"), HasSubstr("choose another place")));
}

comparison compared(const schedule& now, const schedule& before, unsigned nodes = 0) {
  return compare(now, before, "before.sched", nodes);
}

TEST(Moved, CountsIterationsByWorkerAndByNode) {
  const schedule halves = sennit::block_distribution(1024, 2, 3);
  const schedule quarters = sennit::block_distribution(1024, 4, 3);
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

// Would catch: loops that are left out because a join is around them, or before them.
TEST(Moved, CountsLoopsInAndAfterTakenBranches) {
  using namespace sennit_test;
  const auto program = [](std::uint32_t right, std::uint32_t left_half, std::uint32_t right_half) {
    steal fork = taken(node(kind::fork, 0), {right}, {100, 500});
    fork.inside.push_back(loop(0, 1024, {taken(node(kind::fork, 0), {left_half}, {120, 300})}));
    steal in_branch = loop(1, 512, {taken(node(kind::fork, 0), {right_half}, {200, 400})});
    steal behind = loop(2, 256, {taken(node(kind::fork, 0), {1}, {600, 700})});
    return of(numbered({4, 1000, {fork, in_branch, behind}}));
  };
  const schedule before = program(1, 2, 3);
  EXPECT_EQ(compared(before, before).all().iterations, 1024U + 512U + 256U);
  const comparison right = compared(program(2, 3, 3), before);
  EXPECT_EQ(right.workers[3].iterations, 512U + 256U);
  EXPECT_EQ(right.workers[3].moved, 512U);
  EXPECT_EQ(right.workers[2].moved, 256U);  // the half of the loop in the branch that the branch kept
  EXPECT_EQ(right.all().moved, 768U);
  // A branch that nobody took runs on the strand that forked it.
  const schedule alone =
      of(numbered({4, 1000, {loop(2, 256, {taken(node(kind::fork, 0), {1}, {600, 700})})}}));
  EXPECT_EQ(compared(alone, before).all().iterations, 1024U + 512U + 256U);
  EXPECT_EQ(compared(alone, before).all().moved, 512U + 512U);
}

// Would catch: a number for loops of a child that nobody took: some strand ran it while it waited.
TEST(Moved, CountsLoopsInChildrenThatWereTaken) {
  using namespace sennit_test;
  const auto program = [](bool is_taken) {
    steal child = node(kind::child, 0, {loop(0, 100, {taken(node(kind::fork, 0), {0}, {300, 400})})});
    if (is_taken) child = taken(std::move(child), {1}, {100, 500});
    return of(numbered({2, 1000, {child, node(kind::wait, 1)}}));
  };
  EXPECT_EQ(compared(program(true), program(true)).all().iterations, 100U);
  EXPECT_EQ(compared(program(true), program(false)).all().iterations, 0U);
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

// Would catch: a strand behind a join that is looked for where the join began, or in the branch.
TEST(Moved, CountsNoMoreThanRunsDoUnderJoins) {
  constexpr std::size_t n = 300;
  constexpr std::size_t loops = 9;
  using workers = std::vector<std::vector<unsigned>>;
  const auto run = [](workers& by) {
    by.assign(loops, std::vector<unsigned>(n));
    return sennit::record([&] {
      const unsigned first = sennit::worker_index();
      const auto fill = [&](std::size_t loop) {
        sennit::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
          by[loop][i] = (sennit::worker_index() + sennit::worker_count() - first) % sennit::worker_count();
          for (const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(5);
               std::chrono::steady_clock::now() < end;) {
          }
        });
      };
      for (std::size_t round = 0; round < loops; round += 3)
        sennit::join([&] { fill(round); }, [&] { fill(round + 1); }), fill(round + 2);
    });
  };
  sennit::runtime runtime({.workers = 3});
  runtime.run([&] {
    std::uint64_t counted = 0;
    std::uint64_t divided = 0;
    for (int round = 0; round < 20; ++round) {
      workers there;
      workers here;
      const schedule before = run(there);
      const schedule now = run(here);
      std::vector<moved_work> most(3);
      for (std::size_t loop = 0; loop < loops; ++loop) {
        const auto whole = [&](const workers& by) {
          return std::ranges::count(by[loop], by[loop].front()) == std::ptrdiff_t{n};
        };
        if (!whole(here) || !whole(there)) divided += n;
        for (std::size_t i = 0; i < n; ++i) {
          ++most[here[loop][i]].iterations;
          most[here[loop][i]].moved += here[loop][i] != there[loop][i];
        }
      }
      const comparison found = compared(now, before);
      counted += found.all().iterations;
      for (unsigned worker = 0; worker < 3; ++worker) {
        EXPECT_LE(found.workers[worker].iterations, most[worker].iterations) << now.text();
        EXPECT_LE(found.workers[worker].moved, most[worker].moved) << now.text() << before.text();
      }
    }
    EXPECT_GE(counted, divided / 2);
  });
}

TEST(View, ComparesTwoSchedules) {
  const temporary_folder folder;
  sennit::block_distribution(1024, 4).save(folder / "now.sched");
  sennit::block_distribution(1024, 2).save(folder / "before.sched");
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

TEST_F(Browser, ShowsAsManyBarsAndRowsAsThereAre) {
  const schedule s = of(sample(5, 6));
  const json shown = run(page(s, "a.sched"), std::string(count) + R"js(
    result.title = document.title;
    result.bars = main_run.lanes.flat().length;
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
  const schedule now = sennit::block_distribution(1024, 4);
  const comparison against = compared(now, sennit::block_distribution(1024, 2));
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
    const size = () => view.size;
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
