// SPDX-License-Identifier: Apache-2.0
// Loops in observed regions, of which it is known what an iteration costs, or not.
#include "../core/support.hpp"
#include "programs.hpp"

#include <sennit/replay.hpp>
#include <sennit/sennit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using sennit_test::mixed;
using sennit_test::scaled;
using sennit_test::settings;
using sennit_test::under;

// Who runs an iteration, without a call that the compiler does not see through.
const void* thread_here() { return __builtin_thread_pointer(); }

struct iteration {
  const void* by = nullptr;
  const void* forked_by = nullptr;
  std::uint64_t value = 0;
};
using iterations = std::vector<iteration>;

std::uint64_t value_of(std::uint64_t i) { return mixed(mixed(mixed(i))); }

// The same loop at many places of the program. Each place has its own knowledge of what an iteration costs.
template <bool forks>
constexpr std::size_t size_of = forks ? 10'000 : 50'000;
template <bool forks, int place>
void visit(iterations& all) {
  sennit::parallel_for(std::size_t{0}, all.size(), [first = all.data()](std::size_t i) {
    asm("" : : "i"(place));
    first[i].by = thread_here();
    first[i].value = value_of(i);
    if constexpr (forks) {
      // The last iterations take long, so their forks are worth taking when nothing else of the loop is left.
      const unsigned steps = i + 4 < size_of<forks> ? 1 : 20'000;
      sennit::join(
          [=] {
            for (unsigned k = 0; k != steps; ++k) asm volatile("" : : "r"(value_of(k)));
          },
          [&] { first[i].forked_by = thread_here(); });
    }
  });
}

template <bool forks>
class places {
 public:
  static constexpr int count = 48;
  // A place that has run.
  void known() { one_ = 0; }
  // A place that has not.
  void unknown() { one_ = next_++; }
  bool any() const { return next_ + 2 < count; }

  // For each iteration, whether it ran on the thread that began the region, and whether its fork did.
  std::vector<std::pair<bool, bool>> run() {
    const void* const home = thread_here();
    all_.assign(size, {});
    visits[static_cast<std::size_t>(one_)](all_);
    std::vector<std::pair<bool, bool>> here;
    here.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_EQ(all_[i].value, value_of(i));
      here.emplace_back(all_[i].by == home, all_[i].forked_by == home);
    }
    return here;
  }

 private:
  static constexpr std::size_t size = size_of<forks>;
  using function = void (*)(iterations&);
  static constexpr std::array<function, count> visits =
      []<int... place>(std::integer_sequence<int, place...>) {
        return std::array<function, count>{&visit<forks, place>...};
      }(std::make_integer_sequence<int, count>());

  iterations all_;
  int one_ = 0;
  int next_ = 1;
};

// A schedule of a loop whose cost is known is followed where it is not, and the other way round.
template <bool forks>
void follow_each_other(bool recorded_where_known) {
  std::size_t steals = 0;
  under(settings({2}), [&](sennit::runtime& rt) {
    rt.run([&] {
      places<forks> program;
      for (int i = 0; i < 10; ++i) program.run();
      while (program.any()) {
        for (const auto how : {sennit::strict_unordered, sennit::strict_ordered, sennit::relaxed}) {
          if (!program.any()) break;
          std::vector<std::pair<bool, bool>> before;
          recorded_where_known ? program.known() : program.unknown();
          const sennit::schedule recorded = sennit::record([&] { before = program.run(); });
          steals += recorded.steals();
          std::vector<std::pair<bool, bool>> after;
          recorded_where_known ? program.unknown() : program.known();
          const sennit::schedule followed = sennit::record(recorded, how, [&] { after = program.run(); });
          if (how == sennit::relaxed) continue;
          EXPECT_EQ(before, after);
          if (recorded.steals() == followed.steals()) {
            EXPECT_EQ(recorded, followed);
          }
        }
      }
    });
  });
  EXPECT_GT(steals, 0U);
}

TEST(LoopCosts, DoNotChangeWhatAScheduleSays) {
  // Catches: a loop that is cut at other places, rather than less often, because its cost is known.
  follow_each_other<false>(true);
  follow_each_other<false>(false);
}

TEST(LoopCosts, DoNotChangeWhereConstructsAre) {
  // Catches: iterations with forks in them whose positions depend on how often their loop is cut.
  follow_each_other<true>(true);
  follow_each_other<true>(false);
}

// Catches: a part that is cut less often while it is recorded although there may be constructs in it, whose place in the steal
// tree would then depend on what an iteration costs; and one that is not, although nothing is in it.
TEST(LoopCosts, ChangeHowOftenRecordedPartsAreCutOnlyWhereNothingIsInThem) {
  sennit::runtime one({.workers = 1});
  one.run([] {
    const auto leaf_of = [](bool may_hold_others) {
      return sennit::detail::unplanned_leaf(
          10'000, {.leaf = 40, .worthwhile = 1'000, .may_hold_others = may_hold_others});
    };
    (void)sennit::record([&] {
      EXPECT_EQ(leaf_of(true), 40);
      EXPECT_EQ(leaf_of(false), 1'000);
    });
  });
}

// Of some calls, the one with the fewest: what other programs disturb may have more.
template <class Run>
unsigned fewest(Run&& run) {
  unsigned fewest = run();
  for (int i = 0; i < 300; ++i) fewest = std::min(fewest, run());
  return fewest;
}

#if defined(__OPTIMIZE__) && !SENNIT_TSAN && !SENNIT_ASAN
TEST(LoopCosts, OfShortLoopsKeepThemFromBeingCutOften) {
  // Catches: a recorded loop with a fork for every few iterations, although all of it takes some microseconds; a cost that was
  // measured with the cuts of the first time, and never again.
  sennit::runtime one({.workers = 1});
  one.run([] {
    const std::vector<std::uint64_t> values(4000, 1);
    const auto cuts = [&] {
      unsigned combined = 0;
      const std::uint64_t sum = sennit::parallel_fold(
          values, std::uint64_t{0}, [](std::uint64_t left, std::uint64_t v) { return left + value_of(v); },
          [&combined](std::uint64_t left, std::uint64_t right) {
            ++combined;
            return left + right;
          });
      EXPECT_EQ(sum, values.size() * value_of(1));
      return combined;
    };
    unsigned recorded = 0;
    const sennit::schedule none = sennit::record([&] { recorded = fewest(cuts); });
    EXPECT_LE(recorded, 32U);
    for (const auto how : {sennit::relaxed, sennit::strict_unordered, sennit::strict_ordered})
      EXPECT_LE(sennit::replay(none, how, [&] { return fewest(cuts); }), 32U);
  });
}
#endif

}  // namespace
