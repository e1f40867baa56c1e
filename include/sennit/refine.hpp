// refine: schedules that get better from one phase of a program to the next.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/convergence.hpp>
#include <sennit/replay.hpp>
#include <sennit/schedule.hpp>

#include <concepts>
#include <utility>

namespace sennit {

// Runs the kernel by the schedule, relaxed, and then `redistribute` by what came of that, strictly unordered.
// Returns it. `redistribute` has the forks of the kernel and copies the data, or initializes it, so that its
// pages are where the kernel will want them. Throws what the two throw, and std::bad_alloc. (Lifflander et
// al., "Optimizing data locality for fork/join programs using constrained work stealing", 2014, V.)
template <std::invocable Kernel, std::invocable Redistribute>
schedule refine(const schedule& s, Kernel&& kernel, Redistribute&& redistribute) {
  schedule refined = record(s, relaxed, std::forward<Kernel>(kernel));
  replay(refined, strict_unordered, std::forward<Redistribute>(redistribute));
  return refined;
}

struct refinement_options {
  // What is less than this share of the time, from 0 to 1, in idle time or in the time that tasks take, is no
  // improvement.
  double tolerance = 0.02;
  // Rounds without improvement after which the schedule has converged, and rounds after which it has in any
  // case.
  unsigned vain_rounds = 2;
  unsigned most_rounds = 10;
  // Of the steals of each round so many percent, the innermost, are left out of what the next one follows:
  // then the same work is done in fewer and larger pieces, and may_be_stolen() says where a serial kernel
  // will do. 0: none.
  double prune = 0;
};

// For the coarsening of Lifflander et al., 2014, VI: five rounds, each of which keeps the outermost 15
// percent.
inline constexpr refinement_options coarsening{.most_rounds = 5, .prune = 85};

// An iterative program's schedule: refined until it has converged, and followed from then on.
//
// One run() at a time. Cost: that of record(), then of replay().
//
// Example:
//   #include <sennit/parallel_for.hpp>
//
//   #include <vector>
//
//   void relax(std::vector<double>& x, std::vector<double>& next, int rounds) {
//     sennit::refinement plan;
//     const auto n = x.size();
//     for (int i = 0; i < rounds; ++i) {
//       plan.run([&] { sennit::parallel_for(std::size_t{1}, n - 1, [&](std::size_t k) {
//                  next[k] = (x[k - 1] + x[k] + x[k + 1]) / 3; }); },
//                [] {});
//       std::swap(x, next);
//     }
//   }
class SENNIT_EXPORT refinement {
 public:
  // `start`: what the first round follows; for instance the schedule of the program's initialization.
  explicit refinement(schedule start = {}, refinement_options options = {});

  // One round, as refine(); once the schedule has converged, the kernel alone, strictly ordered. Throws what
  // the two throw, and std::bad_alloc: the schedule is then as before the call. A kernel that forks otherwise
  // than in the last round may wait in vain for its order, up to 50 ms in each call: begin with another
  // refinement then.
  template <std::invocable Kernel, std::invocable Redistribute>
  void run(Kernel&& kernel, Redistribute&& redistribute) {
    if (converged()) return replay(current_, strict_ordered, std::forward<Kernel>(kernel));
    schedule next =
        record(followed(), last_round() ? strict_unordered : relaxed, std::forward<Kernel>(kernel));
    replay(next, strict_unordered, std::forward<Redistribute>(redistribute));
    note(std::move(next));
  }
  template <std::invocable Kernel>
  void run(Kernel&& kernel) {
    run(std::forward<Kernel>(kernel), [] {});
  }

  bool converged() const noexcept { return rule_.done(); }
  unsigned rounds() const noexcept { return rule_.rounds(); }
  const schedule& current() const noexcept { return current_; }

 private:
  schedule followed() const;
  bool last_round() const noexcept { return options_.prune > 0 && rule_.last_is_next(); }
  void note(schedule next);

  schedule current_;
  refinement_options options_;
  detail::convergence rule_;
};

}  // namespace sennit
