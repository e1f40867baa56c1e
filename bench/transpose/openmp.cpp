// SPDX-License-Identifier: Apache-2.0
#include "common/openmp.hpp"

#include "transpose/matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

using transpose::side;
using part = transpose::matrix::part;

// The loops of a triangle cannot be collapsed before OpenMP 5; rows get shorter,
// so they are dealt out in small chunks.
static void rows(const part& all) {
#pragma omp parallel for schedule(dynamic, 16)
  for (std::ptrdiff_t i = 0; i < all.n; ++i) all(i, i + 1, i + 1, all.n);
}

static void tiles(const part& all) {
#pragma omp parallel for collapse(2) schedule(dynamic, 16)
  for (std::ptrdiff_t i = 0; i < all.n; i += side) {
    for (std::ptrdiff_t j = 0; j < all.n; j += side)
      all(i, std::min(i + side, all.n), j, std::min(j + side, all.n));
  }
}

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::openmp_version());
  omp_set_num_threads(static_cast<int>(program.workers()));
  transpose::matrix matrix(program.size());
  return program.run([&](std::uint64_t) { matrix.flip(program.is("tiled") ? tiles : rows); },
                     [&](std::uint64_t) { return matrix.check(); });
}
