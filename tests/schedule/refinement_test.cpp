// SPDX-License-Identifier: Apache-2.0
// Refined schedules, coarsening, and data that moves to where the work is, as a program uses them.
#include "../core/support.hpp"
#include "programs.hpp"
#include "trees.hpp"

#include <sennit/numa_array.hpp>
#include <sennit/refine.hpp>
#include <sennit/replay.hpp>
#include <sennit/sennit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <compare>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using sennit_test::answer;
using sennit_test::scaled;
using sennit_test::settings;
using sennit_test::under;
using sennit_test::work_for;

TEST(Coarsening, KnowsWhatCannotBeStolen) {
  // Catches: an answer that makes a task serial which others were to share, or that is never no.
  sennit::runtime two({.workers = 2});
  EXPECT_TRUE(sennit::may_be_stolen());
  two.run([] {
    sennit::refinement plan({}, sennit::coarsening);
    std::atomic<int> leaves{0};
    struct tree {
      std::atomic<int>& leaves;
      void operator()(int depth) const {
        if (depth == 0 || !sennit::may_be_stolen()) {
          ++leaves;
          work_for(std::chrono::microseconds(2 << depth));
        } else {
          sennit::join([this, depth] { (*this)(depth - 1); }, [this, depth] { (*this)(depth - 1); });
        }
      }
    };
    for (int i = 0; i < 8; ++i) {
      leaves = 0;
      plan.run([&] { tree{leaves}(8); });
    }
    EXPECT_TRUE(plan.converged());
    EXPECT_LT(leaves, 128);
  });
}

TEST(Coarsening, KnowsAllThatCanBeStolen) {
  // Catches: an answer of no where a branch is another worker's, or of yes below the last one that is; an
  // answer of no in design(), so that no such program could be designed.
  under(settings({4}), [](sennit::runtime& rt) {
    rt.run([] {
      struct leaf {
        unsigned first;
        unsigned count;
        unsigned worker;
        auto operator<=>(const leaf&) const = default;
      };
      struct tree {
        std::mutex lock{};
        std::vector<leaf> leaves{};
        const unsigned caller = sennit::worker_index();

        void visit(unsigned first, unsigned count) {
          if (count == 1 || !sennit::may_be_stolen()) {
            const std::lock_guard guard(lock);
            leaves.push_back({first, count, (sennit::worker_index() + 4 - caller) % 4});
            return;
          }
          if (count > 16) sennit::designate((first + count / 2) / 16);
          sennit::join([=, this] { visit(first, count / 2); },
                       [=, this] { visit(first + count / 2, count / 2); });
        }
      };
      tree designed;
      const sennit::schedule quarters = sennit::design([&] { designed.visit(0, 64); });
      EXPECT_EQ(designed.leaves.size(), 64U);
      EXPECT_EQ(quarters.steals(), 3U);
      for (const auto how : {sennit::strict_unordered, sennit::strict_ordered}) {
        tree replayed;
        sennit::replay(quarters, how, [&] { replayed.visit(0, 64); });
        std::sort(replayed.leaves.begin(), replayed.leaves.end());
        EXPECT_EQ(replayed.leaves, (std::vector<leaf>{{0, 16, 0}, {16, 16, 1}, {32, 16, 2}, {48, 16, 3}}));
      }
    });
  });
}

TEST(Coarsening, LeavesNoWorkerWithoutWork) {
  // Catches: a schedule of so few steals that none is left, which is then followed strictly.
  sennit::runtime two({.workers = 2});
  two.run([] {
    struct tree {
      std::atomic<int>* by_worker;
      void operator()(int depth) const {
        if (depth == 0 || !sennit::may_be_stolen()) {
          ++by_worker[sennit::worker_index() % 2];
          // It sleeps, so that two workers are faster than one on a busy machine, too.
          std::this_thread::sleep_for(std::chrono::microseconds(200 << depth));
        } else {
          sennit::join([this, depth] { (*this)(depth - 1); }, [this, depth] { (*this)(depth - 1); });
        }
      }
    };
    for (int trial = 0; trial < scaled(25); ++trial) {
      sennit::refinement plan({}, sennit::coarsening);
      while (!plan.converged()) {
        std::atomic<int> ignored[2]{};
        plan.run([&] { tree{ignored}(6); });
      }
      std::atomic<int> by_worker[2]{};
      plan.run([&] { tree{by_worker}(6); });
      EXPECT_GT(by_worker[0], 0) << "trial " << trial;
      EXPECT_GT(by_worker[1], 0) << "trial " << trial;
    }
  });
}

TEST(Refinement, EndsWithItsFastestRound) {
  // Catches: a schedule that is followed for ever because its round came last.
  sennit::runtime two({.workers = 2});
  two.run([] {
    sennit::refinement plan({}, {.vain_rounds = 9, .most_rounds = 4});
    std::vector<sennit::schedule> rounds;
    while (!plan.converged()) {
      const bool disturbed = plan.rounds() != 1;
      plan.run(
          [&] {
            sennit::parallel_for(
                0, 32, [](int) { std::this_thread::sleep_for(std::chrono::microseconds(200)); },
                sennit::grain(1));
            if (disturbed) std::this_thread::sleep_for(std::chrono::milliseconds(100));
          },
          [&] { sennit::parallel_for(0, 32, [](int) {}, sennit::grain(1)); });
      rounds.push_back(plan.current());
    }
    EXPECT_EQ(plan.current(), rounds[1]);
    EXPECT_EQ(plan.current().length(), rounds[1].length());
  });
}

// Phases of a program in which a worker may become slow.
class phases_of_refinement {
 public:
  void run() {
    const unsigned first = sennit::worker_index();
    plan.run([&] {
      sennit::parallel_for(
          0, 32,
          [&](int) {
            const bool late = slow && sennit::worker_index() != first;
            std::this_thread::sleep_for(std::chrono::microseconds(late ? 2000 : 500));
          },
          sennit::grain(1));
    });
  }
  void converge() {
    while (!plan.converged()) run();
  }

  bool slow = false;
  sennit::refinement plan{};
};

TEST(Refinement, NoticesASlowWorkerWithinThreePhases) {
  // Catches: a schedule that is followed strictly for ever, whatever has become of the machine.
  sennit::runtime two({.workers = 2});
  two.run([] {
    phases_of_refinement program;
    int phases = 10;
    // A busy machine is late by itself in the phases that tell what is usual: then what follows is not.
    for (int attempt = 0; attempt < 5 && phases > 3; ++attempt) {
      program.slow = false;
      program.converge();
      // What is usual.
      for (int phase = 0; phase < 4; ++phase) program.run();
      program.slow = true;
      phases = 0;
      for (; program.plan.converged() && phases < 10; ++phases) program.run();
    }
    EXPECT_LE(phases, 3);
    program.converge();
  });
}

TEST(Refinement, BeginsAgainWithOtherWorkers) {
  // Catches: a schedule for two workers that is followed strictly by three.
  phases_of_refinement program;
  sennit::runtime two({.workers = 2});
  two.run([&] { program.converge(); });
  sennit::runtime three({.workers = 3});
  three.run([&] {
    program.run();
    EXPECT_EQ(program.plan.rounds(), 1U);
    program.converge();
    EXPECT_EQ(program.plan.current().workers(), 3U);
  });
}

TEST(Refinement, RefusesBadOptions) {
  // Catches: a percentage or a share that is taken for the other; a share so large that a time of it is
  // beyond what an integer holds.
  EXPECT_THROW(sennit::refinement({}, {.tolerance = 1e300}), std::invalid_argument);
  EXPECT_THROW(sennit::refinement({}, {.tolerance = std::numeric_limits<double>::infinity()}),
               std::invalid_argument);
  EXPECT_THROW(sennit::refinement({}, {.tolerance = std::nan("")}), std::invalid_argument);
  EXPECT_THROW(sennit::refinement({}, {.prune = 101}), std::invalid_argument);
  EXPECT_THROW(sennit::refinement({}, {.tolerance = -1}), std::invalid_argument);
}

TEST(Refinement, MovesDataOnceARoundToWhereTheKernelRan) {
  // Catches: a round without redistribution, or one after the last; data that goes to other workers.
  under(settings({1, 2, 4}), [](sennit::runtime& rt) {
    rt.run([] {
      constexpr int n = 64;
      sennit::refinement plan({}, {.vain_rounds = 100, .most_rounds = 3});
      std::vector<unsigned> last_moved_by;
      for (unsigned round = 0; round < 5; ++round) {
        std::vector<unsigned> ran_on(n, 99);
        std::vector<unsigned> moved_by(n, 99);
        unsigned kernels = 0;
        unsigned moves = 0;
        const auto note = [](std::vector<unsigned>& by) {
          sennit::parallel_for(
              0, n,
              [&](int i) {
                work_for(std::chrono::microseconds(5));
                by[static_cast<std::size_t>(i)] = sennit::worker_index();
              },
              sennit::grain(1));
        };
        plan.run(
            [&] {
              ++kernels;
              note(ran_on);
            },
            [&] {
              ++moves;
              note(moved_by);
            });
        EXPECT_EQ(kernels, 1U);
        EXPECT_EQ(moves, round < 3 ? 1U : 0U);
        // The last redistribution is by the best round.
        if (round < 2) {
          EXPECT_EQ(moved_by, ran_on) << "round " << round;
        } else if (round == 2) {
          last_moved_by = moved_by;
        } else {
          EXPECT_EQ(last_moved_by, ran_on) << "round " << round;
        }
        EXPECT_EQ(plan.rounds(), std::min(round + 1, 3U));
        EXPECT_EQ(plan.converged(), round >= 2);
      }
    });
  });
}

TEST(NumaArray, IsZeroAndMovable) {
  // Catches: memory that is returned twice, or not at all; pages that are touched before their time.
  sennit::numa_array<int> a(100'000);
  EXPECT_EQ(a[99'999], 0);
  a[5] = 7;
  a.renew([](const sennit::numa_array<int>& from, sennit::numa_array<int>& to) {
    EXPECT_EQ(to[5], 0);
    sennit::parallel_for(std::size_t{0}, to.size(), [&](std::size_t i) { to[i] = from[i]; });
  });
  EXPECT_EQ(a[5], 7);
  sennit::numa_array<int> b = std::move(a);
  EXPECT_EQ(b.size(), 100'000U);
  EXPECT_TRUE(a.empty());  // NOLINT(bugprone-use-after-move): it is specified
  EXPECT_THROW(sennit::numa_array<double>(~std::size_t{0}), std::bad_alloc);
  sennit::numa_array<char> huge(std::size_t{4} << 20, sennit::page_size::huge);
  huge[0] = 1;
  EXPECT_TRUE(sennit::numa_array<int>().empty());
}

}  // namespace
