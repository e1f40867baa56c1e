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

// A partition: the last argument of a parallel_for that is to be cut by weight, rather than equally, where it is dealt out
// to workers that wait as it begins. Part 0 is for the worker that begins the loop, part i for the i-th
// worker after it, as in a schedule. The part of a worker that is busy, or is not there, goes with the part
// before it. After that the loop is as others are: whoever is idle takes half of what is left. So it is a
// hint, which costs no more than the equal deal. Loops that are known to be brief are not dealt out, and in a
// region that is recorded or replayed it is the region's schedule that counts.
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
  // Parts in these proportions. Throws std::invalid_argument if one is negative or not finite, or none is
  // positive.
  explicit split(std::span<const double> weights);
  split(std::initializer_list<double> weights) : split(std::span(weights.begin(), weights.size())) {}

  // As many iterations to each worker as it ran of the loop that text() calls "loop <at>" at the top of the
  // schedule; all to worker 0 if there is none, as nobody has taken any then. Parts lie in the order of
  // workers, even if they did not: where a worker has several, follow the schedule itself. Loops with a grain
  // count as if they had none.
  explicit split(const schedule& s, std::uint64_t at = 0);

  std::size_t parts() const noexcept { return begins_.size(); }
  // Where a part of n iterations begins; n, if there are not so many parts.
  std::uint64_t begin_of(std::size_t part, std::uint64_t n) const noexcept;

 private:
  std::vector<double> begins_;  // as shares of the whole
};

}  // namespace sennit
