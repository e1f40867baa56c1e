// distribution: schedules of loops, written rather than recorded.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/schedule.hpp>

#include <cstdint>
#include <functional>

namespace sennit {

// A schedule for a region that consists of `loops` loops over `iterations` indices, one after the other.
// Each loop gives iteration i to worker_of(i). The schedule is for replay() of parallel_for and of all
// algorithms made of loops.
//
// A loop is cut into leaves of ceil(iterations / 256) iterations, or of `grain` iterations if the loop has
// that grain. A leaf goes to the worker of its first iteration; worker_of is called for these iterations
// only. The first leaf always runs on worker 0, which begins the loop. So does all of a loop that is known
// to take less than two microseconds.
//
// A distribution does not say in which order leaves run. To replay one with a strict order, first record a
// strict replay of it.
//
// Throws std::invalid_argument if there are iterations but no worker, or a worker above 65535. Throws what
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

// Blocks of `size` iterations, given to the workers in turn.
SENNIT_EXPORT schedule cyclic(std::uint64_t iterations, unsigned workers, std::uint64_t size,
                              unsigned loops = 1, std::uint64_t grain = 0);

// For a loop over the cells of a grid, by rows: iteration i is the cell (i / columns, i % columns). The grid
// is cut into worker_rows x worker_columns blocks, which are given to the workers by rows. With grain = 1
// each cell runs on exactly its worker.
SENNIT_EXPORT schedule blocks_2d(std::uint64_t rows, std::uint64_t columns, unsigned worker_rows,
                                 unsigned worker_columns, unsigned loops = 1, std::uint64_t grain = 0);

}  // namespace sennit
