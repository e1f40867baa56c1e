// SPDX-License-Identifier: Apache-2.0
// Random programs against their serial elision: the same result, the same first exception.
#include "random_program.hpp"

#include <cstdlib>
#include <string>

namespace sennit_test {
namespace {

// TEST_SEED repeats one seed; TEST_SEEDS says how many to try.
std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class random_program : public testing::TestWithParam<setting> {
 protected:
  // Compares `seeds` programs of the ingredients with their elisions.
  void compare(unsigned ingredients, int seeds, int depth = 9,
               sennit::promotion promotion = sennit::on_demand) {
    current_setting() = name(GetParam());
    sennit::runtime_options options = GetParam().options();
    options.promotion = promotion;
    sennit::runtime rt(options);
    world w;
    w.ingredients = ingredients;
    if ((ingredients & runtimes) != 0) w.runtimes = others();
    each_seed(seeds, [&](std::uint64_t seed) {
      one(rt, w, seed, depth);
      EXPECT_EQ(tracked::live(), 0) << "a result or a closure leaked, or ended twice";
    });
  }

  // The same by three threads that enter the runtime at once, each with a program of its own.
  void compare_on_threads(int seeds, int depth) {
    current_setting() = name(GetParam());
    sennit::runtime rt(GetParam().options());
    world worlds[3];
    const auto shared = others();
    for (world& w : worlds) {
      w.ingredients = everything;
      w.runtimes = shared;
    }
    each_seed(seeds, [&](std::uint64_t seed) {
      std::vector<std::thread> threads;
      for (std::uint64_t i = 0; i < std::size(worlds); ++i)
        threads.emplace_back([&, i] { one(rt, worlds[i], seed + 1'000'000'000 * i, depth); });
      for (std::thread& t : threads) t.join();
      EXPECT_EQ(tracked::live(), 0) << "a result or a closure leaked, or ended twice";
    });
  }

 private:
  template <class Test>
  static void each_seed(int seeds, Test&& test) {
    const std::uint64_t first = number("TEST_SEED", 1);
    const std::uint64_t count = number("TEST_SEEDS", static_cast<std::uint64_t>(scaled(seeds)));
    for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
      SCOPED_TRACE("repeat with TEST_SEED=" + std::to_string(seed) + " TEST_SEEDS=1");
      test(seed);
    }
  }

  static std::vector<std::shared_ptr<sennit::runtime>> others() {
    std::vector<std::shared_ptr<sennit::runtime>> runtimes;
    for (const unsigned workers : {2U, 1U})
      runtimes.push_back(std::make_shared<sennit::runtime>(
          sennit::runtime_options{.workers = workers, .barrier = GetParam().barrier}));
    return runtimes;
  }

  static void one(sennit::runtime& rt, world& w, std::uint64_t seed, int depth) {
    // Odd seeds run under another rounding than the one that threads begin with.
    w.rounding = seed % 2 == 0 ? FE_TONEAREST : FE_UPWARD;
    std::fesetround(w.rounding);

    w.leaves = 0;
    const ending expected = ending_of([&] { return program<as_elision>(w).run(seed, depth); });
    const std::uint64_t leaves = w.leaves.exchange(0);
    const std::vector<std::uint64_t> visited = std::exchange(w.visited.value(), {});
    const ending actual =
        ending_of([&] { return rt.run([&] { return program<on_runtime>(w).run(seed, depth); }); });
    std::fesetround(FE_TONEAREST);

    EXPECT_EQ(actual, expected);
    // Branches to the right of one that threw may have run.
    if ((w.ingredients & throws) == 0) {
      EXPECT_EQ(w.leaves, leaves) << "a branch ran twice, or never";
    }
    const std::vector<std::uint64_t> seen = std::exchange(w.visited.value(), {});
    if ((w.ingredients & (throws | tangles)) == 0) {
      EXPECT_TRUE(seen == visited) << "a reducer lost the order, or a part";
    }
    EXPECT_EQ(w.wrong_rounding, 0U) << "stolen work ran under another floating-point environment";
    EXPECT_EQ(w.wrong_exception_state, 0U) << "a construct mixed up the exceptions of two strands";
  }
};

// A frame lost, run twice, or given another's result.
TEST_P(random_program, of_joins) { compare(joins, 30); }
// A frame taken for another because deque positions and lists of children disagree.
TEST_P(random_program, of_joins_and_groups) { compare(groups, 30); }
TEST_P(random_program, of_joins_and_tangled_groups) { compare(groups | tangles, 30); }
// An iteration lost or doubled where loops are nested in each other and in forks; a part of one combined out of order.
TEST_P(random_program, of_joins_and_loops) { compare(loops, 30); }
TEST_P(random_program, of_loops_that_throw) { compare(groups | loops | regions | throws, 30); }
// An exception of a branch that is not the leftmost; a frame left behind by one.
TEST_P(random_program, that_throws) { compare(groups | regions | throws, 50); }
// A child that a group does not wait for; a frame of a strand that feeds a group on another one's stack, taken for its own.
TEST_P(random_program, of_fed_groups) { compare(groups | feeds, 30); }
TEST_P(random_program, of_fed_groups_in_loops_that_throw) { compare(groups | feeds | loops | throws, 30); }
// Exception state that stays with the thread when the strand moves.
TEST_P(random_program, with_handlers) { compare(groups | throws | handlers, 30); }
// A worker's words mixed up between the runtimes that its thread is in.
TEST_P(random_program, in_several_runtimes) {
  compare(groups | loops | regions | runtimes | handlers, 20, 7);
}
// A branch that runs although its region was cancelled; a cancellation that escapes
// from its region, or spreads.
TEST_P(random_program, with_cancelled_regions) { compare(groups | loops | regions | cancels, 30); }
// What only the mixture provokes.
TEST_P(random_program, of_everything) { compare(everything, 40, 8); }

// A guest that takes what is another region's, or leaves what is its own; groups and regions of several threads mixed up.
TEST_P(random_program, of_everything_by_several_threads) { compare_on_threads(12, 8); }

// Work that is lost between two beats.
TEST_P(random_program, of_everything_in_beats) {
  compare(everything, 20, 8, sennit::heartbeat(std::chrono::microseconds(20)));
}

INSTANTIATE_TEST_SUITE_P(on, random_program, testing::ValuesIn(settings({1, 2, 3, 8, 32})), parameter_name);

}  // namespace
}  // namespace sennit_test
