// SPDX-License-Identifier: Apache-2.0
#include "schedule/steal_tree.hpp"
#include "schedule/worker_runs.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/detail/loop/observed.hpp>
#include <sennit/distribution.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sennit {

namespace {

using detail::begin_of_part;
using detail::give;
using detail::run;
using detail::steal;

// Makes the list of a loop: the constructs that run [first, last), from the one at `at` on, on a strand that `worker`
// begins. add() returns their number. Mirrors detail::fold_cuts().
// A loop that is halved, whose leaves go to the workers of their first iterations.
class halved {
 public:
  halved(std::uint64_t leaf, const std::function<unsigned(std::uint64_t)>& worker_of)
      : leaf_(leaf), worker_of_(worker_of) {}

  std::uint64_t add(std::vector<steal>& list, std::uint64_t at, std::uint64_t first, std::uint64_t last,
                    unsigned worker) {
    const std::uint64_t middle = detail::observed_cut(first, last, leaf_, 0);
    if (middle == last) return 0;
    const unsigned right = worker_of_(middle);
    most_ = std::max({most_, worker, right});
    steal fork{.at = at};
    add(fork.inside, 0, first, middle, worker);
    give(fork, worker, right);
    if (fork.taken) list.push_back(std::move(fork));
    return 1 + add(list, at + 1, middle, last, right);
  }
  unsigned last_worker() const { return most_; }

 private:
  const std::uint64_t leaf_;
  const std::function<unsigned(std::uint64_t)>& worker_of_;
  unsigned most_ = 0;
};

// One dimension of a grid of cells that are numbered in row order.
struct dimension {
  std::uint64_t size;
  std::uint64_t workers;
  std::uint64_t stride = 1;  // cells for each index
  std::uint64_t places = 1;  // workers for each part of this dimension
  bool whole_within = true;  // further dimensions are not cut
};

// The runs of a grid whose dimensions are cut into parts, one for each worker of a grid of workers.
class runs_of_grid {
 public:
  runs_of_grid(std::vector<dimension> dimensions, std::uint64_t grain)
      : dimensions_(std::move(dimensions)), grain_(std::max<std::uint64_t>(1, grain)) {
    for (std::size_t d = dimensions_.size() - 1; d-- > 0;) {
      const dimension& inner = dimensions_[d + 1];
      dimension& here = dimensions_[d];
      here.stride = inner.stride * inner.size;
      here.places = inner.places * inner.workers;
      here.whole_within = inner.whole_within && inner.workers == 1;
    }
  }

  std::vector<run> find() {
    add(0, 0, 0);
    runs_.front().worker = 0;  // who begins the loop, even if the grain leaves nothing to its first part
    return std::move(runs_);
  }

 private:
  void add(std::size_t d, std::uint64_t cell, std::uint64_t worker) {
    if (d == dimensions_.size()) return begin_run(cell, worker);
    const dimension& here = dimensions_[d];
    for (std::uint64_t part = 0; part < here.workers; ++part) {
      const std::uint64_t first = begin_of_part(part, here.size, here.workers);
      const std::uint64_t end = begin_of_part(part + 1, here.size, here.workers);
      const std::uint64_t last = here.whole_within ? std::min(end, first + 1) : end;
      for (std::uint64_t i = first; i < last; ++i)
        add(d + 1, cell + i * here.stride, worker + part * here.places);
    }
  }

  // At the nearest place where a loop with that grain is cut.
  void begin_run(std::uint64_t cell, std::uint64_t worker) {
    const std::uint64_t first = (cell / grain_ + (cell % grain_ > grain_ / 2 ? 1 : 0)) * grain_;
    const auto number = static_cast<unsigned>(worker);
    if (!runs_.empty() && runs_.back().first == first) runs_.pop_back();
    if (runs_.empty() || runs_.back().worker != number) runs_.push_back({first, number});
  }

  std::vector<dimension> dimensions_;
  const std::uint64_t grain_;
  std::vector<run> runs_;
};

void insist_on(bool fine, const char* what) {
  if (!fine) detail::fail<std::invalid_argument>(what);
}

// The number of cells, if that and the number of workers are such as a loop and a runtime may have.
std::uint64_t cells_of(const char* name, const std::vector<dimension>& dimensions) {
  std::uint64_t cells = 1;
  std::uint64_t workers = 1;
  for (const dimension& d : dimensions) {
    if (d.workers == 0) {
      detail::fail<std::invalid_argument>(std::string("sennit::") + name +
                                          ": 0 workers; there is at least one in each dimension");
    }
    if (__builtin_mul_overflow(cells, d.size, &cells)) cells = detail::most_constructs;
    if (__builtin_mul_overflow(workers, d.workers, &workers)) workers = detail::most_roles + 1;
    if (cells >= detail::most_constructs || workers > detail::most_roles) {
      detail::fail<std::invalid_argument>(
          std::string("sennit::") + name +
          ": 2^62 iterations or more, or a worker beyond 65535; no loop has as "
          "many, and no runtime");
    }
  }
  return cells;
}

schedule grid(const char* name, std::vector<dimension> dimensions, unsigned loops, std::uint64_t grain) {
  const std::uint64_t cells = cells_of(name, dimensions);
  steal loop{.what = steal::kind::loop, .size = cells};
  if (cells == 0) return detail::loops_of(std::move(loop), 1, loops);
  std::vector<run> runs = runs_of_grid(std::move(dimensions), grain).find();
  // What is beyond the last place where the grain allows a cut belongs to the run before.
  while (runs.size() > 1 && runs.back().first >= cells) runs.pop_back();
  const detail::runs_of_loop cut(std::move(runs), cells, std::max<std::uint64_t>(1, grain));
  cut.add_all(loop.inside);
  return detail::loops_of(std::move(loop), cut.last_worker() + 1, loops);
}

}  // namespace

schedule distribution(std::uint64_t iterations, const std::function<unsigned(std::uint64_t)>& worker_of,
                      unsigned loops, std::uint64_t grain) {
  const std::uint64_t leaf = grain != 0 ? grain : detail::observed_leaf(iterations);
  steal loop{.what = steal::kind::loop, .size = iterations};
  if (iterations == 0) return detail::loops_of(std::move(loop), 1, loops);
  halved in(leaf, worker_of);
  in.add(loop.inside, 0, 0, iterations, 0);
  insist_on(in.last_worker() < detail::most_roles,
            "sennit::distribution: a worker beyond 65535; no runtime has as many");
  return detail::loops_of(std::move(loop), in.last_worker() + 1, loops);
}

schedule block_distribution(std::uint64_t iterations, unsigned workers, unsigned loops, std::uint64_t grain) {
  return grid("block_distribution", {{iterations, workers}}, loops, grain);
}

schedule cyclic_distribution(std::uint64_t iterations, unsigned workers, std::uint64_t size, unsigned loops,
                             std::uint64_t grain) {
  insist_on(workers != 0, "sennit::cyclic_distribution: 0 workers; there is at least one");
  insist_on(size != 0, "sennit::cyclic_distribution: blocks of 0 iterations; give them at least one");
  return distribution(
      iterations, [=](std::uint64_t i) { return static_cast<unsigned>(i / size % workers); }, loops, grain);
}

schedule block_distribution_2d(std::uint64_t rows, std::uint64_t columns, unsigned worker_rows,
                               unsigned worker_columns, unsigned loops, std::uint64_t grain) {
  return grid("block_distribution_2d", {{rows, worker_rows}, {columns, worker_columns}}, loops, grain);
}

schedule block_distribution_3d(std::uint64_t planes, std::uint64_t rows, std::uint64_t columns,
                               unsigned worker_planes, unsigned worker_rows, unsigned worker_columns,
                               unsigned loops, std::uint64_t grain) {
  return grid("block_distribution_3d",
              {{planes, worker_planes}, {rows, worker_rows}, {columns, worker_columns}}, loops, grain);
}

}  // namespace sennit
