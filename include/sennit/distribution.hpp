// SPDX-License-Identifier: Apache-2.0
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
//     sennit::replay(sennit::block_distribution(x.size(), sennit::worker_count()), sennit::strict_unordered,
//                    [&] { sennit::parallel_for(x, [](double& e) { e *= 2; }); });
//   }
SENNIT_EXPORT schedule distribution(std::uint64_t iterations,
                                    const std::function<unsigned(std::uint64_t)>& worker_of,
                                    unsigned loops = 1, std::uint64_t grain = 0);

// Contiguous blocks, one for each worker, whose sizes differ by at most one iteration.
//
// The loop is cut where the blocks begin, whatever the number of iterations: so the block distributions
// give each worker exactly its iterations, with or without a grain. If the loop has a grain, give it here, too: the
// loop is then cut at the nearest multiples of the grain. In a loop of another length the cuts are in proportion.
// These three throw std::invalid_argument for 0 workers, for a worker above 65535, and for 2^62 iterations.
SENNIT_EXPORT schedule block_distribution(std::uint64_t iterations, unsigned workers, unsigned loops = 1,
                                          std::uint64_t grain = 0);

// Blocks of `size` iterations, given to the workers in turn.
//
// Example:
//   #include <sennit/parallel_for.hpp>
//   #include <sennit/replay.hpp>
//   #include <sennit/worker.hpp>
//
//   void fill_rows_in_turn(long n, double* triangle, void (*fill)(double* row, long columns)) {
//     const auto in_turn = sennit::cyclic_distribution(static_cast<std::uint64_t>(n), sennit::worker_count(), 8);
//     sennit::replay(in_turn, sennit::strict_unordered,
//                    [=] { sennit::parallel_for(n, [=](long i) { fill(triangle + i * n, i + 1); }); });
//   }
//   sennit::schedule boxes(std::uint64_t side) { return sennit::block_distribution_3d(side, side, side, 2, 2, 2); }
SENNIT_EXPORT schedule cyclic_distribution(std::uint64_t iterations, unsigned workers, std::uint64_t size,
                                           unsigned loops = 1, std::uint64_t grain = 0);

// For a loop over the cells of a grid, by rows: iteration i is the cell (i / columns, i % columns). So is a
// parallel_for_nest over {rows, columns} in row order. The grid is cut into worker_rows x worker_columns blocks,
// which are given to the workers by rows. Along each side, the sizes of the blocks differ by at most one. In row
// order a block is one run of cells in each of its rows, so the schedule has rows x worker_columns parts.
//
// Example:
//   #include <sennit/nest.hpp>
//   #include <sennit/replay.hpp>
//
//   void relax_in_blocks(long n, const double* a, double* b) {
//     const auto size = static_cast<std::uint64_t>(n);
//     sennit::replay(sennit::block_distribution_2d(size, size, 2, 2), sennit::strict_unordered, [=] {
//       sennit::parallel_for_nest({n, n}, [=](auto i, auto j) { b[i * n + j] = a[i * n + j] / 2; });
//     });
//   }
SENNIT_EXPORT schedule block_distribution_2d(std::uint64_t rows, std::uint64_t columns, unsigned worker_rows,
                                             unsigned worker_columns, unsigned loops = 1,
                                             std::uint64_t grain = 0);

// The same for a grid of three dimensions: iteration i is the cell (i / columns / rows, i / columns % rows,
// i % columns).
SENNIT_EXPORT schedule block_distribution_3d(std::uint64_t planes, std::uint64_t rows, std::uint64_t columns,
                                             unsigned worker_planes, unsigned worker_rows,
                                             unsigned worker_columns, unsigned loops = 1,
                                             std::uint64_t grain = 0);

}  // namespace sennit
