// The real loop frames: claims of an owner against cuts by thieves. Each case explores all orders.
#include "world.hpp"

#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>

#include <gtest/gtest.h>

namespace {

using explore::against;
using explore::expect_none;
using explore::thief;
using explore::world;

auto loop_of(unsigned iterations, unsigned grain) {
  return [=](world& w) {
    sennit::parallel_for(0U, iterations, [&w](unsigned i) { w.ran(i); }, sennit::grain(grain));
  };
}

// Thieves share what they have cut in turn, from their own deques.
void thieves_own_deques(world& w) {
  for (unsigned i = 1; i < w.all.size(); ++i) w.owns(i, false);
}

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
TEST(Loop, ThreeIterationsTwoThieves) {
  expect_none(against{.fenced = true,
                      .branches = 3,
                      .owner = loop_of(3, 1),
                      .thieves = {thief(1), thief(1)},
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
