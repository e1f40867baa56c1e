// SPDX-License-Identifier: Apache-2.0
// split: where a loop is cut among workers as it begins.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace sennit {

// A partition for parallel_for that cuts a loop by weight rather than equally, when the loop is dealt out to
// waiting workers as it begins. Part 0 is for the worker that begins the loop, part i for the i-th worker
// after that one, as in a schedule. If a worker is busy or absent, its part is joined to the part before it.
// Afterwards an idle worker takes half of what is left, as in other loops. So a split is a hint, and costs
// no more than the equal deal.
//
// A loop that is known to be brief is not dealt out. In a region that is recorded or replayed, the region's
// schedule decides, not the split.
//
// Example:
//   #include <sennit/parallel_for.hpp>
//   #include <sennit/replay.hpp>
//
//   #include <vector>
//
//   void smooth(std::vector<double>& x, std::vector<double>& next, int rounds) {
//     const std::size_t n = x.size();
//     const auto relax = [&](std::size_t k) { next[k] = (x[k - 1] + x[k] + x[k + 1]) / 3; };
//     const auto round = [&] { sennit::parallel_for(std::size_t{1}, n - 1, relax); };
//     const sennit::split as_then(sennit::record(round));
//     for (int i = 0; i < rounds; ++i) {
//       std::swap(x, next);
//       sennit::parallel_for(std::size_t{1}, n - 1, relax, as_then);
//     }
//   }
class SENNIT_EXPORT split {
 public:
  // Parts in proportion to the weights. Throws std::invalid_argument if a weight is negative or not finite,
  // or if none is positive.
  explicit split(std::span<const double> weights);
  split(std::initializer_list<double> weights) : split(std::span(weights.begin(), weights.size())) {}

  // Gives each worker as many iterations as it ran of one loop of the schedule: the loop that text() calls
  // "loop <at>" at the top. Gives all to worker 0 if the schedule has no such loop, because no part of the
  // loop was stolen then. Parts lie in the order of the workers, even if they did not in the schedule. If a
  // worker had several parts, replay the schedule itself instead. A loop with a grain counts as one without.
  explicit split(const schedule& s, std::uint64_t at = 0);

  // The number of parts.
  std::size_t parts() const noexcept { return begins_.size(); }
  // Where a part of n iterations begins. Returns n if there is no such part.
  std::uint64_t begin_of(std::size_t part, std::uint64_t n) const noexcept;

 private:
  std::vector<double> begins_;  // each a share of the whole
};

}  // namespace sennit
