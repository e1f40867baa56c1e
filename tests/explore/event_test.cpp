// SPDX-License-Identifier: Apache-2.0
// The real event, against a strand that waits for it. Each case explores all orders.
#include "world.hpp"

#include <sennit/event.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace {

using explore::expect_none;
using explore::world;

// A strand waits for an event as it comes. Catches: it waits on though the event has come, or goes on and does not see what
// came before it.
TEST(Event, AnEventAgainstWhoWaits) {
  struct awaited {
    sennit::event come;
    int told = 0;
  };
  for (const bool looks_first : {false, true}) {
    expect_none(explore::explore([looks_first] {
      auto w = std::make_shared<world>(2, false, 8);
      auto e = std::make_shared<awaited>();
      return explore::program{.threads = {{"sets",
                                           [e = e.get()] {
                                             e->told = 1;
                                             e->come.set();
                                           }},
                                          {"waits",
                                           [e = e.get(), looks_first] {
                                             if (looks_first && !e->come.is_set()) return;
                                             e->come.wait();
                                             explore::check(e->told == 1, "what came before is seen");
                                           }}},
                              .at_end = [w, e] {}};
    }));
  }
}

}  // namespace
