// SPDX-License-Identifier: Apache-2.0
// Loops whose iterations are given to workers in runs: the forks that cut such a loop where a run begins. Pure.
#pragma once

#include "schedule/steal_tree.hpp"

#include <sennit/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sennit::detail {

// The iterations from `first` on up to the next run are one worker's.
struct run {
  std::uint64_t first;
  unsigned worker;
};

// The right branch of a fork is for a worker. Thieves take the outermost branch first: so where a branch within is
// another worker's, this one is taken, too, even if by the worker that forks it.
void give(steal& fork, unsigned left, unsigned right);

// The first index of a part, where `size` indices are cut into parts whose sizes differ by at most one. The first
// part is never empty.
constexpr std::uint64_t begin_of_part(std::uint64_t part, std::uint64_t size, std::uint64_t parts) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(size) * part + parts - 1) / parts);
}

class runs_of_loop {
 public:
  // `runs` begin with iteration 0, and lie below `iterations`. The loop is cut at multiples of the grain only.
  runs_of_loop(std::vector<run> runs, std::uint64_t iterations, std::uint64_t grain = 1)
      : runs_(std::move(runs)), iterations_(iterations), grain_(grain) {}

  unsigned worker_at(std::uint64_t iteration) const { return runs_[run_at(iteration)].worker; }
  unsigned last_worker() const;
  // Where [first, last) is to be cut, so that the loop follows that; 0: it is one run. The cut may be within a run, where
  // a run begins too near to an end.
  std::uint64_t cut(std::uint64_t first, std::uint64_t last) const;
  // Makes the list of the loop: the constructs that run [first, last), from the one at `at` on. Returns their number.
  // Mirrors detail::fold_cuts().
  std::uint64_t add(std::vector<steal>& list, std::uint64_t at, std::uint64_t first,
                    std::uint64_t last) const;
  void add_all(std::vector<steal>& list) const { add(list, 0, 0, iterations_); }

 private:
  std::size_t run_at(std::uint64_t iteration) const;

  std::vector<run> runs_;
  std::uint64_t iterations_;
  std::uint64_t grain_;
};

// For a region of `times` such loops, one after the other.
schedule loops_of(steal loop, unsigned workers, unsigned times);

}  // namespace sennit::detail
