// Kernels of the gallery that are graphs of tasks, on inputs made here. --input names one: pagerank (R-MAT, --size pages, a power
// of two, --work iterations), sw or swn2 (random DNA of --size bases). A way has
//   pages(flow, needs, iterations)   all blocks initialized, then iterated so often, each after those that it needs
//   align(table)                     all blocks of the table, each after the one above it and the one to its left
#pragma once

#include "common/loops.hpp"
#include "gallery/pagerank.hpp"
#include "gallery/sequences.hpp"
#include "gallery/smith_waterman.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace graph_kernels {

// The ranks are sums in a fixed order, so all their bits have to agree.
template <class Way>
class pagerank {
 public:
  pagerank(const bench::program& program, Way& way)
      : way_(way), iterations_(static_cast<std::uint32_t>(program.work())) {}

  void prepare(std::uint64_t pages) {
    if (!std::has_single_bit(pages)) bench::program::fail("--size", "must be a power of two for pagerank");
    if (web_.pages != pages) {
      web_ = gallery::rmat_graph(static_cast<unsigned>(std::bit_width(pages) - 1), 1);
      needs_ = gallery::block_links(web_, {web_.pages, block});
    }
    pages_.emplace(web_, block);
  }
  void run() { way_.pages(*pages_, needs_, iterations_); }
  std::uint64_t check() const {
    bench::checksum sum;
    for (const double rank : pages_->scaled()) sum.add(std::bit_cast<std::uint64_t>(rank));
    return sum.value();
  }

 private:
  static constexpr std::size_t block = 4096;

  Way& way_;
  std::uint32_t iterations_;
  gallery::link_graph web_;
  gallery::block_links needs_;
  std::optional<gallery::page_flow> pages_;
};

template <class Way, class Table, std::size_t Block>
class alignment {
 public:
  alignment(const bench::program&, Way& way) : way_(way) {}

  void prepare(std::uint64_t bases) {
    if (given_.a.size() != bases) given_ = gallery::random_dna(bases, 1);
    table_.emplace(given_, gallery::scoring(), Block);
  }
  void run() { way_.align(*table_); }
  std::uint64_t check() const { return static_cast<std::uint64_t>(table_->best()); }

 private:
  Way& way_;
  gallery::sequence_pair given_;
  std::optional<Table> table_;
};

template <class Way>
int run_with(bench::program& program, Way way) {
  const std::string& input = program.input();
  if (input == "pagerank") return program.run(pagerank<Way>(program, way));
  if (input == "sw") return program.run(alignment<Way, gallery::alignment_general, 64>(program, way));
  if (input == "swn2") return program.run(alignment<Way, gallery::alignment_affine, 512>(program, way));
  bench::program::fail("--input", "must be pagerank, sw or swn2");
}

}  // namespace graph_kernels
