// The real sleepers, parker, barriers and gates: a push against a worker that goes to sleep. Each case explores all
// orders; a worker that sleeps while there is work that only it can do is a deadlock.
#include "world.hpp"

#include <sennit/join.hpp>

#include <gtest/gtest.h>

#include <atomic>

namespace {

using explore::against;
using explore::expect_none;
using explore::listed_frame;
using explore::world;
using sennit::detail::worker;

// The left branch waits until somebody has been told of the right one, so a sleeper that is not is a deadlock.
auto forks_until(int told) {
  return [told](world& w) {
    sennit::join(
        [&w, told] {
          explore::wait_until([&w, told] { return w.flag.load(std::memory_order_relaxed) == told; });
          return w.ran(0);
        },
        [&w] { return w.ran(1); });
  };
}
// Goes to sleep once, and tells when it does not sleep any more.
void sleeps(world& w) {
  worker::current()->sleep();
  w.flag.fetch_add(1, std::memory_order_relaxed);
}

TEST(Sleep, AForkAgainstASleeper) {
  expect_none(against{.owner = forks_until(1), .thieves = {&sleeps}}.explore());
}

// What is listed and told, as by a strand that leaves.
TEST(Sleep, AListedFrameAgainstASleeper) {
  expect_none(against{.branches = 0,
                      .owner =
                          [](world& w) {
                            listed_frame listed;
                            listed.mark_stolen(&w.region);
                            worker& self = *worker::current();
                            self.frames().listed().add(listed);
                            self.announce_work();
                            explore::wait_until([&w] { return w.flag.load(std::memory_order_relaxed) == 1; });
                            explore::check(sennit::detail::listed_frames::reclaim(listed),
                                           "nobody has taken it");
                          },
                      .thieves = {&sleeps}}
                  .explore());
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
