// SPDX-License-Identifier: Apache-2.0
#include "blur/image.hpp"

#include <cstddef>
#include <cstdint>

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  blur::image image(program.size());
  return program.run(
      [&](std::uint64_t size) {
        const auto n = static_cast<std::ptrdiff_t>(size);
        image.pixels(size)(0, n, 0, n);
      },
      [&](std::uint64_t size) { return image.check(size); });
}
