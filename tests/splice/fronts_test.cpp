// SPDX-License-Identifier: Apache-2.0
// Rows of functions that are walked as a front: what a step costs, and slices that are shifted.
#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

namespace sennit_test {
namespace {

using sennit::call_effects;
using sennit::effects;
using sennit::memory_range;
using sennit::range;
using sennit::reads;
using sennit::sliced_range;
using sennit::splice_report;
using sennit::writes;

// Sweeps over numbers, each of what the one before has written and its neighbors.
struct sweeps {
  std::vector<std::uint64_t> u[2];
  std::vector<std::int64_t> reach;  // of each sweep
  std::int64_t block = 64;          // of the functions
  std::int64_t slice = -1;          // -1: blocks are no slices

  sweeps(std::int64_t n, std::vector<std::int64_t> of) : reach(std::move(of)) {
    for (auto& field : u) {
      field.resize(static_cast<std::size_t>(n));
      std::iota(field.begin(), field.end(), 7U);
    }
  }
  std::int64_t size() const { return static_cast<std::int64_t>(u[0].size()); }
  effects effects_of(std::size_t t, range r) const {
    return {reads(memory_range(u[t % 2].data(), r.grown(reach[t]).within({0, size()}))),
            writes(memory_range(u[(t + 1) % 2].data(), r))};
  }
  void step(std::size_t t, range r) {
    const auto& in = u[t % 2];
    auto& out = u[(t + 1) % 2];
    for (std::int64_t i = r.first; i < r.last; ++i) {
      std::uint64_t sum = t;
      for (std::int64_t j = std::max<std::int64_t>(0, i - reach[t]); j <= std::min(size() - 1, i + reach[t]);
           ++j)
        sum = mixed(sum ^ in[static_cast<std::size_t>(j)]);
      out[static_cast<std::size_t>(i)] += sum;
    }
  }
  void call(std::size_t t, range r) {
    const call_effects fx{effects_of(t, r)};
    if (r.size() > block) {
      sennit::sequence(sennit::call([this, t, half = r.left()] { call(t, half); }),
                       sennit::call([this, t, half = r.right()] { call(t, half); }));
    } else if (slice >= 0) {
      sennit::step(
          sliced_range{r, slice}, [this, t](range s) { return effects_of(t, s); },
          [this, t](range s) { step(t, s); });
    } else {
      sennit::step([&] { step(t, r); });
    }
  }
  splice_report spliced(unsigned workers) {
    return runtime_of(workers).run(
        [&] { return sennit::splice(reach.size(), [&](std::size_t t) { call(t, {0, size()}); }); });
  }
  void serially() {
    for (std::size_t t = 0; t < reach.size(); ++t) step(t, {0, size()});
  }
};

// Expects the result of the loop.
splice_report report_of(sweeps a, unsigned workers) {
  sweeps expected = a;
  expected.serially();
  const splice_report report = a.spliced(workers);
  EXPECT_EQ(a.u[0], expected.u[0]);
  return report;
}

std::vector<std::int64_t> same_reach(std::size_t sweeps) { return std::vector<std::int64_t>(sweeps, 1); }

// Catches steps of functions that are compared with the parts of all calls before them again, twenty times each, and
// calls with more switches of stacks than to begin and to end.
TEST(fronts, a_step_of_a_stencil_needs_three_comparisons) {
  const splice_report report = report_of(sweeps(64 * 512, same_reach(16)), 1);
  EXPECT_EQ(report.steps, 16U * 512);
  EXPECT_LE(report.checks, 3 * report.steps);
  EXPECT_LE(report.switches, 8 * report.steps);
  EXPECT_LE(report.extra_bytes, std::size_t{4} << 20);
}

// Catches calls that a front has left half done, and that are then compared with everything from the roots on.
TEST(fronts, whose_rows_are_forked_do_not_look_from_the_roots) {
  const splice_report report = report_of(sweeps(64 * 1024, same_reach(16)), 2);
  EXPECT_EQ(report.unspliced, 0U);
  EXPECT_LE(report.checks, 20 * report.steps);
}

// Catches slices that all begin at the same index, so that each call is a slice behind the one before.
TEST(fronts, slices_are_shifted_by_what_the_stencil_reaches) {
  for (const std::int64_t block : {1 << 20, 8192}) {
    sweeps a(1 << 15, same_reach(16));
    a.block = block;
    a.slice = 256;
    const splice_report report = report_of(a, 1);
    EXPECT_EQ(report.shift, 15);
    EXPECT_EQ(report.block, 256);
    if (block > a.size()) {
      EXPECT_EQ(report.delayed, 0U);
    }
  }
}

// Catches a size that is not chosen, or not used; and slices of one index outside a splice.
TEST(fronts, the_library_chooses_slices) {
  sweeps a(1 << 18, same_reach(8));
  a.block = 1 << 20;
  a.slice = 0;
  const splice_report report = report_of(a, 1);
  EXPECT_GT(report.block, 64);
  EXPECT_LT(report.block, 1 << 17);
  EXPECT_EQ(report.shift, 7);

  int bodies = 0;
  sennit::step(
      sliced_range{{0, 100}, 0}, [](range) { return effects(); },
      [&](range r) {
        ++bodies;
        EXPECT_EQ(r.size(), 100);
      });
  EXPECT_EQ(bodies, 1);
}

// Catches slices whose sizes are not tried, or tried at different places in the calls of a row: then steps wait.
TEST(fronts, the_library_tries_sizes_of_slices) {
  sweeps a(1 << 20, same_reach(8));
  a.block = 1 << 20;
  a.slice = 0;
  sweeps expected = a;
  expected.serially();
  const splice_report report = a.spliced(1);
  EXPECT_EQ(a.u[0], expected.u[0]);
  EXPECT_GE(report.blocks_tried, 2U);
  EXPECT_EQ(report.shift, 7);
  EXPECT_EQ(report.delayed, 0U);
}

// Catches a search that begins anew with each group of calls, and so never comes to what it has found.
TEST(fronts, later_groups_take_the_size_that_was_found) {
  constexpr std::int64_t n = 1 << 22;
  static double u[2][n];  // which nobody touches
  std::set<std::int64_t> sizes;
  runtime_of(1).run([&] {
    sennit::splice(64, [&](int t) {
      const auto effects_of = [t](range r) {
        return effects{reads(memory_range(u[t % 2], r.grown(1).within({0, n}))),
                       writes(memory_range(u[(t + 1) % 2], r))};
      };
      const call_effects fx{effects_of({0, n})};
      sennit::step(sliced_range{{0, n}, 0}, effects_of, [&, t](range r) {
        if (t >= 32 && r.first != 0 && r.last != n) sizes.insert(r.size());
      });
    });
  });
  EXPECT_EQ(sizes.size(), 1U);
}

// Catches fronts that end where a slice waits for the first one of the next front, and calls that wait there for the end of
// that front: most steps would wait, and nothing would be left of the shift.
TEST(fronts, go_on_where_an_earlier_one_has_ended) {
  sweeps a(1 << 20, same_reach(16));
  a.block = (1 << 20) / 128;
  a.slice = 128;
  sweeps expected = a;
  expected.serially();
  const splice_report report = a.spliced(2);
  EXPECT_EQ(a.u[0], expected.u[0]);
  EXPECT_EQ(report.shift, 15);
  EXPECT_LE(report.delayed, report.steps / 5);
}

// Catches a size that is chosen for the few indices that an earlier front has left, and used for all others.
TEST(fronts, slices_are_chosen_for_the_largest_step) {
  sweeps a(1 << 20, same_reach(16));
  a.block = (1 << 20) / 128;
  a.slice = 0;
  sweeps expected = a;
  expected.serially();
  const splice_report report = a.spliced(2);
  EXPECT_EQ(a.u[0], expected.u[0]);
  EXPECT_LE(report.steps, 16U * (1 << 20) / 256);
}

// Catches fronts that look through all that is left of an earlier phase at each step: two sweeps of one call, of which nothing can
// come early, took a hundred times as long as the loop.
TEST(fronts, look_at_little_of_an_earlier_phase) {
  constexpr std::int64_t n = 100'000;
  std::vector<std::uint64_t> u[2] = {std::vector<std::uint64_t>(n, 1), std::vector<std::uint64_t>(n, 2)};
  std::vector<std::uint64_t> expected[2] = {u[0], u[1]};
  const auto sweep = [](const std::vector<std::uint64_t>& in, std::vector<std::uint64_t>& out, range r) {
    for (auto i = static_cast<std::size_t>(r.first); i < static_cast<std::size_t>(r.last); ++i)
      out[i] = in[i - 1] + 3 * in[i] + in[i + 1];
  };
  const range inner{1, n - 1};
  const auto phase = [&](const std::vector<std::uint64_t>& in, std::vector<std::uint64_t>& out) {
    return sennit::divided{inner, 500,
                           [&](range r) {
                             return effects(reads(memory_range(in.data(), r.grown(1))),
                                            writes(memory_range(out.data(), r)));
                           },
                           [&, sweep](range r) { sweep(in, out, r); }};
  };
  const splice_report report = runtime_of(1).run([&] {
    return sennit::splice(16, [&](int) {
      const call_effects fx{writes(memory_range(u[0]), memory_range(u[1]))};
      sennit::sequence(phase(u[0], u[1]), phase(u[1], u[0]));
    });
  });
  for (int t = 0; t < 16; ++t) {
    sweep(expected[0], expected[1], inner);
    sweep(expected[1], expected[0], inner);
  }
  EXPECT_EQ(u[0], expected[0]);
  EXPECT_EQ(u[1], expected[1]);
  EXPECT_LE(report.checks, 500 * report.steps);
}

// Catches a size of slices that the program has given, and that the slices of another call replace: a step may have
// a buffer of that size.
TEST(fronts, no_slice_is_larger_than_the_program_says) {
  constexpr std::int64_t n = 4096;
  const std::vector<std::int64_t> sizes{64, 16, 200, 16, 64};
  std::vector<std::uint64_t> a(n), expected(n);
  std::vector<std::int64_t> largest(sizes.size());
  sennit::runtime one({.workers = 1});
  one.run([&] {
    sennit::splice(sizes.size(), [&](std::size_t t) {
      const auto effects_of = [&](range r) { return effects(writes(memory_range(a.data(), r))); };
      const call_effects fx{effects_of({0, n})};
      sennit::step(sliced_range{{0, n}, sizes[t]}, effects_of, [&, t](range r) {
        largest[t] = std::max(largest[t], r.size());
        for (auto i = r.first; i < r.last; ++i)
          a[static_cast<std::size_t>(i)] = 3 * a[static_cast<std::size_t>(i)] + t;
      });
    });
  });
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    EXPECT_LE(largest[t], sizes[t]);
    for (auto& e : expected) e = 3 * e + t;
  }
  EXPECT_EQ(a, expected);
}

// Catches an exception of effects_of() that stops calls before its own, as if it were the splice's.
TEST(fronts, effects_that_throw_fail_their_own_step) {
  constexpr std::int64_t n = 4096;
  for (const std::int64_t from : {0, 1, 64, 2000, 4095}) {
    std::vector<int> a(n), late(n);
    sennit::runtime one({.workers = 1});
    EXPECT_THROW(one.run([&] {
      sennit::splice(4, [&](int t) {
        const auto effects_of = [&, t](range r) {
          if (t == 2 && r.last > from) throw std::domain_error("no effects");
          return effects(writes(memory_range(a.data(), r)));
        };
        const call_effects fx{writes(memory_range(a.data(), range{0, n}))};
        sennit::step(sliced_range{{0, n}, 64}, effects_of, [&, t](range r) {
          for (auto i = r.first; i < r.last; ++i) (t < 2 ? a : late)[static_cast<std::size_t>(i)] += 1;
        });
      });
    }),
                 std::domain_error);
    EXPECT_EQ(a, std::vector<int>(n, 2)) << from;
  }
}

// Catches slices that are shifted too little or twice, lost where a call ends, or done before what they read, whatever
// each sweep reaches.
TEST(fronts, of_any_sweeps) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(scaled(150)); ++seed) {
    SCOPED_TRACE(seed);
    random_numbers random(seed);
    std::vector<std::int64_t> reach;
    for (std::uint64_t n = 1 + random.below(9); n > 0; --n)
      reach.push_back(static_cast<std::int64_t>(random.below(random.one_in(3) ? 40 : 4)));
    sweeps a(static_cast<std::int64_t>(1 + random.below(1500)), reach);
    a.block = static_cast<std::int64_t>(1 + random.below(random.one_in(2) ? 2000 : 200));
    a.slice = static_cast<std::int64_t>(random.below(random.one_in(2) ? 8 : 100)) - 1;
    sweeps expected = a;
    expected.serially();
    for (const unsigned workers : {1U, 2U, 4U}) {
      SCOPED_TRACE(workers);
      sweeps b = a;
      b.spliced(workers);
      EXPECT_EQ(b.u[0], expected.u[0]);
      EXPECT_EQ(b.u[1], expected.u[1]);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace sennit_test
