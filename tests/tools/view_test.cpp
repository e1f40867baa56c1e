// `sennit view`: the page, in a browser if there is one, the text, the trace, and what is said of bad files.
#include "schedule/timeline.hpp"
#include "tests/schedule/trees.hpp"
#include "tests/tools/support.hpp"
#include "tools/sennit/page.hpp"
#include "tools/sennit/trace_events.hpp"

#include <sennit/schedule.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
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
