// Ways to run a kernel of several phases (phases.hpp) on the calling runtime. Each has initialize(kernel) and step(kernel), and
// says whether they follow a schedule.
#pragma once

#include "gallery/phases.hpp"

#include <sennit/distribution.hpp>
#include <sennit/refine.hpp>
#include <sennit/replay.hpp>
#include <sennit/schedule.hpp>
#include <sennit/worker.hpp>

#include <utility>

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
    schedule_ = sennit::blocks(kernel.blocks(), sennit::worker_count(), Kernel::loops_a_step);
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

}  // namespace gallery
