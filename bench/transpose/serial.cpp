// SPDX-License-Identifier: Apache-2.0
#include "transpose/matrix.hpp"

#include <cstdint>

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  transpose::matrix matrix(program.size());
  return program.run(
      [&](std::uint64_t) {
        matrix.flip([](const transpose::matrix::part& all) { all(0, all.n, 0, all.n); });
      },
      [&](std::uint64_t) { return matrix.check(); });
}
