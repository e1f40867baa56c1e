// Cancellation in a program without exceptions, where a construct has no way to end early.
#include "support.hpp"

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
