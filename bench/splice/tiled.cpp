// SPDX-License-Identifier: Apache-2.0
// Time tiled by hand, as a polyhedral compiler or a person with patience would: parallelograms of all sweeps that are taken
// together; several threads take bands of sweeps one behind the other, or parts of the rows where sweeps do not wait for
// each other. Four steps of seidel-2d run in one loop.
#include "splice/kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

class by_hand {
 public:
  explicit by_hand(const bench::program& program) : threads_(program.workers()) {}

  template <class Kernel>
  void run(Kernel& kernel, const splice::shape& by, std::int64_t sweeps) const {
    if constexpr (requires { kernel.row_unit(); }) {
      run_apart(kernel, by, sweeps);
    } else if constexpr (splice::in_chains<Kernel>) {
      run_chains(kernel, by, sweeps);
    } else {
      const splice::skewed_tiles<Kernel> tiles(kernel, kernel.whole(), 0, sweeps, by.tile_rows,
                                               by.tile_columns);
      // Each thread has its share of the bands.
      const std::int64_t share = (sweeps + threads_ - 1) / threads_;
      splice::pipeline bands(sweeps, std::min(by.together * Kernel::phases, share), threads_);
      bands.run(tiles.count(), [&](auto... tile_and_sweeps) { tiles.run(tile_and_sweeps...); });
    }
  }

 private:
  template <class Kernel>
  void run_apart(Kernel& kernel, const splice::shape& by, std::int64_t sweeps) const {
    const splice::part whole = kernel.whole();
    const std::int64_t units = splice::pieces(whole.rows, kernel.row_unit());
    const auto work = [&](unsigned p) {
      for (std::int64_t unit = p * units / threads_; unit < (p + 1) * units / threads_; ++unit) {
        const splice::part own{splice::piece(whole.rows, kernel.row_unit(), unit), whole.columns};
        const splice::skewed_tiles<Kernel> tiles(kernel, own, 0, sweeps, by.tile_rows, by.tile_columns);
        for (std::int64_t tile = 0; tile < tiles.count(); ++tile) tiles.run(tile, 0, sweeps);
      }
    };
    std::vector<std::jthread> others;
    for (unsigned p = 1; p < threads_; ++p) others.emplace_back(work, p);
    work(0);
  }

  // A tile is some rows of the first of four sweeps, and so on.
  template <class Kernel>
  void run_chains(Kernel& kernel, const splice::shape& by, std::int64_t sweeps) const {
    const splice::range rows = kernel.whole().rows;
    const splice::range reach{rows.first, rows.last + splice::lags<Kernel>(0, sweeps).back().rows};
    const auto step = [&](std::int64_t tile, std::int64_t first, std::int64_t last) {
      splice::sweep_chains(kernel, first, last - first,
                           splice::shifted(splice::piece(reach, by.tile_rows, tile), first));
    };
    splice::pipeline(sweeps, splice::chains_together, threads_)
        .run(splice::pieces(reach, by.tile_rows), step);
  }

  unsigned threads_;
};

}  // namespace

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return splice::run_with(program, by_hand(program));
}
