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

}  // namespace
