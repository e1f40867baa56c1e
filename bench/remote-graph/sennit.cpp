// SPDX-License-Identifier: Apache-2.0
// Graphs of tasks on a virtual machine of 8 NUMA nodes, with more workers than there are CPUs: nothing is timed that means
// anything, remote accesses are counted. The size is how many blocks there are, --workers a multiple of 8, --input the
// kernel, --work how many microseconds a node sleeps, 0 if it shall not: sleepers leave the CPUs to others, so that the
// workers come along as if each had one.
#include "common/sennit.hpp"

#include "gallery/remote_graph.hpp"
#include "gallery/sequences.hpp"
#include "gallery/smith_waterman.hpp"
#include "gallery/staged_kernels.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr unsigned nodes = 8;
constexpr std::size_t steps = 40;

gallery::color_choice colors_of(const bench::program& program) {
  for (const char* colors : {"workers", "caches", "nodes", "shifted", "invalid"}) {
    if (program.is(colors)) return {colors};
  }
  return {"none"};
}

class kernel {
 public:
  explicit kernel(bench::program& program)
      : runtime_(program),
        name_(program.input()),
        colors_(colors_of(program)),
        sleep_(static_cast<std::int64_t>(program.work())) {
    // Sleepers are to wake when they have asked to.
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    const std::string machine = "synthetic:numa:" + std::to_string(nodes) +
                                " core:" + std::to_string(program.workers() / nodes) + " pu:1";
    setenv("SENNIT_TOPOLOGY", machine.c_str(), 1);
  }

  void prepare(std::uint64_t blocks) { blocks_ = blocks; }
  void run() {
    if (name_ == "life") return run_life();
    if (name_ == "fdtd-2d") return run_fdtd();
    if (name_ == "swn2") return run_swn2();
    run_heat();
  }
  std::uint64_t check() const { return right_ ? blocks_ : 0; }
  std::vector<std::pair<const char*, double>> figures() const {
    const auto of_nodes = static_cast<double>(counted_.remote_nodes) / static_cast<double>(counted_.nodes);
    return {{"remote_share", counted_.share()},
            {"remote_node_share", of_nodes},
            {"nodes_at_work", static_cast<double>(counted_.places_at_work)}};
  }

 private:
  template <class Graph, class OfInterest>
  void count(const Graph& graph, const OfInterest& of_interest) {
    const auto pause = [this] {
      if (sleep_.count() > 0) std::this_thread::sleep_for(sleep_);
    };
    counted_ = gallery::count_remote(graph, colors_, pause, of_interest);
  }
  static constexpr auto before(std::size_t last) {
    return [last](const gallery::stage_key& k) { return k[0] <= last; };
  }

  void run_heat() {
    constexpr std::size_t rows = 8;
    constexpr std::size_t width = 4096;
    const auto fill = [](std::size_t, std::size_t y, float* row) {
      std::fill_n(row, width, static_cast<float>(y % 64));
    };
    gallery::heat plate(1, width, blocks_ * rows, rows);
    count(gallery::graph_of(gallery::stages_of(plate, steps, fill)), before(steps));
    plate.took(steps);
    gallery::heat expected(1, width, blocks_ * rows, rows);
    gallery::run_graph<sennit::serial>(gallery::graph_of(gallery::stages_of(expected, steps, fill)), colors_);
    expected.took(steps);
    right_ = std::ranges::equal(plate.cells(), expected.cells());
  }

  void run_life() {
    const std::size_t n = blocks_ * 8;
    const auto fill = [n](std::size_t y, std::uint8_t* row) {
      for (std::size_t x = 0; x < n; ++x) row[x] = (y * y + 3 * x + y * x / 5) % 7 < 3;
    };
    gallery::life board(n, 8);
    count(gallery::graph_of(gallery::stages_of(board, steps, fill)), before(steps));
    board.took(steps);
    gallery::life expected(n, 8);
    gallery::run_graph<sennit::serial>(gallery::graph_of(gallery::stages_of(expected, steps, fill)), colors_);
    expected.took(steps);
    right_ = std::ranges::equal(board.cells(), expected.cells());
  }

  void run_fdtd() {
    const std::size_t n = blocks_ * 4;
    gallery::fdtd_2d field(n, 4);
    count(gallery::graph_of(gallery::stages_of(field, steps)), before(2 * steps));
    gallery::fdtd_2d expected(n, 4);
    gallery::run_graph<sennit::serial>(gallery::graph_of(gallery::stages_of(expected, steps)), colors_);
    right_ = std::ranges::equal(field.hz(), expected.hz());
  }

  void run_swn2() {
    constexpr std::size_t block = 128;
    const gallery::sequence_pair given = gallery::random_dna(blocks_ * block, 1);
    gallery::alignment_affine table(given, {}, block);
    count(gallery::graph_of_alignment(table), [](const auto&) { return true; });
    gallery::alignment_affine expected(given, {}, block);
    gallery::run_graph<sennit::serial>(gallery::graph_of_alignment(expected), colors_);
    right_ = table.best() == expected.best();
  }

  bench::sennit_default_runtime runtime_;
  std::string name_;
  gallery::color_choice colors_;
  std::chrono::microseconds sleep_;
  std::uint64_t blocks_ = 0;
  gallery::remote_count counted_;
  bool right_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return program.run(kernel(program));
}
