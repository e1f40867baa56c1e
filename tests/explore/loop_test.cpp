// SPDX-License-Identifier: Apache-2.0
// The real loop frames: claims of an owner against cuts by thieves. Each case explores all orders.
#include "world.hpp"

#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <new>

namespace {

using explore::against;
using explore::expect_none;
using explore::frame;
using explore::loop_of;
using explore::thief;
using explore::thieves_own_deques;
using explore::world;

// What a loop costs is remembered longer than an order lasts: after this, each order begins with that known.
std::function<void(world&)> known(std::function<void(world&)> owner) {
  world alone(1, false, 8);
  alone.owns(0);
  owner(alone);
  return owner;
}

TEST(Loop, TwoIterations) {
  expect_none(against{
      .branches = 2, .owner = known(loop_of(2, 1)), .thieves = {thief(2)}, .prepare = &thieves_own_deques}
                  .explore());
}
TEST(Loop, TwoIterationsFenced) {
  expect_none(against{.fenced = true,
                      .branches = 2,
                      .owner = known(loop_of(2, 1)),
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
      against{.branches = 4, .owner = known(loop), .thieves = {thief(2)}, .prepare = &thieves_own_deques}
          .explore());
}

// A loop that each case claims as it likes. Pieces are not cut again.
class own_loop : public sennit::detail::loop_state {
 public:
  using piece = sennit::detail::loop_piece;
  using frame = sennit::detail::loop_frame;
  using position = sennit::detail::position;

  own_loop(world& w, position iterations) : loop_state(calls, false), world_(w), iterations_(iterations) {}

  // In memory of its own, so that its end is seen.
  std::unique_ptr<frame> begin() { return std::make_unique<frame>(*this, 0, iterations_, split_off_); }
  void ran(position at) { world_.ran(static_cast<unsigned>(at)); }
  // Somebody has begun to cut the loop; the cut itself is for who claims afterwards.
  bool is_cut() const { return is_cut_.load(std::memory_order_relaxed); }
  position cut_at() const { return cut_at_; }
  piece* take_back() { return frame::take_back(split_off_); }
  void run_elsewhere(sennit::detail::frame& taken) {
    work(*this, static_cast<piece&>(taken));
    done().finish();
  }
  // The frame has been retired.
  void end() {
    while (piece* const mine = take_back()) run_elsewhere(*mine);
    wait();
  }

 private:
  static piece* make(loop_state& whole, position first, position last) noexcept {
    auto& self = static_cast<own_loop&>(whole);
    self.cut_at_ = first;
    self.is_cut_.store(true, std::memory_order_relaxed);
    return new (std::nothrow) piece(whole, first, last);
  }
  static void work(loop_state& whole, piece& mine) noexcept {
    for (position at = mine.first(); at < mine.last(); ++at) static_cast<own_loop&>(whole).ran(at);
  }

  static constexpr entries calls{&make, &work};

  world& world_;
  const position iterations_;
  piece* split_off_ = nullptr;
  position cut_at_ = 0;
  std::atomic<bool> is_cut_{false};
};

// Two iterations throw at the same time: the lower one counts.
TEST(Loop, TwoThrow) {
  expect_none(explore::explore([] {
    auto w = std::make_shared<world>(1, false, 8);
    auto loop = std::make_shared<own_loop>(*w, 4);
    const auto throws_at = [loop = loop.get()](own_loop::position at) { loop->failed(at + 1, nullptr); };
    return explore::program{.threads = {{"higher", [=] { throws_at(1); }}, {"lower", [=] { throws_at(0); }}},
                            .at_end = [w, loop] {
                              explore::check(loop->pointless(1) && !loop->pointless(0),
                                             "the lower one counts");
                            }};
  }));
}

// Who does both, one after the other.
void expect_none_of_one(unsigned branches, void (*steps)(world&), bool fenced = false) {
  expect_none(against{.fenced = fenced, .branches = branches, .owner = steps, .thieves = {}}.explore());
}
frame* steals_at_once(world& w) {
  return w.all[0]->frames().steal(true, {}, explore::worker::current()->at_hand());
}
// It asks, and does not wait for an answer.
frame* steals(world& w) {
  explore::check(steals_at_once(w) == nullptr, "the owner is asked first");
  return steals_at_once(w);
}

// A steal is said not to be worth while: the owner puts a request off, and goes on with its gate open, so that only the
// thief's barrier stops it. Who claims after a cut, with the gates open again, sees the cut.
TEST(Loop, NotWorthASteal) {
  const auto claims = [](world& w) {
    own_loop loop(w, 3);
    auto rest = loop.begin();
    rest->worth(4);
    const bool exposed = rest->expose();
    for (own_loop::position at = 0;; ++at) {
      const bool cut = loop.is_cut();
      if (rest->claim(at, at + 1) == at) break;
      if (cut) explore::check(at < loop.cut_at(), "what has been cut off is not claimed");
      loop.ran(at);
    }
    if (exposed) rest->retire();
    rest.reset();
    loop.end();
  };
  expect_none(against{.branches = 3, .owner = claims, .thieves = {thief(2)}, .prepare = &thieves_own_deques}
                  .explore());
}

// An iteration throws: the loop is retired with what is left of it, of which a thief may just have taken a part.
void explore_given_up(bool fenced, unsigned attempts) {
  const auto gives_up = [](world& w) {
    own_loop loop(w, 4);
    auto rest = loop.begin();
    rest->worth(5);
    const bool exposed = rest->expose();
    if (rest->claim(0, 1) == 1) loop.ran(0);
    rest->abandon();
    if (exposed) rest->retire();
    rest.reset();
    loop.end();
    for (unsigned i = 0; i < 4; ++i) explore::check(w.count[i] <= 1, "no iteration has run twice");
  };
  expect_none(against{.fenced = fenced,
                      .branches = 1,
                      .owner = gives_up,
                      .thieves = {thief(attempts)},
                      .prepare = &thieves_own_deques}
                  .explore());
}
// Nobody finds anything in it any more.
TEST(Loop, NothingIsLeftOfWhatIsGivenUp) {
  expect_none_of_one(1, [](world& w) {
    own_loop loop(w, 4);
    auto rest = loop.begin();
    const bool exposed = rest->expose();
    if (rest->claim(0, 1) == 1) loop.ran(0);
    rest->abandon();
    explore::check(steals(w) == nullptr, "nothing is left");
    if (exposed) rest->retire();
    rest.reset();
    loop.end();
  });
}
TEST(Loop, GivenUp) { explore_given_up(false, 2); }
TEST(Loop, GivenUpFenced) { explore_given_up(true, 1); }

// The loop is not the oldest frame. Its owner meets the gate, and does not put the loop in the place of the older one.
TEST(Loop, InsideAFork) {
  const auto forks = [](world& w) {
    sennit::join(
        [&w] {
          loop_of(2, 1)(w);
          return 0;
        },
        [&w] { return w.ran(2); });
  };
  expect_none(
      against{.branches = 3, .owner = known(forks), .thieves = {thief(1)}, .prepare = &thieves_own_deques}
          .explore());
}

// A chunk under way is all there is, and the loop is passed over. What the owner gives back of the chunk can be had.
TEST(Loop, WhatIsGivenBackCanBeHad) {
  expect_none_of_one(4, [](world& w) {
    own_loop loop(w, 4);
    auto rest = loop.begin();
    const bool exposed = rest->expose();
    explore::check(rest->claim(0, 4) == 4, "a chunk of all there is");
    loop.ran(0);
    explore::check(steals(w) == nullptr, "nothing is left but the chunk");
    explore::check(rest->claim(1, 4) == 2, "the owner keeps one iteration");
    loop.ran(1);
    auto* const part = loop.take_back();
    explore::check(part != nullptr && part->first() == 3, "and hands over half of the others");
    loop.run_elsewhere(*part);
    explore::check(rest->claim(2, 4) == 3 && rest->claim(3, 4) == 3, "one is left");
    loop.ran(2);
    if (exposed) rest->retire();
    rest.reset();
    loop.end();
  });
}

// What a thief leaves of a loop is there for the next one.
template <frame* (*Steals)(world&)>
void cut_twice(world& w) {
  own_loop loop(w, 4);
  auto rest = loop.begin();
  const bool exposed = rest->expose();
  explore::check(rest->claim(0, 1) == 1, "one iteration");
  loop.ran(0);
  for (int i = 0; i < 2; ++i) {
    frame* const part = Steals(w);
    explore::check(part != nullptr, "there is something left");
    loop.run_elsewhere(*part);
  }
  explore::check(rest->claim(1, 3) == 1, "nothing is left");
  explore::check(rest->claimed() == 1, "nothing has been claimed beyond that");
  if (exposed) rest->retire();
  rest.reset();
  loop.end();
}
TEST(Loop, TheRestCanBeHad) {
  expect_none_of_one(4, &cut_twice<&steals>);
  expect_none_of_one(4, &cut_twice<&steals_at_once>, true);
}

}  // namespace
