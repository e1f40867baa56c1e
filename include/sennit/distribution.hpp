// Schedules of loops, written rather than recorded.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/schedule.hpp>

#include <cstdint>
#include <functional>

namespace sennit {

// A schedule for a region that consists of loops over `iterations` indices, `loops` of them, one after the
// other, each of which gives iteration i to worker_of(i): for replay() of parallel_for and of all that is
// made of loops. A loop is cut down to leaves of ceil(iterations / 256), or of `grain` for a loop with that
// grain, and a leaf goes where its first iteration goes; worker_of is called for these alone. The first leaf
// stays with worker 0, who begins, and so does a loop that is known to take less than two microseconds.
//
// Nothing is said of order: to be followed strictly ordered, a distribution is to be recorded first, from a
// strict replay.
//
// Throws std::invalid_argument if there is an iteration but no worker, or a worker beyond 65535, and what
// worker_of throws.
//
// Example:
//   #include <sennit/parallel_for.hpp>
//   #include <sennit/replay.hpp>
//   #include <sennit/worker.hpp>
//
//   #include <vector>
//
//   void scale_in_blocks(std::vector<double>& x) {
//     sennit::replay(sennit::blocks(x.size(), sennit::worker_count()), sennit::strict_unordered,
//                    [&] { sennit::parallel_for(x, [](double& e) { e *= 2; }); });
//   }
SENNIT_EXPORT schedule distribution(std::uint64_t iterations,
                                    const std::function<unsigned(std::uint64_t)>& worker_of,
                                    unsigned loops = 1, std::uint64_t grain = 0);

// Equal contiguous blocks, one for each worker.
SENNIT_EXPORT schedule blocks(std::uint64_t iterations, unsigned workers, unsigned loops = 1,
                              std::uint64_t grain = 0);

// Blocks of `size` iterations, dealt out to the workers in turn.
SENNIT_EXPORT schedule cyclic(std::uint64_t iterations, unsigned workers, std::uint64_t size,
                              unsigned loops = 1, std::uint64_t grain = 0);

// For a loop over the cells of a grid, by rows: iteration i is (i / columns, i % columns). The grid is cut
// into worker_rows x worker_columns blocks, which go to the workers by rows, too. grain = 1 gives each cell
// to its worker exactly.
SENNIT_EXPORT schedule blocks_2d(std::uint64_t rows, std::uint64_t columns, unsigned worker_rows,
                                 unsigned worker_columns, unsigned loops = 1, std::uint64_t grain = 0);

}  // namespace sennit
