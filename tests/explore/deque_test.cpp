// The real deque: forks of owners against thieves. Each case explores all orders.
#include "core/worker.hpp"
#include "explorer.hpp"

#include <sennit/join.hpp>
#include <sennit/region.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace {

using explore::findings;
using explore::program;
using sennit::detail::frame;
using sennit::detail::region_state;
using sennit::detail::runtime_core;
using sennit::detail::wanted;
using sennit::detail::worker;

// Workers, and branches that count how often they ran, in plain memory: who runs one without having it to himself is in a
// data race.
class world {
 public:
  world(unsigned workers, bool fenced, unsigned slots) : core(fenced) {
    region.root = true;
    for (unsigned i = 0; i < workers; ++i) {
      all.push_back(std::make_unique<worker>(core, slots));
      all.back()->stand_for(i);
    }
  }
  // The worker forks in this program. Sleepers that want to know of its first push are not part of it.
  void owns(unsigned i, bool runs_a_strand = true) {
    worker& w = *all[i];
    w.begin(runs_a_strand ? &region : nullptr);
    const sennit::detail::sleepers& nobody = core.asleep();
    (void)w.frames().open_push_gate(nobody, false);
    const std::string number = std::to_string(i);
    explore::name(&w.tls().tail, "tail" + number);
    explore::name(&w.tls().limit, "limit" + number);
    explore::name(&w.tls().head_gate, "head_gate" + number);
    explore::name(w.frames().bottom(), "slots" + number);
    explore::name(&w.frames(), "deque" + number);
  }
  int ran(unsigned branch) { return ++count[branch]; }
  void all_ran(unsigned branches) {
    for (unsigned i = 0; i < branches; ++i) explore::check(count[i] == 1, "each branch has run once");
  }

  runtime_core core;
  region_state region;
  std::vector<std::unique_ptr<worker>> all;
  std::array<int, 8> count{};
  std::atomic<int> flag{0};
};

void steal(world& w, unsigned victim, unsigned attempts, bool insist = true, const wanted& what = {}) {
  for (unsigned i = 0; i < attempts; ++i) {
    if (frame* const claimed = w.all[victim]->frames().steal(insist, what)) worker::current()->run(*claimed);
  }
}

// Makes a program of one owner and what thieves do.
struct against {
  bool fenced = false;
  unsigned branches = 2;
  std::function<void(world&)> owner;
  std::vector<std::function<void(world&)>> thieves;
  std::function<void(world&)> prepare = [](world&) {};
  unsigned slots = 8;

  findings explore(const explore::options& limits = {}) const {
    return explore::explore(
        [this] {
          auto w = std::make_shared<world>(1 + static_cast<unsigned>(thieves.size()), fenced, slots);
          w->owns(0);
          prepare(*w);
          program p;
          p.threads.emplace_back("owner", [this, w = w.get()] { owner(*w); });
          for (const auto& thief : thieves) {
            p.threads.emplace_back("thief" + std::to_string(p.threads.size()),
                                   [&thief, w = w.get()] { thief(*w); });
          }
          p.at_end = [this, w] {
            w->all_ran(branches);
            for (const auto& each : w->all) {
              if (each->tls().tail.load() == nullptr) continue;
              explore::check(each->tls().tail.load() == each->frames().bottom(), "the deque is empty");
              explore::check(each->frames().empty(), "the bounds agree");
            }
            // Without thieves, what is asked for comes back at the second fork, and the gates are open again.
            for (int i = 0; i < 2; ++i) sennit::join([] { return 0; }, [] { return 0; });
            const auto& tls = w->all[0]->tls();
            explore::check(tls.limit_beneath.load() != nullptr, "the push gate is open again");
            explore::check(fenced || tls.head_gate_beneath.load() == w->all[0]->frames().bottom(),
                           "the pop gate is open again");
          };
          return p;
        },
        limits);
  }
};

std::function<void(world&)> thief(unsigned attempts) {
  return [attempts](world& w) { steal(w, 0, attempts); };
}

void expect_none(const findings& found) {
  EXPECT_EQ(found.fault, "");
  EXPECT_TRUE(found.complete);
  testing::Test::RecordProperty("orders", std::to_string(found.executions));
  std::printf("%lu orders, %lu cut short, %lu steps\n", found.executions, found.cut_short, found.steps);
}

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

// A thief that has asked before there is anything is handed the first frame. The owner's left branch waits for that.
TEST(Deque, WhoHasAskedIsServed) {
  const auto asks = [](world& w) {
    steal(w, 0, 1, false);
    w.flag.store(1, std::memory_order_relaxed);
    explore::wait_until([&w] {
      steal(w, 0, 1, false);
      return w.flag.load(std::memory_order_relaxed) == 2;
    });
  };
  const auto forks = [](world& w) {
    explore::wait_until([&w] { return w.flag.load(std::memory_order_relaxed) == 1; });
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
      }}.explore());
}

}  // namespace
