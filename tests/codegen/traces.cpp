// SPDX-License-Identifier: Apache-2.0
// Forks that do nothing else, on one worker, without a trace or under one. test_traced.py runs it under callgrind,
// which writes the number of instructions at each mark.
#include <sennit/sennit.hpp>

#include <valgrind/callgrind.h>

#include <cstdio>

namespace {

constexpr int fib_of = 20;
constexpr int forks = 10'945;

int fib(int n) {
  if (n < 2) return n;
  int a = 0;
  int b = 0;
  sennit::join([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

void mark(const char* name, int times, auto run) {
  for (int i = 0; i < 20; ++i) run();  // a trace has to learn that it is brief
  CALLGRIND_ZERO_STATS;
  run();
  CALLGRIND_DUMP_STATS_AT(name);
  std::printf("%s %d\n", name, times);
}

}  // namespace

int main() {
  sennit::region all;
  all.run([] { mark("fork", forks, [] { [[maybe_unused]] volatile int sum = fib(fib_of); }); });
}
