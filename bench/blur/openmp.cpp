// SPDX-License-Identifier: Apache-2.0
#include "common/openmp.hpp"

#include "blur/image.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

using blur::side;

static void rows(const blur::image::part& pixels) {
#pragma omp parallel for collapse(2) schedule(static)
  for (std::ptrdiff_t y = 0; y < pixels.n; ++y) {
    for (std::ptrdiff_t x = 0; x < pixels.n; ++x) pixels.pixel(y, x);
  }
}

static void tiles(const blur::image::part& pixels) {
#pragma omp parallel for collapse(2) schedule(static)
  for (std::ptrdiff_t y = 0; y < pixels.n; y += side) {
    for (std::ptrdiff_t x = 0; x < pixels.n; x += side)
      pixels(y, std::min(y + side, pixels.n), x, std::min(x + side, pixels.n));
  }
}

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::openmp_version());
  omp_set_num_threads(static_cast<int>(program.workers()));
  blur::image image(program.size());
  return program.run(
      [&](std::uint64_t size) { program.is("tiled") ? tiles(image.pixels(size)) : rows(image.pixels(size)); },
      [&](std::uint64_t size) { return image.check(size); });
}
