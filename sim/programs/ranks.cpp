// SPDX-License-Identifier: Apache-2.0
#include "programs/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sennit::sim {

namespace {

constexpr picoseconds microsecond = 1000 * nanosecond;
using nodes = std::vector<std::uint32_t>;

// Adds nodes; with phases, each rank has a barrier after each phase, which the nodes of its next phase wait for.
class phased_graph {
 public:
  phased_graph(const rank_problem& p, rank_style style)
      : barrier_(p.barrier), phases_(style == rank_style::phases), last_(p.ranks, none), open_(p.ranks) {}

  std::uint32_t add(const rank_node& node, nodes predecessors) {
    if (!phases_) return made.add(node, predecessors);
    if (last_[node.rank] != none) predecessors.push_back(last_[node.rank]);
    const std::uint32_t number = made.add(node, predecessors);
    open_[node.rank].push_back(number);
    return number;
  }
  void end_phase() {
    if (!phases_) return;
    for (unsigned rank = 0; rank < last_.size(); ++rank) {
      if (open_[rank].empty()) continue;
      last_[rank] = made.add({rank, barrier_, 0, 1}, open_[rank]);
      open_[rank].clear();
    }
  }

  rank_graph made;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  picoseconds barrier_;
  bool phases_;
  nodes last_;
  std::vector<nodes> open_;
};

}  // namespace

rank_graph cholesky_on_ranks(const rank_problem& p, rank_style style) {
  // 512^3 multiply-adds at 40 GFLOP/s a core: 6.7 ms.
  constexpr picoseconds gemm = 6700 * microsecond;
  constexpr std::uint64_t tile = 512 * 512 * 8;
  unsigned rows = 1;
  while (rows * 2 * rows * 2 <= p.ranks) rows *= 2;
  const unsigned columns = p.ranks / rows;
  const auto rank = [&](unsigned i, unsigned j) { return i % rows * columns + j % columns; };
  phased_graph g(p, style);
  nodes last(std::size_t{p.size} * p.size, ~std::uint32_t{0});
  const auto at = [&](unsigned i, unsigned j) -> std::uint32_t& { return last[std::size_t{i} * p.size + j]; };
  const auto update = [&](unsigned i, unsigned j, picoseconds work, unsigned pieces, nodes from) {
    if (at(i, j) != ~std::uint32_t{0}) from.push_back(at(i, j));
    at(i, j) = g.add({rank(i, j), work, tile, pieces}, std::move(from));
  };
  for (unsigned k = 0; k < p.size; ++k) {
    update(k, k, gemm / 6, 4, {});
    g.end_phase();
    for (unsigned i = k + 1; i < p.size; ++i) update(i, k, gemm / 2, 8, {at(k, k)});
    g.end_phase();
    for (unsigned j = k + 1; j < p.size; ++j) {
      update(j, j, gemm / 2, 8, {at(j, k)});
      for (unsigned i = j + 1; i < p.size; ++i) update(i, j, gemm, 8, {at(i, k), at(j, k)});
    }
    g.end_phase();
  }
  return std::move(g.made);
}

rank_graph heat_on_ranks(const rank_problem& p, rank_style style) {
  // Rows of 8192 doubles; a block has 256 of them, at 0.5 ns a cell.
  constexpr picoseconds row = 8192 * nanosecond / 2;
  constexpr unsigned rows = 256;
  const unsigned at_once = style == rank_style::graph ? 8 : 1;
  phased_graph g(p, style);
  nodes before(p.size);
  const auto rank = [&](unsigned block) {
    return static_cast<unsigned>(std::uint64_t{block} * p.ranks / p.size);
  };
  for (unsigned step = 0; step < p.steps; step += at_once) {
    const unsigned now = std::min(at_once, p.steps - step);
    nodes after(p.size);
    for (unsigned b = 0; b < p.size; ++b) {
      nodes from;
      bool at_edge = false;
      for (unsigned n = b == 0 ? 0 : b - 1; n <= std::min(b + 1, p.size - 1); ++n) {
        if (step != 0) from.push_back(before[n]);
        at_edge = at_edge || rank(n) != rank(b);
      }
      // What lies beyond the edge is computed twice: one row less in each step.
      const unsigned twice = at_edge ? now * (now - 1) / 2 : 0;
      after[b] =
          g.add({rank(b), row * (rows * now + twice), std::uint64_t{8192} * 8 * now, 1}, std::move(from));
    }
    g.end_phase();
    before = std::move(after);
  }
  return std::move(g.made);
}

rank_graph sw_on_ranks(const rank_problem& p, rank_style style) {
  // 2048^2 cells at 0.6 ns; a tile has tiles of its own inside, of which 16 run at once.
  constexpr picoseconds work = std::uint64_t{2048} * 2048 * 600;
  phased_graph g(p, style);
  nodes last(std::size_t{p.size} * p.size);
  for (unsigned diagonal = 0; diagonal + 1 < 2 * p.size; ++diagonal) {
    for (unsigned i = diagonal < p.size ? 0 : diagonal - p.size + 1; i <= std::min(diagonal, p.size - 1);
         ++i) {
      const unsigned j = diagonal - i;
      nodes from;
      if (i != 0) from.push_back(last[std::size_t{i - 1} * p.size + j]);
      if (j != 0) from.push_back(last[std::size_t{i} * p.size + j - 1]);
      last[std::size_t{i} * p.size + j] = g.add({i % p.ranks, work, 2048 * 4, 16}, std::move(from));
    }
    g.end_phase();
  }
  return std::move(g.made);
}

rank_graph pagerank_on_ranks(const rank_problem& p, rank_style style) {
  // Blocks of 16,384 vertices with 16 links each, at 4 ns a link.
  constexpr std::uint64_t vertices = 16384;
  constexpr picoseconds work = vertices * 16 * 4 * nanosecond;
  phased_graph g(p, style);
  const auto rank = [&](unsigned block) {
    return static_cast<unsigned>(std::uint64_t{block} * p.ranks / p.size);
  };
  const std::uint64_t values = vertices * 8 * p.size / p.ranks;
  nodes known;  // by rank: it has all values
  for (unsigned step = 0; step < p.steps; ++step) {
    std::vector<nodes> blocks(p.ranks);
    for (unsigned b = 0; b < p.size; ++b)
      blocks[rank(b)].push_back(
          g.add({rank(b), work, 0, 1}, known.empty() ? nodes{} : nodes{known[rank(b)]}));
    g.end_phase();
    nodes own(p.ranks);
    for (unsigned r = 0; r < p.ranks; ++r) own[r] = g.add({r, 10 * microsecond, values, 1}, blocks[r]);
    if (style == rank_style::phases && (p.ranks & (p.ranks - 1)) == 0) {
      // MPI_Allgather by recursive doubling: in each round twice as much.
      std::uint64_t bytes = values;
      for (unsigned apart = 1; apart < p.ranks; apart *= 2) {
        bytes *= 2;
        nodes next(p.ranks);
        for (unsigned r = 0; r < p.ranks; ++r) next[r] = g.add({r, 0, bytes, 1}, {own[r], own[r ^ apart]});
        own = std::move(next);
      }
      known = std::move(own);
    } else {
      known.assign(p.ranks, 0);
      for (unsigned r = 0; r < p.ranks; ++r) known[r] = g.add({r, 0, 0, 1}, own);
    }
    g.end_phase();
  }
  return std::move(g.made);
}

}  // namespace sennit::sim
