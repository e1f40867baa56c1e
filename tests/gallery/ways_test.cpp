// SPDX-License-Identifier: Apache-2.0
// Kernels of several phases give the same result whichever way they are run, and their initializers and redistributors have
// the loops of their steps.
#include "gallery/cg.hpp"
#include "gallery/fdtd_2d.hpp"
#include "gallery/floyd_warshall.hpp"
#include "gallery/heat.hpp"
#include "gallery/memcpy.hpp"
#include "gallery/mg.hpp"
#include "gallery/scan.hpp"
#include "gallery/ways.hpp"

#include <sennit/runtime.hpp>
#include <sennit/worker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace gallery {
namespace {

double total(std::span<const double> x) { return std::accumulate(x.begin(), x.end(), 0.0); }

struct heat_case : heat {
  heat_case() : heat(2, 40, 100, 3) {}
  template <class Loops>
  void initialize(Loops&& loops) {
    heat::initialize(loops, [](std::size_t plate, std::size_t y, float* row) {
      for (std::size_t x = 0; x < 40; ++x) row[x] = static_cast<float>((plate + 3 * y + 5 * x) % 64);
    });
  }
  double answer() const { return std::accumulate(cells().begin(), cells().end(), 0.0); }
};
struct fdtd_case : fdtd_2d {
  fdtd_case() : fdtd_2d(70, 3) {}
  double answer() const { return total(hz()) + 2 * total(ey()) + 3 * total(ex()); }
};
struct floyd_case : floyd_warshall {
  floyd_case() : floyd_warshall(50, 2) {}
  template <class Loops>
  void initialize(Loops&& loops) {
    floyd_warshall::initialize(loops, [](std::size_t i, std::int32_t* row) {
      for (std::size_t j = 0; j < 50; ++j)
        row[j] = i == j ? 0 : static_cast<std::int32_t>(1 + (i * 7 + j * 11) % 97);
    });
  }
  double answer() const { return std::accumulate(lengths().begin(), lengths().end(), 0.0); }
};
struct memcpy_case : memcpy_blocks {
  memcpy_case() : memcpy_blocks(5000, 64) {}
  double answer() const { return total(copy()); }
};
struct scan_case : scan {
  scan_case() : scan(5000, 64) {}
  double answer() const { return total(prefixes()); }
};
struct cg_case : cg {
  cg_case() : cg(cg_class_of("S"), matrix(), 16) {}
  static const compressed_rows& matrix() {
    static const compressed_rows made = cg_matrix(cg_class_of("S"));
    return made;
  }
  double answer() const { return zeta(); }
};
struct mg_case : mg {
  mg_case() : mg(mg_class_of("S"), mg_charges_of(mg_class_of("S"))) {}
  double answer() const { return norm(); }
};

constexpr unsigned steps = 30;

template <class Case, class Way>
double answer_of(Way way) {
  Case kernel;
  way.initialize(kernel);
  for (unsigned i = 0; i < steps; ++i) way.step(kernel);
  return kernel.answer();
}

using forked = halves<sennit::parallel>;

template <class Case>
class Ways : public testing::Test {};
using cases = testing::Types<heat_case, fdtd_case, floyd_case, memcpy_case, scan_case, cg_case, mg_case>;
TYPED_TEST_SUITE(Ways, cases);

TYPED_TEST(Ways, GiveTheElisionsResult) {
  const double right = answer_of<TypeParam>(unscheduled<loops<sennit::serial>>());
  for (const unsigned workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(workers);
    sennit::runtime runtime({.workers = workers});
    runtime.run([&] {
      EXPECT_EQ(answer_of<TypeParam>(unscheduled<>()), right);
      EXPECT_EQ(answer_of<TypeParam>(unscheduled(forked(workers))), right);
      EXPECT_EQ(answer_of<TypeParam>(designed()), right);
      EXPECT_EQ(answer_of<TypeParam>(refined<>()), right);
      EXPECT_EQ(answer_of<TypeParam>(refined(forked(workers, true), sennit::coarsening)), right);
      if constexpr (requires { TypeParam::loops_a_step; }) {
        EXPECT_EQ(answer_of<TypeParam>(by_blocks()), right);
      }
      if constexpr (requires(TypeParam kernel) { kernel.levels(); }) {
        EXPECT_EQ(answer_of<TypeParam>(by_levels()), right);
        EXPECT_EQ(answer_of<TypeParam>(by_levels(sennit::coarsening)), right);
      }
    });
  }
}

// Which worker ran each iteration of each loop.
struct noting_loops {
  std::vector<std::vector<unsigned>>& workers;

  template <class Body>
  void each(std::size_t n, std::size_t grain, const Body& body) const {
    workers.emplace_back(n);
    halves<sennit::parallel>(sennit::worker_count()).each(n, grain, [&, &of = workers.back()](std::size_t i) {
      of[i] = sennit::worker_index();
      body(i);
    });
  }
};

// Catches: an initializer that touches pages first where the steps do not want them.
TYPED_TEST(Ways, FollowTheScheduleOfTheInitialization) {
  sennit::runtime runtime({.workers = 3});
  runtime.run([] {
    TypeParam kernel;
    std::vector<std::vector<unsigned>> designed, step, redistributed;
    const sennit::schedule s = sennit::design([&] { kernel.initialize(noting_loops{designed}); });
    sennit::replay(s, sennit::strict_unordered, [&] { kernel.step(noting_loops{step}); });
    sennit::replay(s, sennit::strict_unordered, [&] { kernel.redistribute(noting_loops{redistributed}); });
    EXPECT_EQ(step, redistributed);
    EXPECT_EQ(step, designed);
    EXPECT_TRUE(std::is_sorted(step.front().begin(), step.front().end()));
  });
}

// Two grids, each written by two loops.
struct two_grids {
  using workers = std::vector<unsigned>;
  std::vector<workers> by;

  static std::size_t levels() { return 2; }
  static std::size_t planes(std::size_t level) { return level == 0 ? 48 : 200; }
  template <class Loops>
  void initialize(Loops&& loops) {
    by.clear();
    for (const std::size_t level : {1, 0, 0, 1}) {
      workers& of = by.emplace_back(planes(level));
      loops_on(loops, level).each(of.size(), 1, [&of](std::size_t i) {
        of[i] = sennit::worker_index();
        // A loop that is brief is not cut.
        for (const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(2);
             std::chrono::steady_clock::now() < end;) {
        }
      });
    }
    // In a schedule the worker that begins is 0.
    for (workers& of : by) {
      const unsigned first = of.front();
      for (unsigned& w : of) w = (w + sennit::worker_count() - first) % sennit::worker_count();
    }
  }
  template <class Loops>
  void step(Loops&& loops) {
    initialize(loops);
  }
  template <class Loops>
  void redistribute(Loops&& loops) {
    initialize(loops);
  }
};

// Catches: loops on one grid that follow another's schedule, or each its own.
TEST(Levels, HaveAScheduleEach) {
  sennit::runtime runtime({.workers = 3});
  runtime.run([] {
    two_grids kernel;
    by_levels way({.most_rounds = 4});
    way.initialize(kernel);
    EXPECT_EQ(kernel.by[0], kernel.by[3]);
    EXPECT_EQ(kernel.by[1], kernel.by[2]);
    EXPECT_EQ(kernel.by[0].back(), 2U);
    way.settle(kernel);
    ASSERT_TRUE(way.converged());
    EXPECT_NE(way.schedule_of(0), way.schedule_of(1));
    for (int i = 0; i < 3; ++i) {
      way.step(kernel);
      EXPECT_EQ(kernel.by[0], kernel.by[3]);
      EXPECT_EQ(kernel.by[1], kernel.by[2]);
    }
  });
}

}  // namespace
}  // namespace gallery
