// SPDX-License-Identifier: Apache-2.0
// Cancellation in code without exceptions, where a construct has no way to end early. The library, and the code that
// this calls and is called by, may have been built with them.
#include "support.hpp"
#include "with_exceptions.hpp"

namespace sennit_test {
namespace {

// Catches a thief that drops a branch of a cancelled region: the strand that waits for its value
// can only end the program then.
TEST(without_exceptions, a_cancelled_region_comes_to_its_end) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      for (int i = 0; i < scaled(100); ++i) {
        sennit::region r;
        const auto sum = r.run([&] {
          r.cancel();
          auto [a, b] = join_stolen([] { return 40; }, [] { return 2; });
          EXPECT_TRUE(sennit::cancel_requested());
          return a + b;
        });
        EXPECT_EQ(sum, 42);
      }
    });
  });
}

// Every construct in one function; how many branches, children and iterations of it ran.
int run_everything() {
  std::atomic<int> ran{0};
  const auto one = [&] { ++ran; };
  join_stolen(one, one);
  sennit::join(one, one, one);
  sennit::parallel_for(0, 50, [&](int) { ++ran; }, sennit::grain(1));
  sennit::parallel_for(0, 45, [&](int) { ++ran; });
  sennit::task_group group;
  for (int i = 0; i < 100; ++i) group.spawn(one);
  group.wait();
  std::vector<int> ones(1000, 1);
  ran += sennit::parallel_reduce(ones, 0);
  std::vector<int> sums(1000);
  sennit::parallel_scan(ones, sums.begin());
  const auto before = [](int n) { return n > 0 ? std::vector{n - 1} : std::vector<int>(); };
  const auto compute = [&](int) { ++ran; };
  sennit::graph::run(
      10, sennit::graph::nodes{.predecessors = before, .compute = compute, .keys = sennit::graph::dense(11)});
  return ran + sums.back();
}
constexpr int everything = 2211;

// Catches a construct that drops something, or throws, in a cancelled region that this code has entered.
TEST(without_exceptions, all_of_a_cancelled_region_runs) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      for (int i = 0; i < scaled(20); ++i) {
        sennit::region r;
        const std::optional<int> ran = r.run([&] {
          r.cancel();
          return run_everything();
        });
        EXPECT_EQ(ran, everything);
      }
    });
  });
}

// Catches the same where code with exceptions has entered the region: nothing may be thrown through this code.
TEST(without_exceptions, all_of_it_runs_in_a_region_that_other_code_cancels) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      for (int i = 0; i < scaled(20); ++i) EXPECT_EQ(in_cancelled_region(&run_everything), everything);
    });
  });
}

// Catches code with exceptions that throws into this code, which has entered the region that it is in.
TEST(without_exceptions, nothing_is_thrown_out_of_its_regions) {
  under(all_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      sennit::region outer;
      outer.run([&] {
        outer.cancel();
        sennit::region inner;
        inner.run([] { EXPECT_EQ(joins_and_loops(), 12); });
      });
    });
  });
}

// Catches a run that begins although its region has been cancelled.
TEST(without_exceptions, a_region_that_has_been_cancelled_does_not_run) {
  sennit::region r;
  r.cancel();
  EXPECT_FALSE(r.run([] { ADD_FAILURE() << "the function was called"; }));
}

// Catches a reducer that cannot do without exceptions, or loses what a cancelled region adds.
TEST(without_exceptions, a_reducer_keeps_the_order) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    sennit::reducer<std::vector<int>, appending> r;
    std::vector<int> expected(100);
    for (int i = 0; i < 100; ++i) expected[static_cast<std::size_t>(i)] = i;
    rt.run([&] {
      sennit::region region;
      region.run([&] {
        region.cancel();
        join_stolen([&] { r->push_back(0); }, [&] { r->push_back(1); });
        sennit::parallel_for(2, 90, [&](int i) { r->push_back(i); }, sennit::grain(1));
        sennit::task_group group;
        for (int i = 90; i < 100; i += 2) {
          group.spawn([&, i] { r->push_back(i); });
          r->push_back(i + 1);
        }
      });
    });
    EXPECT_EQ(r.value(), expected);
  });
}

}  // namespace
}  // namespace sennit_test
