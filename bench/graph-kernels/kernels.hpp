// SPDX-License-Identifier: Apache-2.0
// Kernels of the gallery that are graphs of tasks, on inputs made here. --input names one: heat, life or fdtd-2d (--size cells
// a side, --work steps), cg (--size 1400, 7000 or 14000) or mg (--size 32, 128 or 256) of NAS, pagerank or pagerank-twitter
// (R-MAT with the web's or Twitter's skew, --size pages, a power of two, --work iterations), sw or swn2 (random DNA of --size
// bases). A way has
//   stages(all)                      gallery::staged: each part after those that it needs
//   pages(flow, needs, iterations)   all blocks initialized, then iterated so often, each after those that it needs
//   align(table)                     all blocks of the table, each after the one above it and the one to its left
//   figures()                        optional: pairs of a metric's name and its value in the latest run
#pragma once

#include "common/loops.hpp"
#include "common/nas.hpp"
#include "gallery/pagerank.hpp"
#include "gallery/rmat.hpp"
#include "gallery/sequences.hpp"
#include "gallery/smith_waterman.hpp"
#include "gallery/staged_kernels.hpp"

#include <sennit/runtime.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graph_kernels {

class heat {
 public:
  heat(std::uint64_t n, std::uint64_t steps) : fill_{n}, steps_(steps), plate_(1, n, n, 16) {}
  auto stages() { return gallery::stages_of(plate_, steps_, fill_); }
  std::uint64_t check() {
    plate_.took(steps_);
    return bench::checksum_of(plate_.cells());
  }

 private:
  struct fill {
    std::size_t n;
    void operator()(std::size_t, std::size_t y, float* row) const {
      for (std::size_t x = 0; x < n; ++x) row[x] = static_cast<float>((7 * x + 13 * y) % 256);
    }
  };

  fill fill_;
  std::size_t steps_;
  gallery::heat plate_;
};

class life {
 public:
  life(std::uint64_t n, std::uint64_t steps) : fill_{n}, steps_(steps), board_(n, 32) {}
  auto stages() { return gallery::stages_of(board_, steps_, fill_); }
  std::uint64_t check() {
    board_.took(steps_);
    return bench::checksum_of(board_.cells());
  }

 private:
  struct fill {
    std::size_t n;
    void operator()(std::size_t y, std::uint8_t* row) const {
      for (std::size_t x = 0; x < n; ++x) row[x] = (y * y + 3 * x + y * x / 5) % 7 < 3;
    }
  };

  fill fill_;
  std::size_t steps_;
  gallery::life board_;
};

class fdtd_2d {
 public:
  fdtd_2d(std::uint64_t n, std::uint64_t steps) : steps_(steps), field_(n, 16) {}
  auto stages() { return gallery::stages_of(field_, steps_); }
  std::uint64_t check() const { return bench::checksum_of(field_.hz()); }

 private:
  std::size_t steps_;
  gallery::fdtd_2d field_;
};

class cg {
 public:
  cg(std::uint64_t n, std::uint64_t) : solver_(n, 128) {}
  auto stages() { return gallery::stages_of(solver_, solver_.systems()); }
  std::uint64_t check() const { return solver_.check(); }

 private:
  bench::nas_cg solver_;
};

class mg {
 public:
  mg(std::uint64_t n, std::uint64_t) : solver_(n) {}
  auto stages() { return gallery::stages_of(solver_, solver_.cycles()); }
  std::uint64_t check() const { return solver_.check(); }

 private:
  bench::nas_mg solver_;
};

// What a way tells of its latest run, if it does.
using figures = std::vector<std::pair<const char*, double>>;
template <class Way>
figures figures_of(const Way& way) {
  if constexpr (requires { way.figures(); }) return way.figures();
  return {};
}

template <class Way, class Data>
class in_stages {
 public:
  in_stages(const bench::program& program, Way& way) : way_(way), work_(program.work()) {}

  void prepare(std::uint64_t size) { data_.emplace(size, work_); }
  void run() { way_.stages(data_->stages()); }
  std::uint64_t check() { return data_->check(); }
  graph_kernels::figures figures() const { return figures_of(way_); }

 private:
  Way& way_;
  std::uint64_t work_;
  std::optional<Data> data_;
};

// The ranks are sums in a fixed order, so all their bits have to agree.
template <class Way>
class pagerank {
 public:
  pagerank(const bench::program& program, Way& way, gallery::rmat_shape (*shape)(unsigned scale))
      : way_(way), shape_(shape), iterations_(static_cast<std::uint32_t>(program.work())) {}

  void prepare(std::uint64_t pages) {
    if (!std::has_single_bit(pages)) bench::program::fail("--size", "must be a power of two for pagerank");
    const std::size_t block = std::max<std::size_t>(4096, pages / 256);
    if (web_.pages != pages) {
      pages_.reset();
      web_ = {};
      // For all systems alike, and gone before anything is timed.
      sennit::runtime workers;
      web_ = gallery::rmat_graph(shape_(static_cast<unsigned>(std::bit_width(pages) - 1)), 1, workers);
      needs_ = gallery::block_links(web_, {web_.pages, block});
    }
    pages_.emplace(web_, block);
  }
  void run() { way_.pages(*pages_, needs_, iterations_); }
  std::uint64_t check() const { return bench::checksum_of(pages_->scaled()); }
  graph_kernels::figures figures() const { return figures_of(way_); }

 private:
  Way& way_;
  gallery::rmat_shape (*shape_)(unsigned scale);
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
  graph_kernels::figures figures() const { return figures_of(way_); }

 private:
  Way& way_;
  gallery::sequence_pair given_;
  std::optional<Table> table_;
};

template <class Way>
int run_with(bench::program& program, Way way) {
  const std::string& input = program.input();
  if (input == "heat") return program.run(in_stages<Way, heat>(program, way));
  if (input == "life") return program.run(in_stages<Way, life>(program, way));
  if (input == "fdtd-2d") return program.run(in_stages<Way, fdtd_2d>(program, way));
  if (input == "cg") return program.run(in_stages<Way, cg>(program, way));
  if (input == "mg") return program.run(in_stages<Way, mg>(program, way));
  if (input == "pagerank") return program.run(pagerank<Way>(program, way, gallery::web_shape));
  if (input == "pagerank-twitter") return program.run(pagerank<Way>(program, way, gallery::twitter_shape));
  if (input == "sw") return program.run(alignment<Way, gallery::alignment_general, 32>(program, way));
  if (input == "swn2") return program.run(alignment<Way, gallery::alignment_affine, 512>(program, way));
  bench::program::fail("--input",
                       "must be heat, life, fdtd-2d, cg, mg, pagerank, pagerank-twitter, sw or swn2");
}

}  // namespace graph_kernels
