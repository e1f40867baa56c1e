// SPDX-License-Identifier: Apache-2.0
// What a browser draws of a schedule: a page that stays empty, that shows more than ran, or that cannot be used.
#include "gallery/picture.hpp"
#include "tests/schedule/trees.hpp"
#include "tests/tools/browser.hpp"
#include "tools/sennit/moved.hpp"
#include "tools/sennit/page.hpp"
#include "tools/sennit/site_names.hpp"

#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/replay.hpp>
#include <sennit/runtime.hpp>
#include <sennit/schedule.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <tuple>

namespace command {
namespace {

using nlohmann::json;
using sennit::schedule;
using namespace sennit_test;

schedule of(steal_tree tree) {
  return sennit::detail::schedule_access::make(sennit::detail::hold(std::move(tree)));
}

// Worker 1 is busy for one part in `idleness` of the time, with so many children of a group.
schedule many_strands(std::uint64_t count, std::uint64_t idleness) {
  constexpr std::uint64_t busy = 500;
  steal_tree tree{2, count * busy * idleness, {}};
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t begin = i * busy * idleness;
    tree.root.push_back(taken(node(kind::child, i), {1}, {begin, begin + busy}));
  }
  return of(numbered(std::move(tree)));
}

// Would catch: a lane that looks busy although its worker hardly ran, because each strand is drawn a pixel wide.
TEST_F(Browser, FillsALaneAsMuchAsItsWorkerRuns) {
  const json shown = run(page(many_strands(18'000, 20), "a.sched"), std::string(count) + R"js(
    let filled = 0;
    for (const [, height] of document.querySelector(".dense.child").getAttribute("d").matchAll(/v-([\d.]+)h/g))
      filled += Number(height);
    result.share = filled / (20 * document.getElementById("plot").clientWidth);
    result.elements = count("#bars *");
    result.idle = document.getElementById("idle").textContent;
    for (let i = 0; i < 12; ++i) document.getElementById("closer").click();
    result.bars = count(".bar.child");
  )js");
  EXPECT_NEAR(shown["share"].get<double>(), 0.05, 0.005);
  EXPECT_LT(shown["elements"], 100);
  EXPECT_THAT(shown["idle"].get<std::string>(), testing::HasSubstr("idle 95%"));
  EXPECT_GT(shown["bars"], 0);  // from near, each is a bar
}

// Would catch: phases that run into each other, and a zoom that shows something else.
TEST_F(Browser, ZoomsToPhasesByClickAndByKey) {
  const json done = run(page(of(sample(4, 6)), "a.sched"), std::string(count) + R"js(
    const press = (key) =>
        document.getElementById("plot").dispatchEvent(new KeyboardEvent("keydown", {key, cancelable: true}));
    const shown_times = () => [view.from, view.from + view.size].map((at) => Math.round(scale * at / whole));
    const at = (phase) => shown_times()[0] <= phase.from && phase.to <= shown_times()[1];
    const phases = main_run.phases;
    result.phases = phases.length;
    result.rows = count("#phases tr");
    document.querySelectorAll("#phases button")[2].click();
    result.clicked = at(phases[2]) && !at(phases[1]) && !at(phases[3]);
    press("]");
    result.next = at(phases[3]) && !at(phases[2]);
    press("[");
    result.back = at(phases[2]) && !at(phases[3]);
    press("0");
    result.all = view.size === whole;
    press("]");
    result.first = at(phases[0]) && !at(phases[1]);
    document.getElementById("order").click();
    result.sorted = document.querySelector("#phases button").textContent.length > 0;
    result.reasons = count("#why li");
  )js");
  EXPECT_EQ(done["phases"], 6);
  EXPECT_EQ(done["rows"], 6);
  for (const char* what : {"clicked", "next", "back", "all", "first", "sorted"})
    EXPECT_EQ(done[what], true) << what;
  EXPECT_GE(done["reasons"], 1);
}

// Would catch: two runs that are drawn with two scales.
TEST_F(Browser, ShowsTwoRunsOnOneScale) {
  const schedule now = many_strands(1000, 4);
  const schedule before = many_strands(500, 4);
  const comparison against = compare(now, before, "before.sched", 0);
  const json shown = run(page(now, "now.sched", &against), std::string(count) + R"js(
    result.lanes = count(".lane");
    result.widths = [...document.querySelectorAll(".lane")].map((lane) => lane.getAttribute("width"));
    result.names = [...document.querySelectorAll(".lanes .run")].map((name) => name.textContent);
    result.long = document.getElementById("figures").textContent;
  )js");
  EXPECT_EQ(shown["lanes"], 4);
  EXPECT_EQ(shown["names"], (json{"now.sched", "before.sched"}));
  EXPECT_NEAR(std::stod(shown["widths"][2].get<std::string>()),
              std::stod(shown["widths"][0].get<std::string>()) / 2, 6);
  EXPECT_THAT(shown["long"].get<std::string>(), testing::HasSubstr("before.sched: 1 ms"));
}

using color = std::tuple<int, int, int>;

std::map<color, std::size_t> colors_of(const gallery::picture& picture) {
  std::map<color, std::size_t> found;
  for (std::size_t i = 0; i < picture.bytes.size(); i += 3)
    ++found[{picture.bytes[i], picture.bytes[i + 1], picture.bytes[i + 2]}];
  return found;
}

// Would catch: a page that stays empty or unreadable in the user's colors, or on a narrow screen.
TEST_F(Browser, DrawsThePageInLightAndDark) {
  const schedule s = of(sample(4, 6));
  const comparison against = compare(s, of(sample(4, 6, 2)), "before.sched", 0);
  std::set<color> backgrounds;
  for (const char* size : {"1280,1400", "500,1400"}) {
    for (const int scheme : {0, 1}) {
      const gallery::picture seen =
          picture_of(page(s, "a.sched", &against),
                     fmt::format("--blink-settings=preferredColorScheme={}", scheme), size);
      const auto colors = colors_of(seen);
      ASSERT_GT(colors.size(), 20U);
      const auto most = std::max_element(colors.begin(), colors.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      EXPECT_LT(most->second, seen.width * seen.height * 9 / 10);
      const auto& [red, green, blue] = most->first;
      EXPECT_EQ(red + green + blue > 384, scheme == 1);
      backgrounds.insert(most->first);
      // The bars of forks and of parts of loops.
      const color fork = scheme == 1 ? color{0x1f, 0x6f, 0xd1} : color{0x5b, 0xa3, 0xf7};
      const color part = scheme == 1 ? color{0xb4, 0x5f, 0x06} : color{0xf0, 0xa0, 0x4b};
      EXPECT_TRUE(colors.contains(fork));
      EXPECT_TRUE(colors.contains(part));
    }
  }
  EXPECT_EQ(backgrounds.size(), 2U);
}

// Would catch: a name of the library's in place of the program's, and one that is cut in the wrong place.
TEST(Sites, AreTheInnermostOfTheProgram) {
  EXPECT_EQ(site_among({{"sennit::detail::join_pair<...>", "/usr/include/sennit/join.hpp", "90"},
                        {"fib(long)", "/home/user/fib.cpp", "7"},
                        {"main", "/home/user/fib.cpp", "12"}})
                .line,
            "fib.cpp:7");
  // As addr2line says it of a closure that is inlined.
  const site closure = site_among(
      {{"main::{lambda()#1}::operator()() const [clone .cold]", "/usr/include/sennit/join.hpp", "109"},
       {"join<main()::<lambda()>::<lambda()>>", "/usr/include/sennit/join.hpp", "190"},
       {"operator()", "/home/user/a.cpp", "46"}});
  EXPECT_EQ(closure.function, "main");
  EXPECT_EQ(closure.line, "a.cpp:46");
  const auto name = [](const std::string& function) { return site_among({{function, "??", "?"}}).function; };
  EXPECT_EQ(name("fib(long) [clone .cold]"), "fib");
  EXPECT_EQ(name("void model::sweep<double>(std::vector<double, std::allocator<double> >&)"),
            "model::sweep<double>");
  EXPECT_EQ(name("(anonymous namespace)::visit(int)::{lambda()#2}::operator()() const"), "visit");
  EXPECT_EQ(
      name(
          "sennit::detail::fork_frame<fib(long)::{lambda()#2}, true>::run_elsewhere(sennit::detail::frame&)"),
      "fib");
  // As clang and LLVM write it.
  EXPECT_EQ(name("std::optional<main::$_0> sennit::detail::join_left<main::$_0::operator()() "
                 "const::'lambda'()>(int)"),
            "main");
  EXPECT_EQ(name("main::$_0::operator()() const"), "main");
  EXPECT_EQ(name("fib(long)::'lambda'()::operator()() const"), "fib");
  // Where no caller is known.
  EXPECT_EQ(name("bool sennit::detail::merge_sort<sennit::detail::in_parallel, long*>::sort(long, long)"),
            "sennit::parallel_sort");
  EXPECT_EQ(name("??"), "");
  EXPECT_EQ(name("sennit::detail::in_strand()"), "");
}

void take_a_while() {
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
       std::chrono::steady_clock::now() < end;) {
  }
}

// Until somebody else has come, on a machine that is as busy as it may be.
void wait_for(const std::atomic<bool>& come) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!come.load(std::memory_order_relaxed) && std::chrono::steady_clock::now() < last) {
    std::this_thread::yield();
  }
}

[[gnu::noinline]] void forks_here() {
  std::atomic<bool> taken = false;
  sennit::join([&] { wait_for(taken); }, [&] { taken.store(true, std::memory_order_relaxed); });
}

[[gnu::noinline]] void loops_here() {
  std::atomic<bool> taken = false;
  sennit::parallel_for(0, 8, [&](int i) {
    take_a_while();  // brief loops are not cut
    if (i == 0) wait_for(taken);
    if (i == 7) taken.store(true, std::memory_order_relaxed);
  });
}

// Would catch: constructs without a name, or with that of another function, in a schedule that was recorded and saved.
TEST(Sites, AreRecorded) {
  if (std::system("command -v addr2line >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no 'addr2line' here; install Debian's package binutils";
  sennit::runtime runtime({.workers = 2});
  schedule recorded;
  runtime.run([&] {
    recorded = sennit::record([] {
      for (int i = 0; i < 10; ++i) {
        forks_here();
        loops_here();
      }
    });
  });
  const schedule loaded = schedule::from_bytes(recorded.to_bytes());
  const auto tree = sennit::detail::schedule_access::tree(loaded);
  const sites found = sites_of(*tree);
  unsigned forks = 0;
  unsigned loops = 0;
  for (const steal& made : tree->root) {
    const std::uint32_t number = found.number(made.site);
    ASSERT_NE(number, 0U) << found.remark;
    const std::string& function = found.named[number - 1].function;
    EXPECT_THAT(function, testing::EndsWith(made.what == kind::fork ? "forks_here" : "loops_here"));
    ++(made.what == kind::fork ? forks : loops);
  }
  EXPECT_GT(forks, 0U);
  EXPECT_GT(loops, 0U);
  EXPECT_LE(found.named.size(), 8U);  // each once, with those in the loop
}

// Would catch: an old file without a word about why nothing has a name.
TEST(Sites, SayWhatIsMissing) {
  EXPECT_THAT(sites_of(sample(2, 2)).remark, testing::HasSubstr("Record it again"));
  steal_tree tree = sample(2, 2);
  tree.modules = {{"/no/such/program", ""}};
  tree.root[0].site = sennit::detail::site_in_module(1, 16);
  EXPECT_THAT(sites_of(tree).remark, testing::HasSubstr("'/no/such/program' is no longer there"));
  tree.modules = {{"/proc/self/exe", "00ff"}};
  EXPECT_THAT(sites_of(tree).remark, testing::HasSubstr("built anew"));
}

}  // namespace
}  // namespace command
