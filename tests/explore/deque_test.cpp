// The real deque: forks of owners against thieves. Each case explores all orders.
#include "core/worker.hpp"
#include "explorer.hpp"

#include <sennit/join.hpp>
#include <sennit/region.hpp>

#include <gtest/gtest.h>

#include <array>
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
  explicit world(unsigned workers, bool fenced) : core(fenced) {
    region.root = true;
    for (unsigned i = 0; i < workers; ++i) {
      all.push_back(std::make_unique<worker>(core));
      all.back()->stand_for(i);
    }
  }
  // The worker forks in this program. Sleepers that want to know of its first push are not part of it.
  void owns(unsigned i) {
    worker& w = *all[i];
    w.begin(region);
    const sennit::detail::sleepers& nobody = core.asleep();
    (void)w.frames().open_push_gate(nobody, false);
    core.calls = 0;
    explore::name(&w.tls().tail, "tail" + std::to_string(i));
    explore::name(&w.tls().limit, "limit" + std::to_string(i));
    explore::name(&w.tls().head_gate, "head_gate" + std::to_string(i));
    explore::name(w.frames().bottom(), "slots" + std::to_string(i));
    explore::name(&w.frames(), "deque" + std::to_string(i));
  }
  void ran(unsigned branch) { ++count[branch]; }
  void all_ran(unsigned branches) {
    for (unsigned i = 0; i < branches; ++i) explore::check(count[i] == 1, "each branch has run once");
  }

  runtime_core core;
  region_state region;
  std::vector<std::unique_ptr<worker>> all;
  std::array<int, 8> count{};
};

void steal(world& w, unsigned victim, unsigned attempts, bool insist = true) {
  for (unsigned i = 0; i < attempts; ++i) {
    if (frame* const claimed = w.all[victim]->frames().steal(insist, wanted{}))
      worker::current()->run(*claimed);
  }
}

findings explore_forks(bool fenced, unsigned thieves, unsigned attempts, unsigned branches,
                       const std::function<void(world&)>& forks, explore::options limits = {}) {
  return explore::explore(
      [&] {
        auto w = std::make_shared<world>(1 + thieves, fenced);
        w->owns(0);
        program p;
        p.threads.emplace_back("owner", [&forks, w = w.get()] { forks(*w); });
        for (unsigned i = 0; i < thieves; ++i) {
          p.threads.emplace_back("thief" + std::to_string(i + 1),
                                 [w = w.get(), attempts] { steal(*w, 0, attempts); });
        }
        p.at_end = [w, branches] {
          w->all_ran(branches);
          explore::check(w->all[0]->tls().tail.load() == w->all[0]->frames().bottom(), "the deque is empty");
          explore::check(w->all[0]->frames().empty(), "the bounds agree");
        };
        return p;
      },
      limits);
}

void expect_none(const findings& found) {
  EXPECT_EQ(found.fault, "");
  EXPECT_TRUE(found.complete);
  std::printf("%lu orders, %lu cut short, %lu steps\n", found.executions, found.cut_short, found.steps);
}

void one_fork(world& w) {
  sennit::join(
      [&w] {
        w.ran(0);
        return 0;
      },
      [&w] {
        w.ran(1);
        return 0;
      });
}
void two_forks(world& w) {
  sennit::join(
      [&w] {
        sennit::join(
            [&w] {
              w.ran(0);
              return 0;
            },
            [&w] {
              w.ran(1);
              return 0;
            });
        return 0;
      },
      [&w] {
        w.ran(2);
        return 0;
      });
}

TEST(Deque, OneForkAgainstOneThief) { expect_none(explore_forks(false, 1, 2, 2, &one_fork)); }
TEST(Deque, OneForkAgainstOneThiefFenced) { expect_none(explore_forks(true, 1, 1, 2, &one_fork)); }
TEST(Deque, TwoForksAgainstOneThief) { expect_none(explore_forks(false, 1, 2, 3, &two_forks)); }
TEST(Deque, TwoForksAgainstOneThiefFenced) { expect_none(explore_forks(true, 1, 2, 3, &two_forks)); }
TEST(Deque, TwoForksAgainstTwoThieves) { expect_none(explore_forks(false, 2, 1, 3, &two_forks)); }

}  // namespace
