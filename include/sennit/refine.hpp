// SPDX-License-Identifier: Apache-2.0
// refine: schedules that get better from one phase of a program to the next.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/convergence.hpp>
#include <sennit/detail/drift.hpp>
#include <sennit/replay.hpp>
#include <sennit/schedule.hpp>

#include <chrono>
#include <concepts>
#include <memory>
#include <utility>

namespace sennit {
namespace detail {
class plan;
}  // namespace detail

// Runs the kernel by the schedule, relaxed. Then runs `redistribute` by the resulting schedule, strict and
// unordered. Returns the resulting schedule. `redistribute` has the same forks as the kernel, and copies or
// initializes the data, so that pages are placed where the kernel will use them. Throws what the two throw,
// and std::bad_alloc. (Lifflander et al., "Optimizing data locality for fork/join programs using constrained
// work stealing", 2014, V.)
template <std::invocable Kernel, std::invocable Redistribute>
schedule refine(const schedule& s, Kernel&& kernel, Redistribute&& redistribute) {
  schedule refined = record(s, relaxed, std::forward<Kernel>(kernel));
  replay(refined, strict_unordered, std::forward<Redistribute>(redistribute));
  return refined;
}

struct refinement_options {
  // The least improvement that counts, in idle time or in the time of tasks, as a share of the time from 0
  // to 1.
  double tolerance = 0.02;
  // vain_rounds: the schedule has converged after this number of rounds without improvement. most_rounds: it
  // has converged after this number of rounds in any case.
  unsigned vain_rounds = 2;
  unsigned most_rounds = 10;
  // The percentage of each round's steals, the innermost ones, that the next round does not follow. The same
  // work is then done in fewer and larger pieces, and may_be_stolen() says where a serial kernel is enough.
  // More steals are followed where else a worker would have less than three quarters of its work. 0: follows all.
  double prune = 0;
  // How the schedule is followed once it has converged.
  fidelity settled = strict_ordered;
};

// The coarsening of Lifflander et al., 2014, VI: five rounds, each of which keeps the outermost 15 percent
// of the steals.
inline constexpr refinement_options coarsening{.most_rounds = 5, .prune = 85};

// The schedule of an iterative program: refined until it has converged, and followed from then on. The refinement goes
// on watching how long its phases take. If three in a row take a quarter longer than usual, or if the number of workers
// changes, it begins again with the schedule that it has. If that was in vain, because all the machine is slower, it
// waits for twice as many late phases the next time.
//
// Thread-safety: none; one run() at a time. Cost: that of record(), then that of replay().
//
// Example:
//   #include <sennit/parallel_for.hpp>
//
//   #include <vector>
//
//   void relax(std::vector<double>& x, std::vector<double>& next, int rounds) {
//     sennit::refinement_options how = sennit::coarsening;  // fewer and larger pieces
//     how.settled = sennit::strict_unordered;
//     sennit::refinement plan({}, how);
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
  // `start`: what the first round follows, for instance the schedule of the program's initialization.
  explicit refinement(schedule start = {}, refinement_options options = {});

  // Runs one round, as refine(). Once the schedule has converged, runs the kernel only, as `settled` says, by the
  // schedule of the round that took the least time. The last redistribution is by that schedule, too.
  // Throws what the two throw, and std::bad_alloc; the schedule is then the one before the call. If a kernel
  // forks in another way than in the last round, it may wait for its order in vain, some 50 ms in each
  // call. Use a new refinement for such a kernel.
  template <std::invocable Kernel, std::invocable Redistribute>
  void run(Kernel&& kernel, Redistribute&& redistribute) {
    auto body = [&] { std::forward<Kernel>(kernel)(); };
    if (follows()) return follow(body);
    refinement refined = next(body);
    replay(refined.current_, strict_unordered, std::forward<Redistribute>(redistribute));
    *this = std::move(refined);
  }
  // The same where there is nothing to redistribute.
  template <std::invocable Kernel>
  void run(Kernel&& kernel) {
    auto body = [&] { std::forward<Kernel>(kernel)(); };
    if (follows()) return follow(body);
    *this = next(body);
  }

  // Whether the next run() follows the schedule as it is.
  bool converged() const noexcept { return rule_.done(); }
  // Since it began, or began again.
  unsigned rounds() const noexcept { return rule_.rounds(); }
  const schedule& current() const noexcept { return current_; }

 private:
  friend class affinity;  // which has its own way of running short kernels

  schedule followed() const;
  bool last_round() const noexcept { return options_.prune > 0 && rule_.last_is_next(); }
  bool follows() { return converged() && !other_workers(); }
  void follow(detail::action kernel);
  // As it is after one more round.
  refinement next(detail::action kernel) const;
  void note(schedule next);
  bool other_workers();
  void watch(std::chrono::nanoseconds took);
  void begin_again();

  schedule current_;
  std::shared_ptr<const detail::plan> plan_;  // of `current_`; null: not made yet
  schedule best_;
  refinement_options options_;
  detail::convergence rule_;
  detail::drift drift_;
  unsigned workers_ = 0;  // when it converged
};

}  // namespace sennit
