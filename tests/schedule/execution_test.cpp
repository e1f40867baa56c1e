// SPDX-License-Identifier: Apache-2.0
// Steal trees as they are recorded, and what follows them.
#include "../core/support.hpp"
#include "programs.hpp"
#include "region/observed.hpp"
#include "schedule/execution.hpp"

#include <sennit/sennit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace {

using sennit::detail::event;
using sennit::detail::execution;
using sennit::detail::plan;
using sennit::detail::steal;
using sennit::detail::steal_tree;
using sennit_test::answer;
using sennit_test::diary;
using sennit_test::in_parallel;
using sennit_test::mixed;
using sennit_test::scaled;
using sennit_test::settings;
using sennit_test::under;
using sennit_test::unfold;
using mode = execution::mode;

// The serial elision, which follows a steal tree and says which role runs each leaf.
class reader {
 public:
  explicit reader(const steal_tree& tree) { levels_.push_back({&tree.root}); }

  std::map<std::uint64_t, unsigned> role_of_leaf;

  std::uint64_t leaf(std::uint64_t draw) {
    role_of_leaf[draw] = role_;
    return draw;
  }
  template <class F, class G>
  std::uint64_t fork(F f, G g) {
    const steal* const s = next();
    enter(s);
    const std::uint64_t left = f();
    levels_.pop_back();
    const unsigned here = role_;
    if (s != nullptr && s->taken) role_ = s->begun.role;
    const std::uint64_t right = g();
    if (s != nullptr && s->taken) role_ = s->waited ? s->resumed.role : here;
    return left + right;
  }
  template <class F>
  std::uint64_t group(std::uint64_t n, F f) {
    std::vector<const steal*> children(n);
    for (auto& child : children) child = next();
    const std::uint64_t own = f(n);
    std::uint64_t sum = own;
    // Those that nobody took run latest first, when they are waited for.
    for (std::uint64_t i = n; i-- != 0;) {
      const unsigned here = role_;
      if (children[i] != nullptr && children[i]->taken) role_ = children[i]->begun.role;
      enter(children[i]);
      sum += f(i);
      levels_.pop_back();
      if (children[i] != nullptr && children[i]->taken) role_ = here;
    }
    if (const steal* const wait = next(); wait != nullptr && wait->waited) role_ = wait->resumed.role;
    return sum;
  }
  template <class F>
  std::uint64_t loop(std::uint64_t n, F f) {
    const steal* const s = next();
    enter(s);
    const std::uint64_t sum = halves(0, n, f);
    levels_.pop_back();
    return sum;
  }

 private:
  struct level {
    const std::vector<steal>* list;
    std::uint64_t begun = 0;
  };

  const steal* next() {
    level& l = levels_.back();
    const std::uint64_t at = l.begun++;
    if (l.list == nullptr) return nullptr;
    for (const steal& s : *l.list) {
      if (s.at == at) return &s;
    }
    return nullptr;
  }
  void enter(const steal* s) { levels_.push_back({s != nullptr ? &s->inside : nullptr}); }
  template <class F>
  std::uint64_t halves(std::uint64_t first, std::uint64_t last, F& f) {
    if (last - first == 1) return f(first);
    const std::uint64_t middle = first + (last - first + 1) / 2;
    return fork([&] { return halves(first, middle, f); }, [&] { return halves(middle, last, f); });
  }

  std::vector<level> levels_;
  unsigned role_ = 0;
};

struct run_result {
  std::uint64_t value = 0;
  steal_tree tree;
  bool disordered = false;
};

run_result run(sennit::runtime& rt, diary& ran, std::uint64_t seed, int depth,
               const steal_tree* followed = nullptr, mode how = mode::relaxed) {
  run_result result;
  std::optional<plan> template_plan;
  if (followed != nullptr) template_plan.emplace(*followed);
  execution e(followed != nullptr ? &*template_plan : nullptr, how);
  auto body = [&] {
    in_parallel program{ran};
    result.value = unfold(program, seed, depth);
  };
  rt.run([&] { sennit::detail::observe(e, body); });
  result.tree = e.take();
  result.disordered = e.disordered();
  return result;
}

std::uint64_t taken(const std::vector<steal>& list) {
  std::uint64_t sum = 0;
  for (const steal& s : list) sum += (s.taken ? 1 : 0) + taken(s.inside);
  return sum;
}

TEST(Recording, SaysWhoRanWhat) {
  // Catches: positions that depend on the schedule; a steal, a resumption or a child that is not noted, or as
  // another's.
  std::uint64_t steals = 0;
  under(settings({1, 2, 4}), [&](sennit::runtime& rt) {
    for (int seed = 0; seed < scaled(24); ++seed) {
      diary ran;
      const run_result recorded = run(rt, ran, static_cast<std::uint64_t>(seed), 7);
      ASSERT_EQ(recorded.value, answer(static_cast<std::uint64_t>(seed), 7));
      reader told(recorded.tree);
      unfold(told, static_cast<std::uint64_t>(seed), 7);
      ASSERT_EQ(told.role_of_leaf, ran.worker_of_leaf()) << "seed " << seed;
      steals += taken(recorded.tree.root);
    }
  });
  EXPECT_GT(steals, 20U);
}

TEST(Replay, StrictOrderedIsTheSameAgain) {
  // Catches: a donation that goes elsewhere, out of turn, or not at all; a strand that resumes where it
  // did not.
  under(settings({2, 4}), [&](sennit::runtime& rt) {
    for (int seed = 0; seed < scaled(16); ++seed) {
      diary before;
      const run_result recorded = run(rt, before, static_cast<std::uint64_t>(seed), 7);
      for (int again = 0; again < 2; ++again) {
        diary after;
        const run_result replayed =
            run(rt, after, static_cast<std::uint64_t>(seed), 7, &recorded.tree, mode::strict_ordered);
        ASSERT_EQ(replayed.value, recorded.value);
        ASSERT_FALSE(replayed.disordered) << "seed " << seed;
        ASSERT_EQ(after.by_worker(), before.by_worker()) << "seed " << seed;
        ASSERT_TRUE(replayed.tree == recorded.tree) << "seed " << seed;
      }
    }
  });
}

TEST(Replay, StrictUnorderedKeepsWorkToItsWorkers) {
  // Catches: a strict strand that is robbed.
  under(settings({2, 4}), [&](sennit::runtime& rt) {
    for (int seed = 0; seed < scaled(16); ++seed) {
      diary before;
      const run_result recorded = run(rt, before, static_cast<std::uint64_t>(seed), 7);
      diary after;
      const run_result replayed =
          run(rt, after, static_cast<std::uint64_t>(seed), 7, &recorded.tree, mode::strict_unordered);
      ASSERT_EQ(replayed.value, recorded.value);
      ASSERT_EQ(after.worker_of_leaf(), before.worker_of_leaf()) << "seed " << seed;
    }
  });
}

TEST(Replay, OfAnotherProgramOrByOtherWorkers) {
  // Catches: work that is lost, or a hang, where a plan does not fit: rules 4.1 and 4.2 of Lifflander
  // et al., 2014.
  sennit::runtime four({.workers = 4});
  std::vector<steal_tree> trees;
  for (int seed = 0; seed < 6; ++seed) {
    diary ran;
    trees.push_back(run(four, ran, static_cast<std::uint64_t>(seed), 6 + seed % 3).tree);
  }
  // With as many workers as recorded, too: only then is an order followed.
  under(settings({1, 2, 3, 4, 6}), [&](sennit::runtime& rt) {
    for (const mode how : {mode::relaxed, mode::strict_unordered, mode::strict_ordered}) {
      for (int seed = 0; seed < scaled(10); ++seed) {
        diary ran;
        const auto draw = static_cast<std::uint64_t>(seed);
        const run_result replayed = run(rt, ran, draw, 7, &trees[mixed(draw) % trees.size()], how);
        ASSERT_EQ(replayed.value, answer(draw, 7));
        reader told(replayed.tree);
        unfold(told, draw, 7);
        ASSERT_EQ(told.role_of_leaf, ran.worker_of_leaf()) << "seed " << seed;
      }
    }
  });
}

TEST(Replay, ResumptionWhoseTurnNeverComes) {
  // Catches: a strand that waits in a list of donations for a number behind constructs that the program does
  // not have, and that counts as running meanwhile, so that the order is never given up.
  steal_tree recorded;
  recorded.roles = 2;
  steal first{.taken = true, .waited = true, .at = 0, .begun = {1, 0}};
  first.resumed = {1, 3};
  recorded.root.push_back(std::move(first));
  recorded.root.push_back({.taken = true, .at = 5, .begun = {1, 1}});
  recorded.root.push_back({.taken = true, .at = 6, .begun = {1, 2}});
  ASSERT_EQ(complaint(recorded), "");
  const plan to_follow(recorded);
  under(settings({2}), [&](sennit::runtime& rt) {
    execution e(&to_follow, mode::strict_ordered);
    int ran = 0;
    auto body = [&] {
      sennit::join([] {}, [&] { ++ran; });
      ++ran;
    };
    rt.run([&] { sennit::detail::observe(e, body); });
    EXPECT_EQ(ran, 2);
    EXPECT_TRUE(e.disordered());
  });
}

TEST(Replay, WhoIsAwayIsWaitedFor) {
  // Catches: an order that is given up because the worker whose turn it is has other work, or no processor, for longer
  // than a stall takes to be noticed.
  under(settings({3}), [&](sennit::runtime& rt) {
    rt.run([] {
      std::atomic<unsigned> away{0};
      std::atomic<bool> waited{false};
      std::vector<char> order;
      bool disordered = true;
      const auto replay_around_it = [&] {
        while (away == 0) std::this_thread::yield();
        const std::uint32_t late = away;
        const std::uint32_t other = 3 - late;
        steal_tree recorded;
        recorded.roles = 3;
        steal first{.taken = true, .waited = true, .at = 0, .begun = {late, 0}};
        first.resumed = {0, 2};
        steal second{.taken = true, .waited = true, .at = 0, .begun = {other, 1}};
        second.resumed = {0, 1};
        first.inside.push_back(std::move(second));
        recorded.root.push_back(std::move(first));
        steal third{.taken = true, .waited = true, .at = 1, .begun = {other, 0}};
        third.resumed = {late, 1};
        recorded.root.push_back(std::move(third));
        ASSERT_EQ(complaint(recorded), "");
        const plan to_follow(recorded);
        execution e(&to_follow, mode::strict_ordered);
        auto body = [&] {
          sennit::join([&] { sennit::join([] {}, [&] { order.push_back('2'); }); },
                       [&] { sennit::join([] {}, [&] { order.push_back('1'); }); });
        };
        sennit::detail::observe(e, body);
        disordered = e.disordered();
        waited = true;
      };
      sennit::join(replay_around_it, [&] {
        away = sennit::worker_index();
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        EXPECT_FALSE(waited);
      });
      EXPECT_FALSE(disordered);
      EXPECT_EQ(order, (std::vector<char>{'1', '2'}));
    });
  });
}

}  // namespace
