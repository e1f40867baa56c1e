// Runtimes: several, nested, shared by threads; and what they consume.
#include "support.hpp"

namespace sennit_test {
namespace {

// Catches stacks that gather where strands end: each region here begins on one worker, which takes a stack for it, and
// ends on the other, which keeps it.
TEST(runtime, needs_no_more_stacks_the_longer_it_lives) {
  under(settings({2}), [](sennit::runtime& rt) {
    for (int i = 0; i < 500; ++i) rt.run([&] { suspend(rt); });
    EXPECT_LT(rt.statistics().fibers, 50U);
  });
}

}  // namespace
}  // namespace sennit_test
