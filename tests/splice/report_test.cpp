// SPDX-License-Identifier: Apache-2.0
// What a splice reports: which engine it used, how it cut its trees, and why it could not do better.
#include <sennit/sennit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using sennit::divided;
using sennit::effects;
using sennit::memory_range;
using sennit::range;
using sennit::reads;
using sennit::splice_engine;
using sennit::splice_reason;
using sennit::splice_report;
using sennit::writes;

constexpr std::int64_t length = 20000;

struct fields {
  std::vector<double> even = std::vector<double>(length + 64);
  std::vector<double> odd = std::vector<double>(length + 64);
  const double* in(int t) const { return (t % 2 == 0 ? even : odd).data(); }
  double* out(int t) { return (t % 2 == 0 ? odd : even).data(); }
};

// A sweep over `all` in blocks of 100, whose effects are `of`.
template <class Part, class Effects>
auto sweep(Part all, Effects of) {
  return divided{all, 100, std::move(of), [](const Part&) {}};
}

template <class Body>
splice_report report_of(Body&& body, int n = 4) {
  sennit::runtime one({.workers = 1});
  return one.run([&] { return sennit::splice(n, body); });
}

auto smooth(fields& f, int t, range all) {
  return sweep(all, [in = f.in(t), out = f.out(t)](range r) {
    return effects(reads(memory_range(in, r.grown(1))), writes(memory_range(out, r)));
  });
}

// Catches a change after which stencils no longer take the fast order, or are no longer shifted.
TEST(SpliceReport, StencilsTakeTheWavefrontAndAreShifted) {
  fields f;
  const splice_report report = report_of([&](int t) { return smooth(f, t, {32, length}); });
  EXPECT_EQ(report.engine, splice_engine::wavefront);
  EXPECT_EQ(report.no_wavefront, splice_reason::none);
  EXPECT_EQ(report.block, 100);
  EXPECT_EQ(report.shift, 3);
  EXPECT_EQ(report.no_shift, splice_reason::none);
  EXPECT_THAT(report.text(),
              testing::StartsWith("800 steps, by the wavefront.\n"
                                  "Blocks of 100, which is 1.56 KiB of data. The program says this size.\n"
                                  "Blocks are shifted by 3 from the first tree to the last.\n"
                                  "4 trees together, all that there are.\n"));
}

// Catches steps of shifted trees that are compared with all trees before theirs.
TEST(SpliceReport, StepsOfShiftedTreesAreComparedWithFewTrees) {
  fields f;
  const splice_report report = report_of([&](int t) { return smooth(f, t, {32, length}); }, 32);
  EXPECT_EQ(report.shift, 31);
  EXPECT_LE(report.checks, 4 * report.steps);
}

// Catches the same for sweeps that need nothing of their neighbors: there is nothing to shift, and no excuse.
TEST(SpliceReport, SweepsInPlaceTakeTheWavefrontWithoutAShift) {
  fields f;
  const splice_report report = report_of([&](int) {
    return sweep(range{0, length},
                 [out = f.out(0)](range r) { return effects(writes(memory_range(out, r))); });
  });
  EXPECT_EQ(report.engine, splice_engine::wavefront);
  EXPECT_EQ(report.shift, 0);
  EXPECT_EQ(report.no_shift, splice_reason::none);
}

// Catches the same for stencils over rows of a plate.
TEST(SpliceReport, RowsTakeTheWavefrontAndAreShifted) {
  fields f;
  const splice_report report = report_of([&](int t) {
    return divided{range{1, 199}, 10,
                   [in = f.in(t), out = f.out(t)](range r) {
                     return effects(reads(memory_range(in + 100 * (r.first - 1), 100 * (r.size() + 2))),
                                    writes(memory_range(out + 100 * r.first, 100 * r.size())));
                   },
                   [](range) {}};
  });
  EXPECT_EQ(report.engine, splice_engine::wavefront);
  EXPECT_EQ(report.shift, 3);
}

// Catches boxes of whole rows that are taken for scattered data, although a user sees no difference to memory_range.
TEST(SpliceReport, BoxesOfWholeRowsTakeTheWavefrontAndAreShifted) {
  fields f;
  const splice_report report = report_of([&](int t) {
    return divided{range{1, 199}, 10,
                   [in = f.in(t), out = f.out(t)](range r) {
                     return effects(reads(sennit::memory_box<2>(in, {100}, {r.grown(1), range{0, 100}})),
                                    writes(sennit::memory_box<2>(out, {100}, {r, range{0, 100}})));
                   },
                   [](range) {}};
  });
  EXPECT_EQ(report.engine, splice_engine::wavefront);
  EXPECT_EQ(report.shift, 3);
}

// Catches a reason that is not that of the splice.
TEST(SpliceReport, SaysWhyTheWavefrontIsNotUsed) {
  fields f;
  const auto reason = [](const splice_report& report) {
    EXPECT_EQ(report.engine, splice_engine::calls);
    return report.no_wavefront;
  };
  EXPECT_EQ(reason(report_of([&](int) {
              const sennit::call_effects fx{writes(memory_range(f.out(0), 10))};
              sennit::step(fx, [] {});
            })),
            splice_reason::functions);
  EXPECT_EQ(reason(report_of([&](int) {
              return divided{range{0, 100}, 10,
                             [out = f.out(0)](range r) {
                               return effects(writes(sennit::memory_box<2>(out, {100}, {r, range{0, 50}})));
                             },
                             [](range) {}};
            })),
            splice_reason::scattered_data);
  // But not the border of a plate.
  EXPECT_EQ(report_of([&](int) {
              return divided{range{0, 100}, 10,
                             [out = f.out(0)](range r) {
                               return effects(writes(sennit::memory_box<2>(out, {100}, {r, range{1, 99}})));
                             },
                             [](range) {}};
            }).engine,
            splice_engine::wavefront);
  EXPECT_EQ(reason(report_of([&](int t) {
              return sweep(range{0, 1000}, [out = f.out(0) + 1000 * t](range r) {
                return effects(writes(memory_range(out, r)));
              });
            })),
            splice_reason::independent_trees);
  // Back and forth, and each block needs the one before it.
  EXPECT_EQ(reason(report_of([&](int t) {
              return sweep(range{1, length}, [out = f.out(0), t](range r) {
                const range mirrored{length - r.last, length - r.first};
                return effects(
                    reads(memory_range(out, (t % 2 == 0 ? r : mirrored).grown(1).within({0, length}))),
                    writes(memory_range(out, t % 2 == 0 ? r : mirrored)));
              });
            })),
            splice_reason::opposite_directions);
}

// Catches a wavefront for trees whose effects have no gaps as a whole, and many in each part: hulls then show dependences
// everywhere, so all steps wait, and the order is that of the loop.
TEST(SpliceReport, PlatesBehindOneAnotherDoNotTakeTheWavefront) {
  fields f;
  const auto smooth_plates = [&](int t) {
    // Of three plates of 60 rows of 100 numbers.
    const auto of = [](const double* x, range rows) {
      return sennit::memory_box<3>(x, {6000, 100}, {range{0, 3}, rows, range{0, 100}});
    };
    return divided{range{0, 60}, 2,
                   [=, in = f.in(t), out = f.out(t)](range r) {
                     return effects(reads(of(in, r.grown(1).within({0, 60}))), writes(of(out, r)));
                   },
                   [](range) {}};
  };
  const splice_report report = report_of(smooth_plates);
  EXPECT_EQ(report.engine, splice_engine::calls);
  EXPECT_EQ(report.no_wavefront, splice_reason::scattered_data);
  EXPECT_EQ(report.shift, 3);
  EXPECT_EQ(report.delayed, 0U) << report.text();
}

struct halves {
  range r;
  std::int64_t size() const { return r.size(); }
  halves left() const { return {r.left()}; }
  halves right() const { return {r.right()}; }
};

// Catches a reason that is not that of the splice, and a shift that is reported although there is none.
TEST(SpliceReport, SaysWhyBlocksAreNotShifted) {
  fields f;
  const auto reason = [](const splice_report& report) {
    EXPECT_EQ(report.shift, 0);
    return report.no_shift;
  };
  EXPECT_EQ(reason(report_of([&](int t) {
              return sweep(halves{{32, length}}, [in = f.in(t), out = f.out(t)](const halves& part) {
                return effects(reads(memory_range(in, part.r.grown(1))), writes(memory_range(out, part.r)));
              });
            })),
            splice_reason::parts);
  EXPECT_EQ(reason(report_of([&](int t) { return smooth(f, t, {32, length - t}); })), splice_reason::ranges);
  EXPECT_EQ(reason(report_of([&](int t) {
              return sweep(range{4000, length - 4000}, [in = f.in(t), out = f.out(t)](range r) {
                return effects(reads(memory_range(in, r.grown(4000))), writes(memory_range(out, r)));
              });
            })),
            splice_reason::far_data);
}

// Catches a report from which nobody sees why a size won: sizes without times, or a size that is not the fastest of those.
TEST(SpliceReport, SaysWhatSizesWereTriedAndWhatTheyTook) {
  constexpr std::int64_t many = 4'000'000;
  std::vector<double> u[2] = {std::vector<double>(many, 1.0), std::vector<double>(many, 1.0)};
  const auto add = [&](int t) {
    double* const out = u[(t + 1) % 2].data();
    const double* const in = u[t % 2].data();
    return divided{
        range{1, many - 1}, 0,
        [=](range r) { return effects(reads(memory_range(in, r.grown(1))), writes(memory_range(out, r))); },
        [=](range r) {
          for (auto i = r.first; i < r.last; ++i) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
        }};
  };
  splice_report report;
  for (int i = 0; i < 20 && (i == 0 || report.tries_more); ++i) report = report_of(add, 8);
  ASSERT_FALSE(report.tries_more) << report.text();
  EXPECT_TRUE(report.block_is_chosen);
  EXPECT_NEAR(static_cast<double>(report.block_bytes), 16.0 * static_cast<double>(report.block), 1);
  EXPECT_EQ(report.tried.size(), report.blocks_tried);
  double chosen = 0;
  double best = 1e9;
  std::int64_t last = 0;
  for (const sennit::tried_block& t : report.tried) {
    EXPECT_GT(t.block, last);
    EXPECT_GT(t.ns, 0);
    if (t.block == report.block) chosen = t.ns;
    best = std::min(best, t.ns);
    last = t.block;
  }
  EXPECT_LE(0.979 * chosen, best) << report.text();
  EXPECT_THAT(report.text(),
              testing::AllOf(testing::HasSubstr("One index takes, in all interleaved trees together: "),
                             testing::HasSubstr(" ns in blocks of " + std::to_string(report.block)),
                             testing::HasSubstr("which stays.\n")));
}

// Catches a list of sizes that is written past its end, or that forgets the best.
TEST(SpliceReport, KeepsTheFastestOfManySizes) {
  sennit::tried_blocks tried;
  for (std::int64_t i = 0; i < 40; ++i)
    tried.add({1000 - i, i < 20 ? 40.0 - static_cast<double>(i) : 20.0 + static_cast<double>(i)});
  tried.add({981, 1.0});
  EXPECT_EQ(tried.size(), sennit::tried_blocks::most);
  std::int64_t last = 0;
  for (const sennit::tried_block& t : tried) {
    EXPECT_GT(t.block, last);
    EXPECT_LE(t.ns, 40);
    last = t.block;
    EXPECT_TRUE(t.block != 981 || t.ns == 1);
  }
  EXPECT_TRUE(std::any_of(tried.begin(), tried.end(), [](const auto& t) { return t.block == 981; }));
}

// Catches a report that does not say why so many trees were interleaved.
TEST(SpliceReport, SaysWhySoManyTreesWereInterleaved) {
  fields f;
  const auto body = [&](int t) { return smooth(f, t, {32, length}); };
  const auto group = [](const splice_report& report, std::uint32_t together) {
    EXPECT_EQ(report.together, together);
    return report.group;
  };
  sennit::runtime one({.workers = 1});
  const auto given = [&](std::uint32_t together, auto&& what) {
    return one.run([&] { return sennit::splice({.together = together}, 10, what); });
  };
  EXPECT_EQ(group(report_of(body), 4), sennit::splice_group::all);
  EXPECT_EQ(group(report_of(body, 40), 32), sennit::splice_group::usual);
  EXPECT_EQ(group(given(3, body), 3), sennit::splice_group::given);
  EXPECT_EQ(group(given(30, body), 10), sennit::splice_group::all);
  const auto function = [&](int) {
    const sennit::call_effects fx{writes(memory_range(f.out(0), 10))};
    sennit::step(fx, [] {});
  };
  EXPECT_EQ(group(report_of(function, 40), 32), sennit::splice_group::usual);
  EXPECT_EQ(group(given(3, function), 3), sennit::splice_group::given);
  EXPECT_EQ(group(report_of(body, 0), 0), sennit::splice_group::none);
  // Each of the rows is as large as the cache, so that few trees can be interleaved.
  const auto far_apart = [&](int t) {
    const auto of = [](const double* x, range r) {
      return memory_range(x, range{(8 << 20) * r.first, (8 << 20) * r.last});
    };
    return divided{range{1, 199}, 0,
                   [=, in = f.in(t), out = f.out(t) + (std::int64_t{1} << 40)](range r) {
                     return effects(reads(of(in, r.grown(1))), writes(of(out, r)));
                   },
                   [](range) {}};
  };
  // Memoized, as other splices try further numbers while they run.
  sennit::memoized_splice spliced(far_apart);
  one.run([&] { spliced.run(32); });
  const splice_report& few = spliced.report();
  EXPECT_LT(few.together, 32U) << few.text();
  EXPECT_EQ(few.group, sennit::splice_group::caches);
  EXPECT_THAT(few.text(),
              testing::HasSubstr(" trees together, as the data of more would not fit the caches.\n"));
  EXPECT_EQ(report_of(far_apart, 32).group, sennit::splice_group::tried);
}

// Catches a report that keeps what an earlier splice did, and sums that hide a slow part.
TEST(SpliceReport, SumsSayThatEnginesDiffer) {
  fields f;
  splice_report sum = report_of([&](int t) { return smooth(f, t, {32, length}); });
  const splice_report slow = report_of([&](int) {
    const sennit::call_effects fx{writes(memory_range(f.out(0), 10))};
    sennit::step(fx, [] {});
  });
  sum += slow;
  EXPECT_EQ(sum.engine, splice_engine::several);
  EXPECT_EQ(sum.no_wavefront, splice_reason::functions);
  EXPECT_EQ(sum.shift, 3);
  splice_report none;
  EXPECT_EQ(none.text(), "no steps");
  none += slow;
  EXPECT_EQ(none.engine, splice_engine::calls);
}

// Catches a memoized splice that does not say how its order was found.
TEST(SpliceReport, MemoizedSplicesSayHowTheirOrderWasFound) {
  fields f;
  sennit::memoized_splice four([&](int t) { return smooth(f, t, {32, length}); });
  EXPECT_EQ(four.report().engine, splice_engine::none);
  sennit::runtime one({.workers = 1});
  one.run([&] {
    four.run(4);
    four.run(4);
  });
  EXPECT_EQ(four.report().engine, splice_engine::wavefront);
  EXPECT_EQ(four.report().shift, 3);
  EXPECT_EQ(four.report().block, 100);
}

}  // namespace
