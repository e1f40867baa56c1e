// SPDX-License-Identifier: Apache-2.0
// Random sweeps over rings, forward and backward, against the plain loop.
#include "rings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using sennit::divided;
using sennit::splice_engine;
using sennit::splice_report;
using namespace sennit_test;

// One step of a random program: numbers of a ring, or of the same ring counted from elsewhere or backward.
struct phase {
  std::size_t in, out;
  std::int64_t before, behind, offset;
  bool backward, in_place;
};

// Catches any order that differs from that of the loop where reaches differ, where phases begin elsewhere, go back or
// forth, or read two fields of which one is no ring.
TEST(Rings, RandomSweepsHaveTheResultsOfTheLoop) {
  const std::uint64_t seed = sennit_test::number("TEST_SEED", 1);
  const auto rounds = static_cast<int>(
      sennit_test::number("TEST_SEEDS", static_cast<std::uint64_t>(sennit_test::scaled(400))));
  int moved = 0;
  int fast = 0;
  for (int round = 0; round < rounds; ++round) {
    random_numbers random(seed + static_cast<std::uint64_t>(round));
    const auto below = [&](std::int64_t k) {
      return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(k)));
    };
    const std::int64_t n = random.one_in(4) ? 1 + below(40) : 200 + below(6000);
    const std::int64_t block = random.one_in(3) ? 0 : 1 + below(random.one_in(2) ? 9 : 150);
    const auto arrays = static_cast<std::size_t>(1 + below(3));
    std::vector<phase> phases(static_cast<std::size_t>(1 + below(4)));
    const bool back_too = random.one_in(2);
    const bool offsets = random.one_in(2);
    for (std::size_t k = 0; k < phases.size(); ++k) {
      phase& p = phases[k];
      p = {k % arrays, (k + 1) % arrays,        below(4),
           below(4),   offsets ? below(12) : 0, back_too && random.one_in(2),
           false};
      p.in_place = arrays == 1 || random.one_in(5);
      if (p.in_place) p.out = p.in;
      if (p.in_place && !random.one_in(6)) p.before = p.behind = 0;
    }
    std::vector<field> begin;
    for (std::size_t a = 0; a < arrays; ++a) begin.push_back(some_numbers(n, static_cast<std::int64_t>(a)));
    begin.emplace_back(
        static_cast<std::size_t>(n));  // by indices, and no ring: what the sweeps have computed there
    const bool has_trace = random.one_in(3);
    const field borders = some_numbers(n + 2, 9);
    const auto tree = [&](std::vector<field>& of, int t) {
      const phase& p = phases[static_cast<std::size_t>(t) % phases.size()];
      const field& in = of[p.in];
      field& out = of[p.out];
      const auto number = [p, n](std::int64_t i) {
        return static_cast<std::int64_t>(modulo((p.backward ? n - 1 - i : i) + p.offset, n));
      };
      return divided{range{0, n}, block,
                     [&, p, n, number](range r) {
                       effects all(reads(memory_range(borders.data(), r.grown(1).within({0, n + 2}))),
                                   writes(memory_range(of[arrays].data(), has_trace ? r : range{})));
                       if (r.size() == 0) return all;
                       const auto first = number(p.backward ? r.last - 1 : r.first);
                       const auto whole = range{first, first + r.size()};
                       for (const range part :
                            {whole.within({0, n}), range{0, std::max<std::int64_t>(whole.last - n, 0)}})
                         all += reads_around(in, part.size() == 0 ? range{n / 2, n / 2} : part,
                                             part.size() == 0 ? 0 : p.before, part.size() == 0 ? 0 : p.behind,
                                             out);
                       return all;
                     },
                     [&, p, n, number](range r) {
                       for (auto i = r.first; i < r.last; ++i) {
                         const auto at = number(i);
                         out[static_cast<std::size_t>(at)] =
                             (in[modulo(at - p.before, n)] + 2 * in[modulo(at, n)] +
                              3 * in[modulo(at + p.behind, n)] + borders[static_cast<std::size_t>(i)]) /
                             7;
                         if (has_trace) {
                           double& trace = of[arrays][static_cast<std::size_t>(i)];
                           trace = trace / 2 + out[static_cast<std::size_t>(at)];
                         }
                       }
                     }};
    };
    const int sweeps = static_cast<int>(1 + below(20));
    const auto together = static_cast<std::uint32_t>(below(9));
    std::vector<field> plain = begin;
    for (int t = 0; t < sweeps; ++t) {
      // In blocks, as a splice would: a sweep in place may read what its own earlier numbers have become.
      tree(plain, t)();
    }
    std::vector<field> spliced = begin;
    const auto body = [&](int t) { return tree(spliced, t); };
    auto& machine = runtime_of(std::vector{1U, 2U, 8U}[random.below(3)]);
    machine.run([&] {
      const splice_report report = sennit::splice({.together = together}, sweeps, body);
      moved += report.moved != 0;
      fast += report.moved != 0 && report.engine == splice_engine::wavefront;
    });
    ASSERT_TRUE(spliced == plain) << "round " << round;
    sennit::memoized_splice memo(body, {.together = together});
    for (int again = 0; again < 2; ++again) {
      for (std::size_t a = 0; a <= arrays; ++a) std::ranges::copy(begin[a], spliced[a].begin());
      machine.run([&] { memo.run(sweeps); });
      ASSERT_TRUE(spliced == plain) << "round " << round << ", memoized";
    }
  }
  EXPECT_GT(moved, rounds / 10) << "hardly any tree was moved, so that the test shows nothing";
  EXPECT_GT(fast, rounds / 100) << "hardly any by the wavefront";
}

}  // namespace
