// The real loop frames: claims of an owner against cuts by thieves. Each case explores all orders.
#include "world.hpp"

#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>

#include <gtest/gtest.h>

#include <new>

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

// A loop of which a steal is said not to be worth while: its owner puts a request off, and goes on with its gate open, so
// that only the thief's barrier stops it.
class small_loop : public sennit::detail::loop_state {
 public:
  using piece = sennit::detail::loop_piece;
  using frame = sennit::detail::loop_frame;
  using position = sennit::detail::position;

  explicit small_loop(world& w) : loop_state(calls, false), world_(w) {}
  void run(position iterations) {
    piece* split_off = nullptr;
    frame rest(*this, 0, iterations, split_off);
    rest.worth(iterations + 1);
    const bool exposed = rest.expose();
    for (position at = 0; rest.claim(at, at + 1) != at; ++at) world_.ran(static_cast<unsigned>(at));
    if (exposed) rest.retire();
    while (piece* const mine = frame::take_back(split_off)) {
      work(*this, *mine);
      done().finish();
    }
    wait();
  }

 private:
  static piece* make(loop_state& whole, position first, position last) noexcept {
    return new (std::nothrow) piece(whole, first, last);
  }
  static void work(loop_state& whole, piece& mine) noexcept {
    for (position at = mine.first(); at < mine.last(); ++at) {
      static_cast<small_loop&>(whole).world_.ran(static_cast<unsigned>(at));
    }
  }

  static constexpr entries calls{&make, &work};

  world& world_;
};

TEST(Loop, NotWorthASteal) {
  expect_none(against{.branches = 3,
                      .owner = [](world& w) { small_loop(w).run(3); },
                      .thieves = {thief(2)},
                      .prepare = &thieves_own_deques}
                  .explore());
}

}  // namespace
