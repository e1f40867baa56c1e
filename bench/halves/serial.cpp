// SPDX-License-Identifier: Apache-2.0
#include "halves/work.hpp"

#include <cstdint>

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  program.forks(program.size());
  return program.run([&](std::uint64_t times) {
    return halves::enter_repeatedly(times, program.work(), [](auto&& f, auto&& g) { return f() + g(); });
  });
}
