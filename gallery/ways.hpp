// SPDX-License-Identifier: Apache-2.0
// Ways to run a kernel of several phases (phases.hpp) on the calling runtime. Each has initialize(kernel) and step(kernel), and
// says whether they follow a schedule.
#pragma once

#include "gallery/phases.hpp"

#include <sennit/distribution.hpp>
#include <sennit/refine.hpp>
#include <sennit/replay.hpp>
#include <sennit/schedule.hpp>
#include <sennit/worker.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace gallery {

// By work stealing alone.
template <class Loops = loops<sennit::parallel>>
class unscheduled {
 public:
  static constexpr bool follows = false;

  explicit unscheduled(Loops run = Loops()) : run_(run) {}

  template <class Kernel>
  void initialize(Kernel& kernel) {
    kernel.initialize(run_);
  }
  template <class Kernel>
  void step(Kernel& kernel) {
    kernel.step(run_);
  }

 private:
  Loops run_;
};

// By a schedule that the user writes for the loops: of each one, a block of iterations for each worker.
class by_blocks {
 public:
  static constexpr bool follows = true;

  template <class Kernel>
    requires requires { Kernel::loops_a_step; }
  void initialize(Kernel& kernel) {
    schedule_ = sennit::block_distribution(kernel.blocks(), sennit::worker_count(), Kernel::loops_a_step);
    sennit::replay(schedule_, sennit::strict_unordered, [&] { kernel.initialize(run_); });
  }
  template <class Kernel>
  void step(Kernel& kernel) {
    sennit::replay(schedule_, sennit::strict_unordered, [&] { kernel.step(run_); });
  }

 private:
  loops<sennit::parallel> run_;
  sennit::schedule schedule_;
};

// By a schedule that the program itself designates while it initializes: for loops of different lengths, too.
class designed {
 public:
  static constexpr bool follows = true;

  template <class Kernel>
  void initialize(Kernel& kernel) {
    run_ = halves<sennit::parallel>(sennit::worker_count());
    schedule_ = sennit::design([&] { kernel.initialize(run_); });
  }
  template <class Kernel>
  void step(Kernel& kernel) {
    sennit::replay(schedule_, sennit::strict_unordered, [&] { kernel.step(run_); });
  }

 private:
  halves<sennit::parallel> run_;
  sennit::schedule schedule_;
};

// By a schedule that begins as that of the initialization and gets better from step to step.
template <class Loops = loops<sennit::parallel>>
class refined {
 public:
  static constexpr bool follows = true;

  explicit refined(Loops run = Loops(), sennit::refinement_options options = {})
      : run_(run), options_(options) {}

  template <class Kernel>
  void initialize(Kernel& kernel) {
    plan_ = sennit::refinement(sennit::record([&] { kernel.initialize(run_); }), options_);
  }
  template <class Kernel>
  void step(Kernel& kernel) {
    plan_.run([&] { kernel.step(run_); }, [&] { kernel.redistribute(run_); });
  }
  // Refines until there is nothing left to gain, and starts again with the data where that wants it.
  template <class Kernel>
  void settle(Kernel& kernel) {
    while (!plan_.converged()) step(kernel);
    sennit::replay(plan_.current(), sennit::strict_unordered, [&] { kernel.initialize(run_); });
  }
  const sennit::refinement& plan() const { return plan_; }

 private:
  Loops run_;
  sennit::refinement_options options_;
  sennit::refinement plan_;
};

// By a schedule for each grid of a kernel that has several, which all loops that write to it follow: so what
// is near to a worker in one operation is so in the next, and how a small grid is cut does not depend on how
// a large one is. The schedules begin as blocks. The first loop of a step that has a plane an iteration
// refines its grid's.
class by_levels {
 public:
  static constexpr bool follows = true;

  explicit by_levels(sennit::refinement_options options = {}) : options_(options) {}

  template <class Kernel>
    requires requires(const Kernel& kernel) { kernel.planes(kernel.levels()); }
  void initialize(Kernel& kernel) {
    levels_.clear();
    for (std::size_t i = 0; i < kernel.levels(); ++i) {
      const std::size_t planes = kernel.planes(i);
      levels_.push_back(
          {planes, sennit::refinement(sennit::block_distribution(planes, sennit::worker_count()), options_)});
    }
    kernel.initialize(leveled{levels_});
  }
  template <class Kernel>
  void step(Kernel& kernel) {
    const bool settled = converged();
    for (level& each : levels_) each.due = !each.plan.converged();
    kernel.step(leveled{levels_});
    if (!settled) kernel.redistribute(leveled{levels_});
  }
  template <class Kernel>
  void settle(Kernel& kernel) {
    while (!converged()) step(kernel);
    kernel.initialize(leveled{levels_});
  }
  bool converged() const {
    return std::ranges::all_of(levels_, [](const level& each) { return each.plan.converged(); });
  }
  const sennit::schedule& schedule_of(std::size_t level) const { return levels_[level].plan.current(); }

 private:
  struct level {
    std::size_t planes;
    sennit::refinement plan;
    bool due = false;  // for a round of refinement

    template <class Body>
    void each(std::size_t n, std::size_t grain, const Body& body) {
      const auto loop = [&] { loops<sennit::parallel>().each(n, grain, body); };
      if (due && n == planes) {
        due = false;
        plan.run(loop);
      } else {
        sennit::replay(plan.current(), sennit::strict_unordered, loop);
      }
    }
  };
  struct leveled {
    std::vector<level>& levels;

    level& on(std::size_t i) const { return levels[i]; }
  };

  sennit::refinement_options options_;
  std::vector<level> levels_;
};

}  // namespace gallery
