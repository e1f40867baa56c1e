// SPDX-License-Identifier: Apache-2.0
// The real sets of idle workers: one says that it has nothing to do as another one looks for such workers. Each case
// explores all orders.
#include "deque/mailbox.hpp"
#include "expect.hpp"
#include "worker/coloring.hpp"
#include "worker/searching_set.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace {

using explore::expect_none;
using explore::expect_none_of;

// Two become idle, or cease to be, at the same time.
TEST(Idle, TwoAreIdle) {
  expect_none(explore::explore([] {
    struct idle {
      sennit::detail::searching_set<8> set;
    };
    auto all = std::make_shared<idle>();
    for (const unsigned place : {2U, 3U}) all->set.add(place);
    const auto comes_and_goes = [all = all.get()](unsigned comes, unsigned goes) {
      all->set.add(comes);
      all->set.remove(goes);
    };
    return explore::program{
        .threads = {{"first", [=] { comes_and_goes(0, 2); }}, {"second", [=] { comes_and_goes(1, 3); }}},
        .at_end =
            [all] {
              unsigned seen = 0;
              all->set.each_after(7, 8, [&](unsigned place) {
                seen |= 1U << place;
                return true;
              });
              explore::check(seen == 3, "those are idle who came and have not gone");
            },
    };
  }));
}

// A worker becomes idle as a strand looks for such workers. Catches: the strand concludes that there is none, and nobody
// looks again.
TEST(Idle, AnIdleWorkerIsSeen) {
  struct colored {
    sennit::detail::coloring all;
    sennit::detail::mailbox mail;
    bool seen = false;
  };
  constexpr auto kind = sennit::detail::color_kind::nodes;
  expect_none_of<colored>({[=](colored& c) {
                             c.mail.open();
                             c.all.add_idle(kind, 1);
                           },
                           [=](colored& c) {
                             c.all.remove_idle(kind, 1);
                             c.seen = c.mail.awaits();
                           }},
                          [=](colored& c) {
                            const bool again = (c.all.idle(kind).load() & 1) != 0;
                            explore::check(c.seen || again, "somebody looks again");
                          });
}

}  // namespace
