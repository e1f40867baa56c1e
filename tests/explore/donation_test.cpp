// SPDX-License-Identifier: Apache-2.0
// The real lists of a worker's frames: what is donated to one worker. Each case explores all orders.
#include "world.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace {

using explore::against;
using explore::expect_none;
using explore::listed_frame;
using explore::world;
using sennit::detail::worker;

// A frame is donated to a worker that falls asleep. Catches: it sleeps on.
TEST(Donation, ADonationAgainstASleeper) {
  const auto donates = [](world& w) {
    listed_frame donated;
    donated.mark_stolen(&w.region);
    w.all[1]->take_in(donated);
    explore::wait_until([&w] { return w.flag.load(std::memory_order_acquire) == 1; });
  };
  const auto awaits = [](world& w) {
    worker& self = *worker::current();
    while (self.frames().listed().take_donated(self) == nullptr) self.sleep();
    w.flag.store(1, std::memory_order_release);
  };
  expect_none(against{.branches = 0, .owner = donates, .thieves = {awaits}}.explore());
}

// What is donated, and counts that it ran.
struct counted_donation : sennit::detail::frame_with_state {
  explicit counted_donation(world& all) : frame_with_state(&run), w(all) { mark_stolen(&w.region); }
  static sennit::detail::fiber* run(sennit::detail::frame& base) noexcept {
    world& all = static_cast<counted_donation&>(base).w;
    all.ran(0);
    all.flag.store(1, std::memory_order_release);
    return nullptr;
  }
  world& w;
};
void donates_to_first_thief(world& w) {
  counted_donation donated(w);
  w.all[1]->take_in(donated);
  explore::wait_until([&w] { return w.flag.load(std::memory_order_acquire) == 1; });
}
void takes_what_is_donated(world& w) {
  worker& self = *worker::current();
  explore::wait_until([&] {
    if (sennit::detail::frame* const mine = self.frames().listed().take_donated(self)) (void)mine->run();
    return w.flag.load(std::memory_order_relaxed) == 1;
  });
}

// The worker has a strand, so another one may begin with the donation. Catches: both have it, or what the donor wrote is not
// seen.
TEST(Donation, OpenToOthers) {
  const auto steals = [](world& w) {
    if (sennit::detail::frame* const open = w.all[1]->frames().steal(true, {}, worker::current()->at_hand()))
      (void)open->run();
  };
  expect_none(against{
      .branches = 1,
      .owner = &donates_to_first_thief,
      .thieves = {&takes_what_is_donated, steals},
      .prepare = [](world& w) {
        w.owns(1);
      }}.explore());
}

}  // namespace
