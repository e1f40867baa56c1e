// The real sleepers, parker, barriers and gates: a push against a worker that goes to sleep. Each case explores all
// orders; a worker that sleeps while there is work that only it can do is a deadlock.
#include "world.hpp"

#include <sennit/join.hpp>

#include <gtest/gtest.h>

#include <atomic>

namespace {

using explore::against;
using explore::expect_none;
using explore::world;
using sennit::detail::frame;
using sennit::detail::worker;

// The left branch waits for the right one, so somebody else has to run that.
void needs_help(world& w) {
  sennit::join(
      [&w] {
        explore::wait_until([&w] { return w.flag.load(std::memory_order_relaxed) == 1; });
        return w.ran(0);
      },
      [&w] {
        w.flag.store(1, std::memory_order_relaxed);
        return w.ran(1);
      });
}

// Looks for work and sleeps, until it has found a frame.
void helps(world&) {
  worker& self = *worker::current();
  frame* found = nullptr;
  while ((found = self.look_around()) == nullptr) self.sleep();
  self.run(*found);
}
// The same of a worker that is asleep before the program begins to look.
void sleeps_first(world&) {
  worker& self = *worker::current();
  frame* found = nullptr;
  do {
    self.sleep();
  } while ((found = self.look_around()) == nullptr);
  self.run(*found);
}

TEST(Sleep, AForkCallsASleeper) {
  expect_none(against{.owner = &needs_help, .thieves = {&sleeps_first}}.explore());
}
TEST(Sleep, AWorkerLooksAndSleeps) {
  expect_none(against{.owner = &needs_help, .thieves = {&helps}}.explore());
}

// A token is taken once, and by whoever waits for it.
TEST(Sleep, Tokens) {
  expect_none(explore::explore([] {
    struct parked {
      sennit::detail::parker place;
      int told = 0;
    };
    auto p = std::make_shared<parked>();
    return explore::program{.threads = {{"parks",
                                         [p = p.get()] {
                                           explore::check(p->place.park(), "a token has come");
                                           explore::check(p->told == 1, "what the waker did is seen");
                                         }},
                                        {"calls",
                                         [p = p.get()] {
                                           p->told = 1;
                                           p->place.unpark();
                                         }}},
                            .at_end = [p] {}};
  }));
}

// Those who wait for a barrier at the same time share one. Each is to see what an owner has stored before, or the owner
// what it has stored itself.
TEST(Sleep, SharedBarriers) {
  expect_none(explore::explore([] {
    struct shared {
      sennit::detail::barriers paid;
      std::atomic<int> gate[2]{};
      std::atomic<int> tail{0};
      int saw[2] = {};
      int met[2] = {};
    };
    auto s = std::make_shared<shared>();
    const auto waits = [s = s.get()](unsigned i) {
      s->gate[i].store(1, std::memory_order_relaxed);
      s->paid.settle(s->paid.now());
      s->saw[i] = s->tail.load(std::memory_order_relaxed);
    };
    return explore::program{.threads = {{"owner",
                                         [s = s.get()] {
                                           s->tail.store(1, std::memory_order_relaxed);
                                           for (unsigned i = 0; i < 2; ++i)
                                             s->met[i] = s->gate[i].load(std::memory_order_relaxed);
                                         }},
                                        {"first", [=] { waits(0); }},
                                        {"second", [=] { waits(1); }}},
                            .at_end = [s] {
                              for (unsigned i = 0; i < 2; ++i)
                                explore::check(s->saw[i] == 1 || s->met[i] == 1, "one sees the other");
                            }};
  }));
}

}  // namespace
