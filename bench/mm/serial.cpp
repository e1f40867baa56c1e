// SPDX-License-Identifier: Apache-2.0
#include "mm/matrices.hpp"

#include <cstddef>
#include <cstdint>

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  mm::matrices matrices(program.size());
  return program.run(
      [&](std::uint64_t size) {
        matrices.multiply(
            size, [](const mm::matrices::part& product, std::ptrdiff_t n) { product(0, n, 0, n, 0, n); });
      },
      [&](std::uint64_t size) { return matrices.check(size); });
}
