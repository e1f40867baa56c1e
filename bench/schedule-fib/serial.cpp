// SPDX-License-Identifier: Apache-2.0
#include "schedule-fib/fib.hpp"

#include <cstdint>

static std::uint64_t forks(long n, long cutoff) {
  return n < cutoff ? 0 : 1 + forks(n - 1, cutoff) + forks(n - 2, cutoff);
}

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  schedule_fib::check_input(program);
  program.forks(
      forks(static_cast<long>(program.size()), program.input() == "fine" ? 2 : schedule_fib::cutoff));
  return program.run([](std::uint64_t n) { return schedule_fib::serial(static_cast<long>(n)); });
}
