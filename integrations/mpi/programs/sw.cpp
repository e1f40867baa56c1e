// SPDX-License-Identifier: Apache-2.0
// sw: the score of the best alignment of two sequences, block by block, as a graph of tasks whose values are borders of blocks.
#include "gallery/sequences.hpp"
#include "gallery/smith_waterman.hpp"
#include "integrations/mpi/programs/program.hpp"

#include <sennit/mpi/collectives.hpp>
#include <sennit/mpi/graph.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace {

using programs::rank;
using programs::ranks;

class sw : public programs::program {
  using key = std::array<std::uint32_t, 2>;  // a row of blocks, and a column

  void add_arguments(CLI::App& to) override {
    to.add_option("--n", n_, "bases of the first sequence")
        ->check(CLI::Range(1, 1 << 24))
        ->capture_default_str();
    to.add_option("--block", block_, "side of a block of the table")
        ->check(CLI::Range(1, 1 << 16))
        ->capture_default_str();
  }

  void prepare() override {
    given_ = gallery::random_dna(n_, 1);
    table_.emplace(given_, gallery::scoring(), block_);
  }

  // Rows of blocks are dealt to the ranks in turn.
  static int rank_of(std::uint32_t row) { return static_cast<int>(row) % ranks(); }

  static std::vector<key> predecessors(key at) {
    const auto [row, column] = at;
    std::vector<key> before;
    if (row > 0) before.push_back({row - 1, column});
    if (column > 0) before.push_back({row, column - 1});
    return before;
  }

  // A rank keeps the borders of its own blocks; their values are for other ranks.
  void compute() override {
    const auto rows = static_cast<std::uint32_t>(table_->block_rows());
    const auto columns = static_cast<std::uint32_t>(table_->block_columns());
    sennit::mpi::run(MPI_COMM_WORLD, std::vector<key>{{rows - 1, columns - 1}},
                     sennit::mpi::nodes{.predecessors = predecessors,
                                        .compute = [this](key at, auto& node) -> std::vector<int> {
                                          const auto [row, column] = at;
                                          const auto border = table_->border(column);
                                          if (row > 0 && rank_of(row - 1) != rank())
                                            std::ranges::copy(node.value(key{row - 1, column}),
                                                              border.begin());
                                          table_->compute(row, column);
                                          if (rank_of(row + 1) == rank()) return {};
                                          return {border.begin(), border.end()};
                                        },
                                        .color = [](key at) { return rank_of(at[0]); }});
  }

  // Against one block, which is the table as a whole.
  programs::outcome check() override {
    programs::outcome made;
    const int best = sennit::mpi::allreduce(table_->best(), MPI_MAX);
    const auto last = static_cast<std::uint32_t>(table_->block_rows()) - 1;
    if (rank_of(last) == rank()) {
      for (std::size_t c = 0; c < table_->block_columns(); ++c)
        made.sum += programs::digest(c, std::span<const int>(table_->border(c)));
    }
    if (rank() == 0) {
      made.sum += static_cast<std::uint64_t>(best);
      gallery::alignment_affine whole(given_, gallery::scoring(), std::max(given_.a.size(), given_.b.size()));
      whole.compute(0, 0);
      if (whole.best() != best)
        made.complaint =
            "the best score is " + std::to_string(best) + ", and should be " + std::to_string(whole.best());
    }
    return made;
  }

  std::size_t n_ = 16384;
  std::size_t block_ = 512;
  gallery::sequence_pair given_;
  std::optional<gallery::alignment_affine> table_;
};

}  // namespace

int main(int argc, char** argv) {
  sw s;
  return programs::run(s, "sw", "The best local alignment of two sequences", argc, argv);
}
