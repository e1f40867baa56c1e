// SPDX-License-Identifier: Apache-2.0
// Random calls, spliced by the library: the result of the plain loop, bit by bit, in an order that the semantics allow.
#include "random_calls.hpp"

namespace sennit_test {
namespace {

// TEST_SEED repeats one seed; TEST_SEEDS says how many to try.
template <class Test>
void for_seeds(int seeds, Test&& test) {
  const std::uint64_t first = number("TEST_SEED", 1);
  const std::uint64_t count = number("TEST_SEEDS", static_cast<std::uint64_t>(scaled(seeds)));
  for (std::uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("repeat with TEST_SEED=" + std::to_string(seed) + " TEST_SEEDS=1");
    test(seed);
  }
}

shape random_shape(std::uint64_t seed) {
  random_numbers draw(seed * 7 + 3);
  shape s{.seed = seed};
  s.threads = 1 + static_cast<std::uint32_t>(draw.below(8));
  s.depth = static_cast<int>(draw.below(4));
  s.regions = exact_ones[draw.below(std::size(exact_ones))];
  s.trees = draw.one_in(4);
  s.alike = draw.one_in(3);
  return s;
}

enum class checked : std::uint8_t { serial_order, semantics };

void compare(const random_calls& calls, unsigned workers, const sennit::splicing& how, checked what) {
  SCOPED_TRACE(std::to_string(workers) + " workers");
  const auto expected = calls.fresh();
  calls.run_serially(*expected);
  const auto actual = calls.fresh();
  sennit::splice_report report;
  runtime_of(workers).run([&] { report = calls.splice(*actual, how); });
  for (std::size_t i = 0; i < calls.steps.size(); ++i) EXPECT_EQ(actual->runs[i], 1U) << "step " << i;
  EXPECT_EQ(calls.disorder(*actual), "");
  EXPECT_EQ(actual->cells, expected->cells);
  if (report.unspliced == 0) {
    EXPECT_EQ(report.steps, calls.steps.size());
  }
  if (what == checked::semantics) {
    const std::vector<std::uint32_t> order = calls.order(*actual);
    EXPECT_EQ(semantics::execution(calls.model).follow(order), "") << testing::PrintToString(order);
  }
}

// The step whose exception comes out, or -1.
template <class Run>
std::int64_t thrown_by(Run&& run) {
  try {
    run();
  } catch (const thrown& t) {
    return t.step;
  }
  return -1;
}

// What the loop has done is done once, and nothing that depends on the step whose exception comes out.
void compare_failures(const random_calls& calls, unsigned workers, const sennit::splicing& how = {}) {
  SCOPED_TRACE(std::to_string(workers) + " workers");
  const auto expected = calls.fresh();
  const std::int64_t first = thrown_by([&] { calls.run_serially(*expected); });
  const auto actual = calls.fresh();
  EXPECT_EQ(thrown_by([&] { runtime_of(workers).run([&] { calls.splice(*actual, how); }); }), first);
  EXPECT_EQ(calls.disorder(*actual), "");
  for (std::size_t i = 0; i < calls.steps.size(); ++i) {
    EXPECT_GE(actual->runs[i], expected->runs[i]) << "step " << i;
    EXPECT_LE(actual->runs[i], 1U) << "step " << i;
    if (first >= 0 && i > static_cast<std::size_t>(first) &&
        interfere(calls.steps[static_cast<std::size_t>(first)].declared, calls.steps[i].declared)) {
      EXPECT_EQ(actual->runs[i], 0U) << "step " << i << " depends on step " << first << ", which has failed";
    }
  }
}

// Catches semantics that contradict themselves, or that let anything pass: what they make up is allowed and has the
// serial result; what interferes and is exchanged in it is not allowed.
TEST(random_semantics, allow_what_they_make_up) {
  for_seeds(300, [](std::uint64_t seed) {
    const random_calls calls(random_shape(seed));
    random_numbers random(seed);
    const std::vector<std::uint32_t> order = semantics::execution(calls.model).make_up(random);
    ASSERT_EQ(order.size(), calls.steps.size());
    EXPECT_EQ(semantics::execution(calls.model).follow(order), "") << testing::PrintToString(order);
    std::vector<std::size_t> at(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) at[order[i]] = i;
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (std::size_t j = i + 1; j < at.size(); ++j) {
        if (!interfere(calls.steps[i].real, calls.steps[j].real)) continue;
        EXPECT_LT(at[i], at[j]);
        if (at[i] + 1 == at[j]) {
          std::vector<std::uint32_t> wrong = order;
          std::swap(wrong[at[i]], wrong[at[j]]);
          EXPECT_NE(semantics::execution(calls.model).follow(wrong), "");
        }
      }
    }
    if (!order.empty()) {
      std::vector<std::uint32_t> wrong = order;
      wrong.pop_back();
      EXPECT_NE(semantics::execution(calls.model).follow(wrong), "") << "a step is never executed";
      wrong = order;
      wrong.push_back(order[0]);
      EXPECT_NE(semantics::execution(calls.model).follow(wrong), "") << "a step is executed twice";
    }
  });
}

// Catches a dependence that is missed, a step that waits for nothing or is lost, a leading thread that is delayed, and rows
// that are not at equal depth.
TEST(random_calls, on_one_worker) {
  for_seeds(400,
            [](std::uint64_t seed) { compare(random_calls(random_shape(seed)), 1, {}, checked::semantics); });
}
// Catches effects of different types that are taken for disjoint.
TEST(random_calls, with_regions_of_any_type) {
  for_seeds(100, [](std::uint64_t seed) {
    shape s = random_shape(seed);
    s.regions = regions_of::any;
    compare(random_calls(s), 1, {}, checked::serial_order);
  });
}
// Catches calls whose rows are walked as a front, and of which a step runs before one that it depends on, in the row or
// outside; calls that the front has left half done, and that are then lost, run twice, or stolen.
TEST(random_calls, in_fronts) {
  const auto check = [](std::uint64_t seed) {
    shape s = random_shape(seed);
    s.regions = regions_of::spans;
    s.trees = false;
    s.alike = seed % 3 != 0;
    s.banded = seed % 4 == 0;
    s.rough = seed % 8 == 0;
    s.sliced = seed % 5 == 0;
    s.unannotated = seed % 7 == 0;
    s.depth = 2 + static_cast<int>(seed % 3);
    s.slow = seed % 9 == 0;
    const random_calls calls(s);
    for (const unsigned workers : {1U, 2U, 4U}) compare(calls, workers, {}, checked::serial_order);
    s.throws = true;
    const random_calls failing(s);
    for (const unsigned workers : {1U, 2U}) compare_failures(failing, workers);
  };
  check(51136);  // a call that has failed in a front, and is in the way of others afterwards
  for_seeds(300, check);
}
// Catches a dependence that is lost between a thief and who was robbed, or that neither sees; calls that are freed twice.
TEST(random_calls, on_some_workers) {
  for_seeds(200, [](std::uint64_t seed) {
    shape s = random_shape(seed);
    s.slow = seed % 3 != 0;
    s.unannotated = seed % 5 == 0;
    s.banded = seed % 2 != 0;
    if (s.banded) s.threads = 2 + s.threads % 2;
    s.rough = seed % 4 == 1;
    const random_calls calls(s);
    for (const unsigned workers : {2U, 4U, 8U}) compare(calls, workers, {}, checked::serial_order);
  });
}
// Catches a tree's step that is run before one of another strand that it depends on, before those that its own strand has
// skipped, or behind a step that covers it no longer; and steps that are lost where strands are split and joined.
TEST(random_calls, declared_trees_on_some_workers) {
  for_seeds(200, [](std::uint64_t seed) {
    const random_calls calls({.seed = seed,
                              .threads = 1 + static_cast<std::uint32_t>(seed % 6),
                              .trees = true,
                              .throws = false,
                              .banded = true,
                              .rough = seed % 4 != 0,
                              .slow = seed % 2 != 0});
    for (const unsigned workers : {1U, 2U, 8U}) compare(calls, workers, {}, checked::serial_order);
    const random_calls failing({.seed = seed,
                                .threads = 1 + static_cast<std::uint32_t>(seed % 6),
                                .trees = true,
                                .throws = true,
                                .banded = true,
                                .rough = seed % 4 != 0,
                                .slow = seed % 2 != 0});
    for (const unsigned workers : {1U, 2U, 8U}) compare_failures(failing, workers);
  });
}
// Catches a slice that is done before what it depends on, or twice, or whose step goes on without it.
TEST(random_calls, in_slices) {
  for_seeds(200, [](std::uint64_t seed) {
    shape s = random_shape(seed);
    s.trees = false;
    s.sliced = true;
    s.slow = seed % 3 == 0;
    const random_calls calls(s);
    for (const unsigned workers : {1U, 2U, 8U}) compare(calls, workers, {}, checked::serial_order);
    s.throws = true;
    const random_calls failing(s);
    for (const unsigned workers : {1U, 4U}) compare_failures(failing, workers);
  });
}
// Catches an order that is followed again and lacks a step, or a fork that should not be in it.
TEST(random_calls, memoized) {
  for_seeds(200, [](std::uint64_t seed) {
    shape s = random_shape(seed);
    s.trees = true;
    s.depth = 1 + static_cast<int>(seed % 5);
    s.banded = seed % 3 != 0;
    s.rough = seed % 4 < 2;
    s.slow = seed % 2 != 0;
    const random_calls calls(s);
    const auto expected = calls.fresh();
    for (int i = 0; i < 3; ++i) calls.run_serially(*expected);
    for (const unsigned workers : {1U, 2U, 8U}) {
      SCOPED_TRACE(std::to_string(workers) + " workers");
      const auto actual = calls.fresh();
      runtime_of(workers).run([&] { calls.splice_again(*actual, 3); });
      for (std::size_t i = 0; i < calls.steps.size(); ++i) EXPECT_EQ(actual->runs[i], 3U) << "step " << i;
      EXPECT_EQ(calls.disorder(*actual), "");
      EXPECT_EQ(actual->cells, expected->cells);
    }
  });
}
// Catches threads of one bundle that are interleaved with those of the next, and a bound that makes steps go lost.
TEST(random_calls, a_few_together_and_few_delayed) {
  for_seeds(100, [](std::uint64_t seed) {
    const random_calls calls(random_shape(seed));
    for (const unsigned workers : {1U, 4U}) {
      compare(calls, workers, {.together = 1 + static_cast<std::uint32_t>(seed % 4)}, checked::serial_order);
      compare(calls, workers, {.most_delayed = static_cast<std::int64_t>(seed % 3)}, checked::serial_order);
    }
  });
}
// Catches calls of a long list that are not found where they are in the way, or that are found when they have ended.
TEST(random_calls, in_long_lists) {
  for_seeds(100, [](std::uint64_t seed) {
    shape s = random_shape(seed);
    s.depth = 1 + static_cast<int>(seed % 2);
    s.trees = false;
    s.wide = true;
    compare(random_calls(s), 1, {}, checked::semantics);
    s.slow = seed % 2 != 0;
    const random_calls calls(s);
    for (const unsigned workers : {2U, 8U}) compare(calls, workers, {}, checked::serial_order);
    s.throws = true;
    const random_calls failing(s);
    for (const unsigned workers : {1U, 4U}) compare_failures(failing, workers, {});
  });
}
// Catches a rest of a sequence that runs before what it depends on, without what has failed, or not at all.
TEST(random_calls, unspliced_past_a_limit) {
  for_seeds(200, [](std::uint64_t seed) {
    shape s = random_shape(seed);
    s.depth = 1 + static_cast<int>(seed % 3);
    s.trees = false;
    s.wide = seed % 4 == 0 && s.depth < 3;
    s.slow = seed % 3 == 0;
    const sennit::splicing how{.most_bytes = seed * 7919 % 400'000};
    const random_calls calls(s);
    for (const unsigned workers : {1U, 2U, 8U}) compare(calls, workers, how, checked::serial_order);
    s.throws = true;
    const random_calls failing(s);
    for (const unsigned workers : {1U, 4U}) compare_failures(failing, workers, how);
  });
}
// Catches constructs that do not mean what they mean without a splice.
TEST(random_calls, outside_any_splice) {
  for_seeds(100, [](std::uint64_t seed) {
    const random_calls calls(random_shape(seed));
    const auto expected = calls.fresh();
    calls.run_serially(*expected);
    const auto actual = calls.fresh();
    calls.run_elided(*actual);
    EXPECT_EQ(actual->cells, expected->cells);
    std::vector<std::uint32_t> order = calls.order(*actual);
    EXPECT_TRUE(std::ranges::is_sorted(order));
  });
}

// Catches an exception that is not the first of the loop, one that is lost, one that comes out of a step that waited in
// vain, and a step that is run on what another has thrown before it was written.
TEST(random_calls, that_throw) {
  for_seeds(300, [](std::uint64_t seed) {
    shape s = random_shape(seed);
    s.throws = true;
    s.slow = seed % 2 != 0;
    s.banded = seed % 4 == 0;
    s.rough = seed % 8 == 0;
    const random_calls calls(s);
    for (const unsigned workers : {1U, 2U, 8U}) compare_failures(calls, workers);
  });
}

}  // namespace
}  // namespace sennit_test
