// SPDX-License-Identifier: Apache-2.0
// What the page of a splice says of choices and of memory.
#include "tests/tools/browser.hpp"
#include "tests/tools/support.hpp"
#include "tools/sennit/splice_view.hpp"

#include <sennit/sennit.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace command {
namespace {

using nlohmann::json;
using sennit::splice_schedule;
using sennit::detail::splice_item;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// As a file of the library's first version has it.
splice_schedule older() {
  return sennit::detail::splice_schedule_access::make(1, {2, 2}, {{0, 0}, {1, 0}, {0, 1}, {1, 1}});
}

// Four calls over the same 64 KiB in blocks of 1 KiB, all calls of a block after another, and what was chosen.
splice_schedule noted(std::vector<std::pair<std::int64_t, double>> tried = {}) {
  std::vector<splice_item> items;
  sennit::detail::splice_notes notes;
  for (std::uint32_t block = 0; block < 64; ++block) {
    for (std::uint32_t call = 0; call < 4; ++call) items.push_back({call, block});
  }
  for (std::uint64_t call = 0; call < 4; ++call) {
    notes.first_blocks.push_back(64 * call);
    for (std::uint64_t block = 0; block < 64; ++block) {
      notes.memory.push_back({.first = 1024 * block, .bytes = 1024});
      notes.memory_ends.push_back(notes.memory.size());
    }
  }
  sennit::splice_report& r = notes.report;
  r.engine = sennit::splice_engine::wavefront;
  r.steps = 256;
  r.together = 4;
  r.group = sennit::splice_group::all;
  r.block = 128;
  r.block_bytes = 1024;
  r.block_is_chosen = true;
  r.shift = 3;
  r.blocks_tried = static_cast<std::uint32_t>(tried.size());
  for (const auto& [block, ns] : tried) r.tried.add({block, ns});
  notes.caches.own = 8192;
  return sennit::detail::splice_schedule_access::make(1, {64, 64, 64, 64}, std::move(items), {},
                                                      std::move(notes));
}

// Catches: choices that a person does not see, bytes of the other order, a cache that is not the one that was asked for.
TEST(ViewOfASplice, SaysWhatWasChosenAndWhatItSaves) {
  EXPECT_THAT(
      text(noted({{64, 2.5}, {128, 2}}), "a"),
      AllOf(HasSubstr("256 steps, by the wavefront.\nBlocks of 128, which is 1 KiB of data.\n"),
            HasSubstr("2.5 ns in blocks of 64, 2 ns in blocks of 128"),
            HasSubstr(
                "One core with a cache of 8 KiB fetches 256 KiB in the order of the loop, and 64 KiB in this "
                "order, 4.00 times less.\n"),
            HasSubstr("lines of 64 B"), HasSubstr("They touch 64 KiB of memory, 256 KiB in all.\n")));
  EXPECT_THAT(text(noted(), "a", 512),
              HasSubstr("a cache of 512 B fetches 256 KiB in the order of the loop, and 256 KiB in "
                        "this order: it gains nothing."));
  const json data = data_of(page(noted({{64, 2.5}, {128, 2}}), "a", 4096));
  EXPECT_EQ(data["choices"]["headline"], "The wavefront runs 4 calls together, in blocks of 128 (1 KiB of "
                                         "data), the last of them 3 indices behind the first.");
  EXPECT_EQ(data["choices"]["tried"], (json{{64, 2.5}, {128, 2.0}}));
  EXPECT_EQ(data["memory"]["cache"], 4096);
  EXPECT_THAT(data["memory"]["sizes"], testing::Contains(json{4096, 262144, 65536}));
  // Nothing is made up for a file that does not say it.
  const json of_older = data_of(page(older(), "w"));
  EXPECT_EQ(of_older["choices"], nullptr);
  EXPECT_FALSE(of_older["memory"].contains("sizes"));
  EXPECT_THAT(of_older["memory"]["sentence"], HasSubstr("does not say which memory each step touches"));
  EXPECT_THAT(text(older(), "w"), Not(HasSubstr("cache")));
}

// Catches: a headline that leaves out what the splice does, or is no sentence.
TEST(ViewOfASplice, BeginsWithASentenceForEachEngine) {
  const auto headline = [](auto&& change) {
    sennit::detail::splice_notes notes;
    notes.report.together = 1;
    change(notes.report);
    const auto s = sennit::detail::splice_schedule_access::make(1, {1}, {{0, 0}}, {}, std::move(notes));
    return data_of(page(s, "a"))["choices"]["headline"];
  };
  using sennit::splice_engine;
  EXPECT_EQ(headline([](auto& r) {
              r.engine = splice_engine::wavefront;
              r.together = 8;
              r.tile_rows = 2;
              r.tile_columns = 134;
              r.shift = 7;
              r.shift_of_columns = 1;
            }),
            "The wavefront runs 8 calls together, in tiles of 2 rows and 134 columns, the last of them 7 "
            "rows and 1 column behind "
            "the first.");
  EXPECT_EQ(headline([](auto& r) { r.engine = splice_engine::calls; }),
            "The splicer runs, call by call, 1 call together.");
  EXPECT_EQ(headline([](auto& r) { r.engine = splice_engine::several; }),
            "Several engines run 1 call together.");
  EXPECT_EQ(headline([](auto& r) { r.engine = splice_engine::checker; }),
            "The effect checker has run the calls one after the other.");
}

// Catches: charts that are not drawn, that show something else, or that stay empty where there is nothing to show.
TEST_F(Browser, DrawsWhatASpliceSaves) {
  const std::string script = std::string(count) + R"js(
    const is_seen = (id) => by_id(id).getBoundingClientRect().height > 0;
    result.headline = by_id("headline").textContent;
    result.seen = ["orders", "from_memory", "choices", "tried"].filter(is_seen);
    result.bars = [...document.querySelectorAll("#fetched_bars rect")].map((bar) => Number(bar.getAttribute("width")));
    result.tried = count("#tried_bars rect");
    result.chosen = [...document.querySelectorAll("#tried_bars text.counts")].map((text) => text.textContent);
    result.lines = count("#fetched_sizes polyline");
    result.reasons = count("#choices_text li");
    const path_of = (id) => document.querySelector(`#${id} path`)?.getBBox().width ?? 0;
    result.wide = [path_of("loop_footprint"), path_of("spliced_footprint")];
    const ink = (what) => getComputedStyle(document.querySelector(what) ?? document.body).fill;
    result.colors = [ink("#loop_footprint path"), ink("#spliced_footprint path")];
  )js";
  const json seen = run(page(noted({{64, 2.5}, {128, 2}, {256, 2.1}}), "a.splice"), script);
  EXPECT_THAT(std::string(seen["headline"]), HasSubstr("The wavefront runs 4 calls together"));
  EXPECT_EQ(seen["seen"], (json{"orders", "from_memory", "choices", "tried"}));
  EXPECT_NEAR(seen["bars"][0].get<double>(), 4 * seen["bars"][1].get<double>(), 0.1);
  EXPECT_EQ(seen["tried"], 3);
  EXPECT_EQ(seen["chosen"], (json{"128", "2 ns"}));
  EXPECT_EQ(seen["lines"], 2);
  EXPECT_GE(seen["reasons"], 5);
  EXPECT_EQ(seen["wide"], (json{480, 480}));
  EXPECT_NE(seen["colors"][0], seen["colors"][1]);
  const json of_older = run(page(older(), "w.splice"), script);
  EXPECT_EQ(of_older["seen"], json{"orders"});
  EXPECT_EQ(run(page(splice_schedule(), "none"), script)["seen"], json::array());
}

}  // namespace
}  // namespace command
