// SPDX-License-Identifier: Apache-2.0
#include "schedule/steal_tree.hpp"
#include "schedule/worker_runs.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/detail/loop/observed.hpp>
#include <sennit/tiling.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sennit {
namespace {

using detail::run;
using detail::runs_of_loop;
using detail::steal;

template <std::size_t D>
void refuse_reversed(const tile<D>& part) {
  for (std::size_t d = 0; d < D; ++d) {
    if (part.begin(d) > part.end(d))
      detail::fail<std::invalid_argument>("sennit::tiling: a side ends before it begins; give {begin, end}");
  }
}

template <std::size_t D>
void refuse_outside(const tile<D>& part, const tile<D>& whole) {
  refuse_reversed(whole);
  refuse_reversed(part);
  for (std::size_t d = 0; d < D; ++d) {
    if (part.begin(d) < whole.begin(d) || part.end(d) > whole.end(d)) {
      detail::fail<std::invalid_argument>("sennit::tiling: a loop over cells that the array does not have; "
                                          "make the tiling of the whole array");
    }
  }
}

// More than a signed difference can say.
template <std::size_t D>
std::uint64_t side_of(const tile<D>& part, std::size_t d) {
  if (part.begin(d) >= part.end(d)) return 0;
  return static_cast<std::uint64_t>(part.end(d)) - static_cast<std::uint64_t>(part.begin(d));
}

template <std::size_t D>
std::uint64_t cells_of(const tile<D>& part) {
  // Each row is looked at.
  constexpr std::uint64_t most_rows = std::uint64_t{1} << 26;
  std::uint64_t cells = part.empty() ? 0 : 1;
  for (std::size_t d = 0; d < D && cells != 0; ++d) {
    if (__builtin_mul_overflow(cells, side_of(part, d), &cells) || cells >= detail::most_constructs)
      detail::fail<std::invalid_argument>("sennit::tiling: 2^62 cells or more; no loop has as many");
    if (d + 1 < D && cells > most_rows) {
      detail::fail<std::invalid_argument>(
          "sennit::tiling: more than 2^26 rows; let the last dimension be the longest");
    }
  }
  return cells;
}

// The loops over a part of an array.
template <std::size_t D>
class loops_of_tiling {
 public:
  using cell = std::array<std::ptrdiff_t, D>;

  loops_of_tiling(const tiling<D>& by, const tile<D>& part, const std::vector<tile<D>>& tiles)
      : by_(by), part_(part) {
    for (std::size_t d = 0; d < D; ++d) {
      first_[d] = part.begin(d);
      std::vector<std::ptrdiff_t>& edges = edges_[d];
      edges.push_back(part.begin(d));
      for (const tile<D>& t : tiles) {
        for (const std::ptrdiff_t edge : {t.begin(d), t.end(d)})
          if (part.begin(d) < edge && edge < part.end(d)) edges.push_back(edge);
      }
      std::ranges::sort(edges);
      edges.erase(std::ranges::unique(edges).begin(), edges.end());
    }
    if (const unsigned begins = by.worker_of(first_); begins != 0) {
      detail::fail<std::invalid_argument>("sennit::tiling: the first cell of a loop is worker " +
                                          std::to_string(begins) +
                                          "'s, and worker 0 begins the loop; number the workers from the one "
                                          "that has that cell");
    }
  }

  // All in one loop.
  runs_of_loop as_nest() const {
    std::vector<run> all;
    add_rows(all, first_, 0, 0);
    return {std::move(all), cells_of(part_)};
  }
  // Each dimension in a loop of its own.
  steal as_loops() { return loop(0, first_, 0); }
  unsigned last_worker() const { return last_worker_; }

 private:
  std::uint64_t size(std::size_t d) const { return side_of(part_, d); }

  // Along dimension d, from that cell on: who has the first cells of what is inside.
  std::vector<run> runs(cell at, std::size_t d) const {
    std::vector<run> found;
    for (const std::ptrdiff_t edge : edges_[d]) {
      at[d] = edge;
      const unsigned worker = by_.worker_of(at);
      if (found.empty() || found.back().worker != worker)
        found.push_back({static_cast<std::uint64_t>(edge - part_.begin(d)), worker});
    }
    return found;
  }

  void add_rows(std::vector<run>& all, cell at, std::size_t d, std::uint64_t before) const {
    if (d + 1 == D) {
      for (const run& r : runs(at, d))
        if (all.empty() || all.back().worker != r.worker)
          all.push_back({before * size(d) + r.first, r.worker});
      return;
    }
    for (std::uint64_t i = 0; i < size(d); ++i, ++at[d]) add_rows(all, at, d + 1, before * size(d) + i);
  }

  steal loop(std::size_t d, const cell& at, std::uint64_t position) {
    steal made{.what = steal::kind::loop, .at = position, .size = size(d)};
    const runs_of_loop cut(runs(at, d), size(d));
    last_worker_ = std::max(last_worker_, cut.last_worker());
    if (d + 1 == D) {
      cut.add_all(made.inside);
    } else {
      add(made.inside, 0, {d, at, cut}, 0, size(d));
    }
    return made;
  }

  // The iterations of a loop that has loops inside.
  struct outer {
    std::size_t d;
    cell at;
    const runs_of_loop& cut;
  };
  // As runs_of_loop::add(). Where nothing is inside, nobody asks for positions.
  std::uint64_t add(std::vector<steal>& list, std::uint64_t at, const outer& of, std::uint64_t first,
                    std::uint64_t last) {
    const std::uint64_t planned = of.cut.cut(first, last);
    const std::uint64_t leaf = detail::observed_leaf(size(of.d));
    const std::uint64_t middle = detail::observed_cut(first, last, leaf, planned);
    if (middle == last) return add_iterations(list, at, of, first, last);
    steal fork{.at = at, .cut = planned};
    add(fork.inside, 0, of, first, middle);
    detail::give(fork, of.cut.worker_at(first), of.cut.worker_at(middle));
    if (planned != 0 || fork.taken || !fork.inside.empty()) list.push_back(std::move(fork));
    return 1 + add(list, at + 1, of, middle, last);
  }
  std::uint64_t add_iterations(std::vector<steal>& list, std::uint64_t at, const outer& of,
                               std::uint64_t first, std::uint64_t last) {
    cell begin = of.at;
    for (std::uint64_t i = first; i < last; ++i) {
      begin[of.d] = part_.begin(of.d) + static_cast<std::ptrdiff_t>(i);
      steal inner = loop(of.d + 1, begin, at + i - first);
      if (!inner.inside.empty()) list.push_back(std::move(inner));
    }
    return last - first;
  }

  const tiling<D>& by_;
  const tile<D> part_;
  cell first_{};
  std::array<std::vector<std::ptrdiff_t>, D> edges_;
  unsigned last_worker_ = 0;
};

}  // namespace

template <std::size_t D>
  requires(D == 2 || D == 3)
tiling<D>& tiling<D>::designate(const tile<D>& cells, unsigned worker) {
  if (worker >= detail::most_roles)
    detail::fail<std::invalid_argument>("sennit::tiling: a worker beyond 65535; no runtime has as many");
  refuse_reversed(cells);
  tiles_.push_back({cells, worker});
  return *this;
}

template <std::size_t D>
  requires(D == 2 || D == 3)
tiling<D>& tiling<D>::designate_blocks(const std::array<unsigned, D>& workers) {
  if (std::ranges::find(workers, 0U) != workers.end()) {
    detail::fail<std::invalid_argument>(
        "sennit::tiling: 0 workers along a side; there is at least one along each");
  }
  const auto begin_of = [&](std::size_t d, std::uint64_t part) {
    const std::uint64_t before = detail::begin_of_part(part, side_of(whole_, d), workers[d]);
    return static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(whole_.begin(d)) + before);
  };
  std::uint64_t all = 1;
  for (const unsigned along : workers) {
    if (__builtin_mul_overflow(all, along, &all) || all > detail::most_roles) {
      detail::fail<std::invalid_argument>(
          "sennit::tiling: more than 65536 blocks; no runtime has as many workers");
    }
  }
  for (std::uint64_t worker = 0; worker < all; ++worker) {
    tile<D> block;
    std::uint64_t left = worker;
    for (std::size_t d = D; d-- > 0; left /= workers[d])
      block.set(d, begin_of(d, left % workers[d]), begin_of(d, left % workers[d] + 1));
    designate(block, static_cast<unsigned>(worker));
  }
  return *this;
}

template <std::size_t D>
  requires(D == 2 || D == 3)
unsigned tiling<D>::worker_of(const std::array<std::ptrdiff_t, D>& cell) const noexcept {
  const auto has_it = [&](const designated& t) {
    for (std::size_t d = 0; d < D; ++d)
      if (cell[d] < t.cells.begin(d) || cell[d] >= t.cells.end(d)) return false;
    return true;
  };
  const auto latest = std::find_if(tiles_.rbegin(), tiles_.rend(), has_it);
  return latest != tiles_.rend() ? latest->worker : 0;
}

template <std::size_t D>
  requires(D == 2 || D == 3)
std::vector<tile<D>> tiling<D>::tiles() const {
  std::vector<tile<D>> all;
  for (const designated& t : tiles_) all.push_back(t.cells);
  return all;
}

template <std::size_t D>
  requires(D == 2 || D == 3)
schedule tiling<D>::nest(const tile<D>& part, unsigned times) const {
  refuse_outside(part, whole_);
  const std::uint64_t cells = cells_of(part);
  if (cells == 0) return {};
  const runs_of_loop cut = loops_of_tiling<D>(*this, part, tiles()).as_nest();
  steal loop{.what = steal::kind::loop, .size = cells};
  cut.add_all(loop.inside);
  return detail::loops_of(std::move(loop), cut.last_worker() + 1, times);
}

template <std::size_t D>
  requires(D == 2 || D == 3)
schedule tiling<D>::loops(const tile<D>& part, unsigned times) const {
  refuse_outside(part, whole_);
  if (cells_of(part) == 0) return {};
  loops_of_tiling<D> all(*this, part, tiles());
  steal loop = all.as_loops();
  return detail::loops_of(std::move(loop), all.last_worker() + 1, times);
}

template class tiling<2>;
template class tiling<3>;

}  // namespace sennit
