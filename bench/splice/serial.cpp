// SPDX-License-Identifier: Apache-2.0
// The plain loops; and what a person makes of them without a thought of the next step: `fused`, the three loops of fdtd-2d in
// one; `unrolled`, four rows of mvt and bicg at a time. `recursive`: by halves.
#include "common/serial_way.hpp"
#include "splice/kernels.hpp"

#include <cstdint>

namespace {

struct plain {
  template <class Kernel>
  void run(Kernel& kernel, const splice::shape&, std::int64_t sweeps) const {
    for (std::int64_t s = 0; s < sweeps; ++s) {
      if constexpr (requires { kernel.plain_sweep(s, kernel.whole()); }) {
        kernel.plain_sweep(s, kernel.whole());
      } else {
        kernel.sweep(s, kernel.whole());
      }
    }
  }
};

struct unrolled {
  template <class Kernel>
  void run(Kernel& kernel, const splice::shape&, std::int64_t sweeps) const {
    for (std::int64_t s = 0; s < sweeps; ++s) kernel.sweep(s, kernel.whole());
  }
};

// The sweeps of one step row by row.
struct fused {
  template <class Kernel>
  void run(Kernel& kernel, const splice::shape&, std::int64_t sweeps) const {
    for (std::int64_t s = 0; s < sweeps; s += Kernel::phases) {
      const std::int64_t next = s + Kernel::phases;
      const splice::skewed_tiles<Kernel> rows(kernel, kernel.whole(), s, next, 1, splice::all_columns);
      for (std::int64_t row = 0; row < rows.count(); ++row) rows.run(row, s, next);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("unrolled")) return splice::run_with(program, unrolled());
  if (program.is("fused")) return splice::run_with(program, fused());
  if (program.is("recursive")) return splice::run_with(program, splice::halved<bench::serial_way>(program));
  return splice::run_with(program, plain());
}
