// SPDX-License-Identifier: Apache-2.0
// affinity: a loop that meets its data where it left them.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/frame.hpp>
#include <sennit/split.hpp>

#include <memory>

namespace sennit {

// The last argument of a parallel_for may be an affinity, an object that lives from one time of the loop to the next.
// Its iterations then run where they ran before, as far as that balances the load: each worker finds in its cache, or in
// its memory, what it used the last time. There is nothing else to do. Give several loops one affinity if they use the
// same data in the same order.
//
// An affinity has a refinement: the loop's schedule is recorded, refined until it has converged, and then followed
// relaxed, so that idle workers help late ones. A loop of less than a quarter of a millisecond is instead dealt out by a
// split, in the parts that the workers had in the schedule: that costs no more than the loop without an affinity. If the loop has more than twice or less than half of the iterations of
// before, if it takes longer than usual for three times, or if the number of workers changes, refinement begins again.
//
// In a region that is recorded or replayed, the region's schedule decides, not the affinity. A loop of which nobody
// stole anything is a plain loop for the next thousand times.
//
// Thread-safety: none; one loop at a time. Cost: that of record() for each of the first loops, some ten; then two readings of
// the clock for a short loop, and for a long one that of replay(), some microseconds.
//
// Example:
//   #include <sennit/parallel_for.hpp>
//
//   #include <vector>
//
//   void smooth(std::vector<double>& x, std::vector<double>& next, int rounds) {
//     sennit::affinity here;
//     const std::size_t n = x.size();
//     for (int i = 0; i < rounds; ++i) {
//       sennit::parallel_for(
//           std::size_t{1}, n - 1, [&](std::size_t k) { next[k] = (x[k - 1] + x[k] + x[k + 1]) / 3; }, here);
//       std::swap(x, next);
//     }
//   }
class SENNIT_EXPORT affinity {
 public:
  affinity();
  // A loop that is given what has been moved from is a plain one.
  affinity(affinity&&) noexcept;
  affinity& operator=(affinity&&) noexcept;
  ~affinity();

  // For parallel_for: runs the loop, which has so many iterations; or the same loop dealt out in parts(). Throws what the
  // loop throws, and std::bad_alloc.
  void follow(detail::position iterations, detail::action loop, detail::action in_parts) const;
  const split& parts() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace sennit
