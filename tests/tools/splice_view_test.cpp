// SPDX-License-Identifier: Apache-2.0
// `sennit view splice` and `sennit run --splice`: the page, in a browser if there is one, the text, and what is said of bad files.
#include "tests/tools/browser.hpp"
#include "tests/tools/support.hpp"
#include "tools/sennit/splice_view.hpp"

#include <sennit/sennit.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace command {
namespace {

using gallery::temporary_folder;
using nlohmann::json;
using sennit::splice_schedule;
using sennit::detail::splice_item;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

splice_schedule of(std::vector<std::uint32_t> blocks, std::vector<splice_item> items, unsigned workers = 1) {
  return sennit::detail::splice_schedule_access::make(workers, std::move(blocks), std::move(items));
}

// Each block of one call two turns after that of the call before.
splice_schedule wavefront(std::uint32_t calls, std::uint32_t blocks) {
  std::vector<splice_item> items;
  for (std::uint32_t front = 0; front < 2 * calls + blocks; ++front) {
    for (std::uint32_t call = 0; call < calls; ++call) {
      if (front >= 2 * call && front - 2 * call < blocks) items.push_back({call, front - 2 * call});
    }
  }
  return of(std::vector<std::uint32_t>(calls, blocks), std::move(items));
}

// Two calls of two blocks, on a strand for each block.
splice_schedule columns() {
  return of({2, 2},
            {{splice_item::fork, 0},
             {0, 0},
             {1, 0},
             {splice_item::second, 0},
             {0, 1},
             {1, 1},
             {splice_item::both_over, 0}},
            2);
}

// Catches: places drawn in another row or column, or with the time or the strand of others.
TEST(ViewOfASplice, DrawsWhenAndOnWhichStrand) {
  const splice_picture p = picture_of(columns());
  EXPECT_EQ(p.turns, (std::vector<std::vector<std::uint64_t>>{{0, 0}, {1, 1}}));
  EXPECT_EQ(p.strands, (std::vector<std::vector<std::uint32_t>>{{0, 1}, {0, 1}}));
  EXPECT_EQ(text(columns(), "a.splice"),
            "a.splice: 4 steps, 2 calls of 2 blocks, found for 2 workers\n"
            "2 strands beside one another, 2 steps in the longest chain\n"
            "2 tiles, of 2 steps on average\n"
            "a block is used by the next call after 1 step (median); call by call, after 2\n"
            "\nWhen, from 0 to 9 and on to z; calls down, blocks across:\n"
            "      0  00\n"
            "      1  ii\n"
            "\nOn which strand:\n"
            "      0  AB\n"
            "      1  AB\n");
}

// Catches: a picture in which one does not see the front: time grows to the right, and down by as much as the front is slanted.
TEST(ViewOfASplice, ShowsTheFront) {
  const std::string shown = text(wavefront(4, 36), "w.splice");
  std::vector<std::string> rows;
  for (std::size_t call = 0; call < 4; ++call) {
    rows.push_back(between(shown, "      " + std::to_string(call) + "  ", "\n"));
    ASSERT_EQ(rows[call].size(), 36U) << shown;
    EXPECT_TRUE(std::is_sorted(rows[call].begin(), rows[call].end()));
    if (call == 0) continue;
    for (std::size_t i = 0; i < 36; ++i) EXPECT_GE(rows[call][i], rows[call - 1][i]);
    EXPECT_LE(rows[call][0], rows[call - 1][4]);  // long before the call before is over
  }
}

// Catches: tiles that are cut where a step follows in the next call, or go on where the front moves on, or on another strand.
TEST(ViewOfASplice, FindsTheTiles) {
  const splice_picture slanted = picture_of(wavefront(3, 6));
  EXPECT_EQ(slanted.tiles[0][4], slanted.tiles[1][2]);
  EXPECT_EQ(slanted.tiles[1][2], slanted.tiles[2][0]);
  EXPECT_NE(slanted.tiles[0][4], slanted.tiles[0][3]);
  EXPECT_EQ(slanted.tile_count, 10U);
  EXPECT_EQ(picture_of(columns()).tiles, (std::vector<std::vector<std::uint32_t>>{{0, 1}, {0, 1}}));
}

// Catches: a block that is said although calls differ, or although nobody knows it.
TEST(ViewOfASplice, SaysTheBlockThatTheFileHas) {
  const auto with_sizes = [](std::vector<std::int64_t> sizes) {
    return sennit::detail::splice_schedule_access::make(1, {1, 1}, {{0, 0}, {1, 0}}, std::move(sizes));
  };
  EXPECT_THAT(text(with_sizes({4096, 4096}), "a"), HasSubstr("blocks of at most 4,096\n"));
  EXPECT_EQ(block_of(with_sizes({4096, 2048})), std::nullopt);
  EXPECT_EQ(block_of(with_sizes({0, 0})), std::nullopt);
  EXPECT_EQ(block_of(with_sizes({})), std::nullopt);
}

// Catches: a median of something else, distances between calls that have not the same blocks.
TEST(ViewOfASplice, MeasuresReuse) {
  const auto plain = reuse_of(picture_of(of({3, 3}, {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}})));
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->spliced, 3);
  EXPECT_EQ(plain->plain, 3U);
  EXPECT_EQ(reuse_of(picture_of(wavefront(8, 100)))->spliced, 17);
  EXPECT_FALSE(reuse_of(picture_of(of({1, 2}, {{0, 0}, {1, 0}, {1, 1}}))).has_value());
}

// Catches: calls of different sizes, of one block or of none that are drawn out of bounds; more of them than there is room for.
TEST(ViewOfASplice, DrawsWhateverThereIs) {
  EXPECT_THAT(text(splice_schedule(), "none"), AllOf(HasSubstr("0 steps, 0 calls"), Not(HasSubstr("When"))));
  EXPECT_THAT(text(of({1}, {{0, 0}}), "one"), HasSubstr("1 step, 1 call of 1 block, found for 1 worker"));
  EXPECT_THAT(
      text(of({1, 3, 0}, {{0, 0}, {1, 2}, {1, 1}, {1, 0}}), "some"),
      AllOf(HasSubstr("3 calls of 0 to 3 blocks"), HasSubstr("      0  000\n      1  ri9\n      2  \n")));
  const std::string large = text(wavefront(500, 300), "large");
  EXPECT_EQ(std::count(large.begin(), large.end(), '\n'), 64 + 5);
  EXPECT_THAT(large, HasSubstr("150,000 steps"));
}

// Catches: `view` that does not see what is in a file, `view splice` that takes others; pages nobody asked for.
TEST(ViewOfASplice, WritesWhatItIsAskedFor) {
  const temporary_folder folder;
  const std::string file = folder / "a.splice";
  columns().save(file);
  for (const auto& words : {std::vector<std::string>{"view", file}, {"view", "splice", file}}) {
    const outcome o = sennit(words);
    EXPECT_EQ(o.code, success) << o.err;
    EXPECT_THAT(o.out, HasSubstr("a.splice.html; open it in a browser"));
    const json data = data_of(read(folder / "a.splice.html"));
    EXPECT_EQ(data["name"], "a.splice");
    EXPECT_EQ(data["turns"], (json{{0, 0}, {1, 1}}));
    EXPECT_EQ(data["strand_of"], (json{{0, 1}, {0, 1}}));
    EXPECT_EQ(data["tile_of"], (json{{0, 1}, {0, 1}}));
    std::filesystem::remove(folder / "a.splice.html");
    std::vector<std::string> more = words;
    more.emplace_back("--text");
    EXPECT_EQ(sennit(more).out, text(columns(), "a.splice"));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.splice.html"));
    more.insert(more.end(), {"--output", folder / "b.html"});
    EXPECT_EQ(sennit(more).code, success);
    EXPECT_TRUE(std::filesystem::exists(folder / "b.html"));
    std::filesystem::remove(folder / "b.html");
  }
}

// Catches: complaints that do not name the file or what to do; a file that is needed and not asked for.
TEST(ViewOfASplice, NamesWhatItCannotUse) {
  const temporary_folder folder;
  const auto complaint_of = [](const std::vector<std::string>& words) {
    const outcome o = sennit(words);
    EXPECT_EQ(o.code, bad_usage);
    return o.err;
  };
  const std::string file = folder / "a.splice";
  columns().save(file);
  sennit::schedule().save(folder / "a.sched");
  EXPECT_THAT(complaint_of({"view", "splice", folder / "a.sched"}),
              AllOf(HasSubstr("a.sched"), HasSubstr("is no schedule of a splice"), HasSubstr("give a file")));
  EXPECT_THAT(complaint_of({"view", "splice", folder / "none"}), HasSubstr("give a file that exists"));
  EXPECT_THAT(complaint_of({"view", "splice"}),
              HasSubstr("FILE is required; see 'sennit view splice --help'"));
  EXPECT_THAT(complaint_of({"view"}), HasSubstr("FILE is required; see 'sennit view --help'"));
  EXPECT_THAT(complaint_of({"view", file, "--dot", folder / "a.dot"}), HasSubstr("no graph"));
  EXPECT_THAT(complaint_of({"view", file, "--trace-events", folder / "a.json"}),
              HasSubstr("no trace events"));
  EXPECT_THAT(complaint_of({"view", file, "--against", folder / "a.sched"}), HasSubstr("no steal tree"));
  EXPECT_THAT(complaint_of({"view", "splice", file, "--cache", "3"}), HasSubstr("'3' is no number from 256"));
  EXPECT_THAT(complaint_of({"view", "splice", file, "--cache", "many"}), HasSubstr("--cache"));
  const std::string cut = folder.with("cut.splice", read(file).substr(0, 20));
  EXPECT_THAT(complaint_of({"view", cut}), AllOf(HasSubstr(cut), HasSubstr("checksum")));
}

// Catches: a kernel that is not spliced where it says so, whose result is another, or whose order nobody can save.
TEST(ViewOfASplice, OfTheGallery) {
  const temporary_folder folder;
  const std::string file = folder / "heat.splice";
  std::vector<std::string> words{"run",       "heat",       "--steps",           "20",       "--block",
                                 "16",        "--no-forks", "--repeat",          "1",        "--workers",
                                 "2",         "--output",   folder / "heat.png", "--splice", file,
                                 "--variant", "spliced"};
  const outcome spliced = sennit(words);
  EXPECT_EQ(spliced.code, success) << spliced.err;
  EXPECT_THAT(spliced.out, HasSubstr("heat.splice; 'sennit view splice' shows it"));
  const splice_schedule order = splice_schedule::load(file);
  EXPECT_EQ(order.blocks().size(), 20U);
  EXPECT_EQ(order.workers(), 2U);
  const auto reused = reuse_of(picture_of(order));
  EXPECT_LT(reused->spliced, reused->plain);
  words.back() = "loops";
  const outcome loops = sennit(words);
  EXPECT_EQ(loops.code, bad_usage);
  EXPECT_THAT(loops.err, HasSubstr("choose --variant spliced"));
  EXPECT_EQ(sennit({"run", "fib", "--splice", file}).code, bad_usage);
  const outcome stencil = sennit({"run", "jacobi-1d", "--n", "5000", "--steps", "6", "--block", "200",
                                  "--no-forks", "--repeat", "1", "--workers", "1", "--splice", file});
  EXPECT_EQ(stencil.code, success) << stencil.err;
  EXPECT_TRUE(splice_schedule::load(file).has_memory());
  EXPECT_EQ(splice_schedule::load(file).report().shift, 5);
  EXPECT_THAT(sennit({"view", "splice", file, "--text", "--cache", "16KiB"}).out,
              HasSubstr("One core with a cache of 16 KiB fetches "));
  EXPECT_EQ(splice_schedule::load(file).blocks(), std::vector<std::uint32_t>(6, 26))
      << "of 200 numbers, one shifted";
}

// Catches: a page that draws other cells than there are, or later ones than the slider says, or fails once it is left.
TEST_F(Browser, DrawsTheCellsOfASplice) {
  const json done = run(page(wavefront(8, 40), "w.splice"), R"js(
    result.title = document.title;
    result.cells = shown.cells;
    result.over = shown.over;
    go_to(100);
    result.then = shown.over;
    result.status = document.getElementById("over").textContent;
    document.getElementById("closer").click();
    result.closer = shown.cells;
    document.getElementById("all").click();
    go_to(320);
    const box = document.getElementById("cells").getBoundingClientRect();
    const under = (x, y) => cell_at({clientX: box.left + x * box.width, clientY: box.top + y * box.height});
    result.first = under(0.001, 0.001);
    result.last = under(0.999, 0.999);
    result.strands = document.getElementById("by_strand").hidden;
    result.lines = shown.lines;
    go_to(40);
    result.in_tiles = [turn_of(0, 30), turn_of(1, 0)];
    document.getElementById("by_loop").click();
    result.in_loop = [turn_of(0, 30), turn_of(1, 0)];
    result.loop_lines = shown.lines;
    for (const id of ["over", "moment", "play", "by_time", "by_tile", "by_strand", "by_loop"]) document.getElementById(id).remove();
    color_by("strand");
    go_to(1);
    play(false);
    result.gone = shown.over;
  )js");
  EXPECT_EQ(done["title"], "w.splice – splice");
  EXPECT_EQ(done["cells"], 320);
  EXPECT_EQ(done["over"], 320);
  EXPECT_EQ(done["then"], 100);
  EXPECT_EQ(done["status"], "100 of 320 turns");
  EXPECT_LT(done["closer"], 200);
  EXPECT_EQ(done["first"], (json{{"call", 0}, {"block", 0}}));
  EXPECT_EQ(done["last"], (json{{"call", 7}, {"block", 39}}));
  EXPECT_EQ(done["strands"], true);
  EXPECT_GT(done["lines"], 200) << "around tiles, which are slanted: on two sides of nearly each cell";
  EXPECT_GT(done["in_tiles"][0], done["in_tiles"][1]);
  EXPECT_EQ(done["in_loop"], (json{30, 40}));
  EXPECT_EQ(done["loop_lines"], 0);
  EXPECT_EQ(done["gone"], 1);
}

// Catches: strands that one cannot tell apart, a page that has no steps to draw.
TEST_F(Browser, DrawsTheStrandsOfASplice) {
  const std::string script = std::string(count) + R"js(
    result.legend = count("#strands span");
    result.colors = [...document.querySelectorAll("#strands i")].map((dot) => dot.style.color);
    const button = document.getElementById("by_strand");
    if (button) button.click();
    result.pressed = button ? button.getAttribute("aria-pressed") : "";
    result.cells = shown.cells;
  )js";
  const json two = run(page(columns(), "a.splice"), script);
  EXPECT_EQ(two["legend"], 2);
  EXPECT_NE(two["colors"][0], two["colors"][1]);
  EXPECT_EQ(two["pressed"], "true");
  EXPECT_EQ(two["cells"], 4);
  EXPECT_EQ(run(page(splice_schedule(), "none"), "result.cells = shown.cells;")["cells"], 0);
}

// Catches: a page that is light whatever the user wants.
TEST_F(Browser, DrawsASpliceLightOrDark) {
  const std::string script = "result.page = getComputedStyle(document.body).backgroundColor;";
  const std::string made = page(columns(), "a.splice");
  EXPECT_NE(run(made, script, "--blink-settings=preferredColorScheme=0")["page"],
            run(made, script, "--blink-settings=preferredColorScheme=1")["page"]);
}

}  // namespace
}  // namespace command
