// SPDX-License-Identifier: Apache-2.0
#include "common/openmp.hpp"

#include "mm/matrices.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

using mm::side;
using part = mm::matrices::part;

static void rows(const part& product, std::ptrdiff_t n) {
#pragma omp parallel for collapse(2) schedule(static)
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    for (std::ptrdiff_t j = 0; j < n; ++j) product(i, i + 1, j, j + 1, 0, n);
  }
}

// Tiled by hand, in two dimensions or with the third as well.
static void tiles(const part& product, std::ptrdiff_t n, std::ptrdiff_t depth) {
#pragma omp parallel for collapse(2) schedule(static)
  for (std::ptrdiff_t i = 0; i < n; i += side) {
    for (std::ptrdiff_t j = 0; j < n; j += side) {
      for (std::ptrdiff_t k = 0; k < n; k += depth)
        product(i, std::min(i + side, n), j, std::min(j + side, n), k, std::min(k + depth, n));
    }
  }
}

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::openmp_version());
  omp_set_num_threads(static_cast<int>(program.workers()));
  mm::matrices matrices(program.size());
  const auto multiply = [&](const part& product, std::ptrdiff_t n) {
    if (program.is("tiled")) return tiles(product, n, n);
    if (program.is("best")) return tiles(product, n, side);
    rows(product, n);
  };
  return program.run([&](std::uint64_t size) { matrices.multiply(size, multiply); },
                     [&](std::uint64_t size) { return matrices.check(size); });
}
