// SPDX-License-Identifier: Apache-2.0
// The real deque: forks of owners against thieves. Each case explores all orders.
#include "observe/trace_cursor.hpp"
#include "worker/unobserved_part.hpp"
#include "world.hpp"

#include <sennit/join.hpp>

#include <gtest/gtest.h>

#include <atomic>

namespace {

using explore::against;
using explore::expect_none;
using explore::steal;
using explore::thief;
using explore::world;
using sennit::detail::frame;
using sennit::detail::worker;

void one_fork(world& w) {
  sennit::join([&w] { return w.ran(0); }, [&w] { return w.ran(1); });
}
void two_in_a_row(world& w) {
  one_fork(w);
  sennit::join([&w] { return w.ran(2); }, [&w] { return w.ran(3); });
}
void two_nested(world& w) {
  sennit::join(
      [&w] {
        one_fork(w);
        return 0;
      },
      [&w] { return w.ran(2); });
}
TEST(Deque, OneFork) { expect_none(against{.owner = &one_fork, .thieves = {thief(3)}}.explore()); }
TEST(Deque, OneForkFenced) {
  expect_none(against{.fenced = true, .owner = &one_fork, .thieves = {thief(2)}}.explore());
}
TEST(Deque, TwoInARow) {
  expect_none(against{.branches = 4, .owner = &two_in_a_row, .thieves = {thief(2)}}.explore());
}
TEST(Deque, TwoInARowFenced) {
  expect_none(
      against{.fenced = true, .branches = 4, .owner = &two_in_a_row, .thieves = {thief(2)}}.explore());
}
TEST(Deque, TwoNested) {
  expect_none(against{.branches = 3, .owner = &two_nested, .thieves = {thief(2)}}.explore());
}
TEST(Deque, TwoNestedFenced) {
  expect_none(against{.fenced = true, .branches = 3, .owner = &two_nested, .thieves = {thief(2)}}.explore());
}
TEST(Deque, TwoNestedTwoThieves) {
  expect_none(against{.branches = 3, .owner = &two_nested, .thieves = {thief(1), thief(1)}}.explore());
}
TEST(Deque, OneForkTwoThieves) {
  expect_none(against{.owner = &one_fork, .thieves = {thief(2), thief(1)}}.explore());
}
TEST(Deque, OneForkTwoThievesFenced) {
  expect_none(against{.fenced = true, .owner = &one_fork, .thieves = {thief(1), thief(1)}}.explore());
}

// Of a deque with one slot: the second push finds it full.
TEST(Deque, FullDeque) {
  expect_none(against{.branches = 3, .owner = &two_nested, .thieves = {thief(2)}, .slots = 1}.explore());
}

// What is handed over is posted to an idle worker.
TEST(Deque, PostedToAnIdleWorker) {
  const auto at_the_mailbox = [](world& w) {
    worker& self = *worker::current();
    self.mail.open();
    steal(w, 0, 1);
    if (frame* const posted = self.mail.close()) self.run(*posted);
  };
  expect_none(against{
      .owner = &one_fork, .thieves = {at_the_mailbox}, .prepare = [](world& w) {
        w.all[0]->idle = w.all[1].get();
      }}.explore());
}

// It never comes for it: the owner takes the posted frame back.
TEST(Deque, PostedInVain) {
  const auto leaves = [](world& w) {
    worker::current()->mail.open();
    steal(w, 0, 1);
  };
  expect_none(against{
      .owner = &one_fork, .thieves = {leaves}, .prepare = [](world& w) {
        w.all[0]->idle = w.all[1].get();
      }}.explore());
}

// It has other work and lists the frame: the owner takes it back from that list.
TEST(Deque, PostedAndListed) {
  const auto lists = [](world& w) {
    worker& self = *worker::current();
    self.mail.open();
    steal(w, 0, 1);
    if (frame* const posted = self.mail.close()) self.frames().listed().add(*posted);
    w.flag.store(1, std::memory_order_release);
  };
  const auto forks = [](world& w) {
    sennit::join(
        [&w] {
          explore::wait_until([&w] { return w.flag.load(std::memory_order_acquire) == 1; });
          return w.ran(0);
        },
        [&w] { return w.ran(1); });
  };
  expect_none(against{
      .owner = forks, .thieves = {lists}, .prepare = [](world& w) {
        w.all[0]->idle = w.all[1].get();
      }}.explore());
}

// A thief that has asked before there is anything is handed the first frame. The owner's left branch waits for that.
TEST(Deque, WhoHasAskedIsServed) {
  const auto asks = [](world& w) {
    steal(w, 0, 1, false);
    w.flag.store(1, std::memory_order_release);
    explore::wait_until([&w] {
      steal(w, 0, 1, false);
      return w.flag.load(std::memory_order_relaxed) == 2;
    });
  };
  const auto forks = [](world& w) {
    explore::wait_until([&w] { return w.flag.load(std::memory_order_acquire) == 1; });
    sennit::join(
        [&w] {
          explore::wait_until([&w] { return w.flag.load(std::memory_order_relaxed) == 2; });
          return w.ran(0);
        },
        [&w] {
          w.flag.store(2, std::memory_order_relaxed);
          return w.ran(1);
        });
  };
  expect_none(against{.owner = forks, .thieves = {asks}}.explore({.look_ns = 1}));
}

TEST(Deque, OnlyWhatSuitsAThief) {
  for (const sennit::detail::color_set color : {1, 2}) {
    expect_none(
        against{.owner = &explore::work_of_color, .thieves = {explore::thief_of_color(color)}}.explore());
  }
}

// Forks of an observed region: a thief reads the number of what it has taken.
class counting_hooks : public sennit::detail::schedule_hooks {
 public:
  using cursor = sennit::detail::trace_cursor;
  using whereabouts = sennit::detail::whereabouts;
  void begin(cursor&, frame*) noexcept override {}
  void end(cursor&, frame*) noexcept override {}
  sennit::detail::donee reached(cursor& at, whereabouts&, sennit::detail::construct) noexcept override {
    at.level().notes = this;
    return {};
  }
  void follow(cursor&, const whereabouts&) noexcept override {}
  void kept(cursor&, const whereabouts&, sennit::detail::position) noexcept override {}
  void dropped(cursor&) noexcept override {}
  void waits(cursor&, const whereabouts&) noexcept override {}
  void joined(cursor&, frame&, sennit::detail::pause) noexcept override {}
  void regrouped(cursor&, const whereabouts&, sennit::detail::pause) noexcept override {}
  void joined_child(cursor&, frame&) noexcept override {}
  bool strict() const noexcept override { return false; }
  bool may_begin(worker&, std::uint64_t) noexcept override { return true; }
};

// `awaits`: the hooks want to hear of the first fork, and note something there.
void explore_observed(bool fenced, unsigned branches, void (*forks)(world&), unsigned attempts,
                      bool awaits = false) {
  counting_hooks hooks;
  std::unique_ptr<sennit::detail::trace_cursor> cursor;
  const auto thief_reads = [=](world& w) {
    for (unsigned i = 0; i < attempts; ++i) {
      if (frame* const claimed = w.all[0]->frames().steal(true, {}, worker::current()->at_hand())) {
        explore::check(claimed->where().position < 2, "the frame has a number");
        worker::current()->run(*claimed);
      }
    }
  };
  expect_none(against{
      .fenced = fenced,
      .branches = branches,
      .owner = forks,
      .thieves = {thief_reads},
      .prepare = [&](world& w) {
        cursor = std::make_unique<sennit::detail::trace_cursor>(hooks);
        if (awaits) cursor->level().awaited = 0;
        w.region.observed_by = &hooks;
        w.all[0]->tls().cursor = cursor.get();
        w.all[0]->relocate();
      }}.explore());
}
TEST(Deque, Observed) { explore_observed(false, 3, &two_nested, 2); }
TEST(Deque, ObservedInARow) { explore_observed(false, 4, &two_in_a_row, 2); }
TEST(Deque, ObservedAndAwaited) { explore_observed(false, 2, &one_fork, 2, true); }
// The first fork ends as one whose left branch throws.
TEST(Deque, ObservedAndUnwound) {
  const auto unwinds = [](world& w) {
    auto right = [&w] { return w.ran(1); };
    sennit::detail::fork_frame<decltype(right)> pushed(std::move(right));
    if (!sennit::detail::push(pushed)) (void)sennit::detail::push_shut(pushed);
    w.ran(0);
    if (sennit::detail::pop_unwinding(pushed)) {
      pushed.run_here();
    } else {
      pushed.take();
    }
    sennit::join([&w] { return w.ran(2); }, [&w] { return w.ran(3); });
  };
  explore_observed(false, 4, unwinds, 2);
}
TEST(Deque, ObservedFenced) { explore_observed(true, 3, &two_nested, 2); }
TEST(Deque, ObservedInARowFenced) { explore_observed(true, 4, &two_in_a_row, 2); }

// The first fork begins a part that is not observed. `overdue`: the owner looks into it wherever it meets the push gate.
class part_hooks final : public counting_hooks {
 public:
  explicit part_hooks(bool overdue) : overdue_(overdue) {}
  sennit::detail::donee reached(cursor& at, whereabouts&, sennit::detail::construct) noexcept override {
    at.level().notes = this;
    return {.part = &part_};
  }
  bool keeps_positions() const noexcept override { return false; }
  bool is_overdue(cursor&) noexcept override { return overdue_; }
  void begins_late(cursor& at, whereabouts&) noexcept override { at.level().notes = this; }

 private:
  const bool overdue_;
  sennit::detail::unobserved_part part_;
};

void explore_part(bool fenced, unsigned branches, void (*forks)(world&), unsigned attempts,
                  bool overdue = false) {
  struct traced {
    part_hooks hooks;
    sennit::detail::trace_cursor cursor{hooks};
  };
  std::unique_ptr<traced> strand;
  const auto thief_reads = [=](world& w) {
    for (unsigned i = 0; i < attempts; ++i) {
      if (frame* const claimed = w.all[0]->frames().steal(true, {}, worker::current()->at_hand())) {
        // A frame of the part belongs to another region.
        if (claimed->stolen().region == &w.region)
          explore::check(claimed->where().position < 4, "the frame has a number");
        worker::current()->run(*claimed);
      }
    }
  };
  expect_none(against{
      .fenced = fenced,
      .branches = branches,
      .owner =
          [&](world& w) {
            forks(w);
            explore::check(w.all[0]->running().unobserved == nullptr, "the part has ended");
            explore::check(w.all[0]->tls().cursor == &strand->cursor, "the strand is observed again");
          },
      .thieves = {thief_reads},
      .prepare =
          [&](world& w) {
            strand.reset(new traced{.hooks = part_hooks(overdue)});
            strand->cursor.level().awaited = 0;
            w.region.observed_by = &strand->hooks;
            w.all[0]->tls().cursor = &strand->cursor;
            w.all[0]->relocate();
          }}.explore());
}
TEST(Part, OneFork) { explore_part(false, 2, &one_fork, 2); }
TEST(Part, TwoNested) { explore_part(false, 3, &two_nested, 2); }
TEST(Part, TwoInARow) { explore_part(false, 4, &two_in_a_row, 2); }
TEST(Part, TwoNestedFenced) { explore_part(true, 3, &two_nested, 2); }
TEST(Part, TwoInARowFenced) { explore_part(true, 4, &two_in_a_row, 2); }
// The second fork becomes the part's as the third one is pushed, after somebody has asked for a sign.
void three_nested(world& w) {
  const auto asked = [&w] {
    (void)w.all[0]->frames().ask_for_sign();
    one_fork(w);
    return 0;
  };
  sennit::join(
      [&] {
        sennit::join(asked, [&w] { return w.ran(2); });
        return 0;
      },
      [&w] { return w.ran(3); });
}
TEST(Part, LookedInto) { explore_part(false, 4, &three_nested, 2, true); }
TEST(Part, LookedIntoFenced) { explore_part(true, 4, &three_nested, 1, true); }

// What a thief has taken forks in turn, against another thief.
TEST(Deque, TheStolenForks) {
  const auto forks = [](world& w) {
    sennit::join([&w] { return w.ran(2); },
                 [&w] {
                   one_fork(w);
                   return 0;
                 });
  };
  expect_none(against{
      .fenced = true,
      .branches = 3,
      .owner = forks,
      .thieves = {thief(1), [](world& w) { steal(w, 1, 1); }},
      .prepare = [](world& w) {
        w.owns(1, false);
      }}.explore());
}

// Two owners, who also steal from one another, and two thieves.
TEST(Deque, TwoOwnersTwoThieves) {
  const auto second = [](world& w) { sennit::join([&w] { return w.ran(2); }, [&w] { return w.ran(3); }); };
  expect_none(against{
      .fenced = true,
      .branches = 4,
      .owner = &one_fork,
      .thieves = {second, [](world& w) { steal(w, 0, 1), steal(w, 1, 1); }, [](world& w) { steal(w, 1, 1); }},
      .prepare = [](world& w) {
        w.owns(1);
      }}.explore({.most_executions = 500'000}));
}

}  // namespace
