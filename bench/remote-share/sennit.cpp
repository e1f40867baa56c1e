// SPDX-License-Identifier: Apache-2.0
// heat on a virtual machine with a NUMA node for each worker, of which there may be more than CPUs: nothing
// is timed that means anything, remote accesses are counted, and the misses of caches that are simulated. The
// size is how many blocks of two rows there are, --work how wide they are, --input the KiB of a node's cache,
// and its ways: 4096x16.
#include "common/sennit.hpp"

#include "gallery/remote.hpp"
#include "remote-share/last_level_cache.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t rows = 2;
constexpr unsigned steps = 10;

// Without --input the nodes' caches are together as large as the machine's own.
gallery::cache_shape cache_of_a_node(const bench::program& program) {
  gallery::cache_shape shape{.bytes = std::size_t{32} << 20};
  const std::string& asked = program.input();
  if (asked.empty()) {
    if (const auto own = bench::last_level_cache()) shape = *own;
    shape.bytes /= program.workers();
    return shape;
  }
  const char* const end = asked.data() + asked.size();
  std::size_t kib = 0;
  const auto [x, size_error] = std::from_chars(asked.data(), end, kib);
  if (size_error != std::errc{} || kib == 0 || x == end || *x != 'x' ||
      std::from_chars(x + 1, end, shape.ways).ptr != end || shape.ways == 0) {
    bench::program::fail("--input", "must be a cache's KiB and its ways, such as 4096x16");
  }
  shape.bytes = kib << 10;
  return shape;
}

gallery::remote_way way_of(const bench::program& program) {
  if (program.is("blocks")) return gallery::remote_way::blocks;
  if (program.is("designed")) return gallery::remote_way::designed;
  if (program.is("ordered")) return gallery::remote_way::ordered;
  if (program.is("refine")) return gallery::remote_way::refine;
  if (program.is("coarse")) return gallery::remote_way::coarse;
  return gallery::remote_way::plain;
}

class kernel {
 public:
  explicit kernel(bench::program& program)
      : runtime_(program),
        nodes_(program.workers()),
        width_(program.work()),
        way_(way_of(program)),
        cache_(cache_of_a_node(program)) {
    const std::string machine = "synthetic:numa:" + std::to_string(nodes_) + " core:1 pu:1";
    setenv("SENNIT_TOPOLOGY", machine.c_str(), 1);
  }

  void prepare(std::uint64_t blocks) { blocks_ = blocks; }
  void run() { result_ = gallery::remote_share_of_heat(way_, width_, blocks_, rows, steps, nodes_); }
  std::uint64_t check() const { return result_.right ? blocks_ : 0; }
  std::vector<std::pair<const char*, double>> figures() const {
    const gallery::stencil_shape plate{.row_bytes = width_ * sizeof(float), .rows = rows, .blocks = blocks_};
    const auto miss_share = [&](const gallery::cache_shape& cache) {
      return gallery::misses_of_stencil(result_.steps, plate, cache, nodes_).share();
    };
    // For a node's part of both arrays, and half as much again.
    gallery::cache_shape tight = cache_;
    tight.bytes = 3 * plate.row_bytes * plate.rows * plate.blocks / nodes_;
    return {{"remote_share", result_.share},
            {"nodes_at_work", static_cast<double>(result_.nodes_at_work)},
            {"simulated_miss_share", miss_share(cache_)},
            {"simulated_tight_miss_share", miss_share(tight)},
            {"simulated_cache_mib", static_cast<double>(cache_.bytes) / (1 << 20)}};
  }

 private:
  bench::sennit_default_runtime runtime_;
  unsigned nodes_;
  std::size_t width_;
  gallery::remote_way way_;
  gallery::cache_shape cache_;
  std::uint64_t blocks_ = 0;
  gallery::remote_result result_{};
};

}  // namespace

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return program.run(kernel(program));
}
