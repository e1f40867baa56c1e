// SPDX-License-Identifier: Apache-2.0
// Traces of random programs: each event lies in what it says that it lies in.
#include "trace_support.hpp"

#include <array>
#include <atomic>
#include <random>
#include <stdexcept>
#include <thread>

namespace process {
namespace {

// A program that a number determines: forks, loops, groups in groups, sections, exceptions. What it takes is brief at some places,
// and long at others.
class random_program {
 public:
  explicit random_program(unsigned seed) : seed_(seed) {}

  void run() {
    sennit::runtime::default_runtime().run([&] { part(seed_, 7, nullptr); });
  }
  // On a thread that runs no strand.
  void run_outside() {
    sennit::task_group group;
    for (unsigned i = 0; i < 6; ++i) group.spawn([this, i] { part(seed_ * 31 + i, 4, nullptr); });
    part(seed_ + 17, 5, &group);
    group.wait();
  }

 private:
  struct failure {};

  static unsigned next(unsigned& state) {
    state = state * 1664525U + 1013904223U;
    return state >> 8;
  }
  static void work(unsigned& state) {
    constexpr std::array<int, 8> lengths{0, 0, 1, 3, 10, 30, 120, 400};
    busy_for(std::chrono::microseconds(lengths[next(state) % lengths.size()]));
  }

  void part(unsigned state, int depth, sennit::task_group* around) {
    work(state);
    for (unsigned n = depth > 0 ? next(state) % 4 : 0; n > 0; --n) {
      construct(state, depth - 1, around);
      if (next(state) % 3 == 0) work(state);
    }
  }

  void construct(unsigned& state, int depth, sennit::task_group* around) {
    const unsigned other = next(state);
    switch (next(state) % 9) {
      case 0:
      case 1:
        sennit::join([=, this] { part(other, depth, around); },
                     [=, this] { part(other * 7 + 1, depth, around); });
        break;
      case 2:
        sennit::parallel_for(0U, 2 + other % 30,
                             [&](unsigned i) { part(other + i % 3, i % 5 == 0 ? depth - 2 : 0, around); });
        break;
      case 3: {
        sennit::task_group group;
        for (unsigned i = 0; i < other % 12; ++i)
          group.spawn([=, this, &group] { part(other + i % 2, depth - 1, &group); });
        part(other, depth - 2, &group);
        group.wait();
        break;
      }
      case 4:
        if (around != nullptr) {
          for (unsigned i = 0; i < other % 5; ++i)
            around->spawn([=, this] { part(other + i, depth - 2, nullptr); });
        }
        break;
      case 5: sennit::named("section", [&] { part(other, depth, around); }); break;
      case 6:
        try {
          sennit::join(
              [&] {
                part(other, depth, nullptr);
                throw failure();
              },
              [&] { part(other + 1, depth, nullptr); });
        } catch (const failure&) {
        }
        break;
      case 7:
        try {
          sennit::task_group group;
          for (unsigned i = 0; i < 4; ++i) {
            group.spawn([=, this] {
              part(other + i, depth - 1, nullptr);
              if (i == other % 8) throw failure();
            });
          }
          group.wait();
        } catch (const failure&) {
        }
        break;
      default: {
        // Very brief ones.
        std::atomic<unsigned> sum{0};
        sennit::task_group group;
        for (unsigned i = 0; i < other % 200; ++i)
          group.spawn([&sum] { sum.fetch_add(1, std::memory_order_relaxed); });
        group.wait();
        for (unsigned i = 0; i < other % 100; ++i) sennit::parallel_for(0U, 10U, [&](unsigned) { ++sum; });
      }
    }
  }

  const unsigned seed_;
};

class TracedRandomly : public testing::TestWithParam<int> {};

TEST_P(TracedRandomly, EventsLieInWhatTheyAreSaidToLieIn) {
  // Catches: what a child does that is too brief to be told, said to lie in the body that spawned it, which has ended long before; a
  // loop that is told as a whole beside what was told of its iterations.
  const trace_path file;
  for (unsigned seed = 1; seed <= (with_tsan ? 4U : 12U); ++seed) {
    EXPECT_THAT(traced(file, GetParam(),
                       [&] {
                         random_program program(seed);
                         program.run();
                         std::thread outside([&] { program.run_outside(); });
                         random_program(seed + 1000).run();
                         outside.join();
                         program.run();
                       }),
                ExitedWith(0));
    expect_well_formed(parsed(file));
    if (HasFailure()) {
      ADD_FAILURE() << "seed " << seed;
      break;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Workers, TracedRandomly, testing::Values(1, 2, 4, 8));

}  // namespace
}  // namespace process
