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

}  // namespace
}  // namespace sennit_test
