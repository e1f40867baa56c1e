// SPDX-License-Identifier: Apache-2.0
// Relaxed replays: what a schedule gives to a worker is that worker's until it is late. These tests measure times, so nothing
// runs beside them.
#include "../core/support.hpp"

#include <sennit/distribution.hpp>
#include <sennit/replay.hpp>
#include <sennit/sennit.hpp>

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace {

using sennit_test::settings;
using sennit_test::under;

// Phases of equal tasks, one after the other, of which each worker has a block. The tasks sleep, so that there may be
// more workers than processors.
class phases_of_blocks {
 public:
  static constexpr unsigned workers = 8;

  // As a share of the iterations, those that ran elsewhere than planned in a relaxed replay.
  double moved(unsigned slow) {
    const unsigned first = sennit::worker_index();
    std::atomic<unsigned> elsewhere{0};
    sennit::replay(blocks_, sennit::relaxed, [&] {
      run([&](unsigned i) {
        const unsigned role = (sennit::worker_index() + workers - first) % workers;
        if (role != i * workers / tasks) ++elsewhere;
        work(role, slow);
      });
    });
    return double(elsewhere) / (tasks * phases);
  }
  void plain(unsigned slow) {
    run([&](unsigned) { work(sennit::worker_index(), slow); });
  }
  static constexpr unsigned nobody = 99;

 private:
  static constexpr unsigned tasks = 64;
  static constexpr unsigned phases = 6;

  template <class Task>
  static void run(Task&& task) {
    for (unsigned phase = 0; phase < phases; ++phase) sennit::parallel_for(0U, tasks, task, sennit::grain(1));
  }
  static void work(unsigned worker, unsigned slow) {
    std::this_thread::sleep_for(std::chrono::milliseconds(worker == slow ? 8 : 2));
  }

  sennit::schedule blocks_ = sennit::block_distribution(tasks, workers, phases, 1);
};

TEST(Replay, RelaxedKeepsAnIdealSchedule) {
  // Catches: donations that the next idle worker takes; frames that are taken while donations are on their way; a
  // strand that goes on wherever its last branch ended. The best of some replays: other programs make workers late.
  under(settings({phases_of_blocks::workers}), [](sennit::runtime& rt) {
    rt.run([] {
      phases_of_blocks program;
      double least = 1;
      for (int round = 0; round < 5; ++round) least = std::min(least, program.moved(program.nobody));
      EXPECT_LE(least, 0.02);
    });
  });
}

// As a share of the iterations, those that ran elsewhere than their owners in the best of some relaxed replays.
template <class Owner, class Task>
double least_moved(const sennit::schedule& s, unsigned tasks, unsigned phases, Owner&& owner, Task&& task) {
  const unsigned first = sennit::worker_index();
  const unsigned workers = sennit::worker_count();
  unsigned least = tasks * phases;
  for (int round = 0; round < 8 && least > tasks * phases / 50; ++round) {
    std::atomic<unsigned> elsewhere{0};
    sennit::replay(s, sennit::relaxed, [&] {
      for (unsigned phase = 0; phase < phases; ++phase) {
        sennit::parallel_for(
            0U, tasks,
            [&](unsigned i) {
              if ((sennit::worker_index() + workers - first) % workers != owner(i)) ++elsewhere;
              task();
            },
            sennit::grain(1));
      }
    });
    least = std::min(least, elsewhere.load());
  }
  return double(least) / (tasks * phases);
}

TEST(Replay, RelaxedKeepsBlocksThatAreDealtInTurn) {
  // Catches: many donations to one worker that are open to others before the worker could have come to them.
  under(settings({8}), [](sennit::runtime& rt) {
    rt.run([] {
      EXPECT_LE(least_moved(
                    sennit::cyclic_distribution(64, 8, 2, 6, 1), 64, 6, [](unsigned i) { return i / 2 % 8; },
                    [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }),
                0.02);
    });
  });
}

TEST(Replay, RelaxedKeepsAnIdealScheduleWithFewProcessors) {
  // Catches: workers that count as late because others have their processors, or because idle workers would take these. The
  // tasks compute; there are more workers than processors on most machines.
  under(settings({8}), [](sennit::runtime& rt) {
    rt.run([] {
      const auto compute = [] {
        timespec begin{};
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        do {
          clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        } while ((now.tv_sec - begin.tv_sec) * 1'000'000'000L + now.tv_nsec - begin.tv_nsec < 1'000'000);
      };
      EXPECT_LE(
          least_moved(
              sennit::block_distribution(64, 8, 6, 1), 64, 6, [](unsigned i) { return i / 8; }, compute),
          0.02);
      EXPECT_LE(least_moved(
                    sennit::cyclic_distribution(64, 8, 2, 6, 1), 64, 6, [](unsigned i) { return i / 2 % 8; },
                    compute),
                0.03);
      // Fewer strands than workers: the others look for work from the beginning.
      const unsigned busy = std::clamp(std::thread::hardware_concurrency(), 2U, 8U);
      EXPECT_LE(least_moved(
                    sennit::block_distribution(64, busy, 6, 1), 64, 6,
                    [=](unsigned i) { return i * busy / 64; }, compute),
                0.04);
    });
  });
}

TEST(Replay, RelaxedUsesMoreWorkersThanTheScheduleHas) {
  // Catches: workers without a role that sleep beside those that have one.
  under(settings({4}), [](sennit::runtime& rt) {
    rt.run([] {
      const sennit::schedule halves = sennit::block_distribution(64, 2, 1, 1);
      std::chrono::nanoseconds least[2] = {std::chrono::hours(1), std::chrono::hours(1)};
      for (int round = 0; round < 5; ++round) {
        for (const auto how : {sennit::relaxed, sennit::strict_unordered}) {
          const auto begin = std::chrono::steady_clock::now();
          sennit::replay(halves, how, [] {
            sennit::parallel_for(
                0, 64, [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); },
                sennit::grain(1));
          });
          auto& time = least[how == sennit::relaxed ? 0 : 1];
          time = std::min<std::chrono::nanoseconds>(time, std::chrono::steady_clock::now() - begin);
        }
      }
      EXPECT_LT(least[0], least[1] * 4 / 5);
    });
  });
}

TEST(Replay, RelaxedTakesFromASlowWorker) {
  // Catches: a worker that is late and whose work nobody may have.
  under(settings({phases_of_blocks::workers}), [](sennit::runtime& rt) {
    rt.run([] {
      phases_of_blocks program;
      const auto seconds = [](auto&& f) {
        const auto begin = std::chrono::steady_clock::now();
        f();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      };
      double plain = 1e9;
      double relaxed = 1e9;
      // The least of each comes to what the machine can do, sooner or later, also if it is busy.
      for (int round = 0; round < 5 || (round < 40 && relaxed >= 1.1 * plain); ++round) {
        plain = std::min(plain, seconds([&] { program.plain(3); }));
        relaxed = std::min(relaxed, seconds([&] { EXPECT_GT(program.moved(3), 0.02); }));
      }
      EXPECT_LT(relaxed, 1.1 * plain);
    });
  });
}

}  // namespace
