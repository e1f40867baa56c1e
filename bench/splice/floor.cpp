// SPDX-License-Identifier: Apache-2.0
// What splicing comes to if it costs nothing: whole blocks in its order, by hand.
#include "splice/kernels.hpp"

#include <algorithm>
#include <cstdint>

namespace {

struct in_order {
  template <class Kernel>
  void run(Kernel& kernel, const splice::shape& by, std::int64_t sweeps) const {
    const std::int64_t together = by.together * Kernel::phases;
    for (std::int64_t s = 0; s < sweeps; s += together)
      splice::whole_blocks(kernel, s, std::min(sweeps, s + together), by.block);
  }
};

}  // namespace

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return splice::run_with(program, in_order());
}
