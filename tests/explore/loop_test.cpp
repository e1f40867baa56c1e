// The real loop frames: claims of an owner against cuts by thieves. Each case explores all orders.
#include "world.hpp"

#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>

#include <gtest/gtest.h>

namespace {

using explore::against;
using explore::expect_none;
using explore::loop_of;
using explore::thief;
using explore::thieves_own_deques;
using explore::world;

TEST(Loop, TwoIterations) {
  expect_none(
      against{.branches = 2, .owner = loop_of(2, 1), .thieves = {thief(2)}, .prepare = &thieves_own_deques}
          .explore());
}
TEST(Loop, TwoIterationsFenced) {
  expect_none(against{.fenced = true,
                      .branches = 2,
                      .owner = loop_of(2, 1),
                      .thieves = {thief(1)},
                      .prepare = &thieves_own_deques}
                  .explore());
}
// The last iteration forks: the loop is passed over, and the fork is the oldest frame then.
TEST(Loop, AForkInTheLastIteration) {
  const auto loop = [](world& w) {
    sennit::parallel_for(
        0U, 2U,
        [&w](unsigned i) {
          w.ran(i);
          if (i == 1) sennit::join([&w] { return w.ran(2); }, [&w] { return w.ran(3); });
        },
        sennit::grain(1));
  };
  expect_none(
      against{.branches = 4, .owner = loop, .thieves = {thief(2)}, .prepare = &thieves_own_deques}.explore());
}

}  // namespace
