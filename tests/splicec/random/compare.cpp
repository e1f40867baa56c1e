// Runs a random program and its translation on the same inputs: compare FIRST LAST. See run.py.
#include "noted.hpp"

#include <sennit/runtime.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
void* plain_data();
unsigned long plain_bytes();
unsigned long plain_totals();
void plain_run(unsigned input);
void* spliced_data();
unsigned long spliced_totals();
void spliced_run(unsigned input);
}

int main(int, char** arguments) {
  const auto first = static_cast<unsigned>(std::atoi(arguments[1]));
  const auto last = static_cast<unsigned>(std::atoi(arguments[2]));
  std::array<sennit::runtime, 3> runtimes{sennit::runtime({.workers = 1}), sennit::runtime({.workers = 2}),
                                          sennit::runtime({.workers = 8})};
  unsigned wrong = 0;
  double most_checks = 0;
  unsigned long steps = 0;
  unsigned long checks = 0;
  for (unsigned input = first; input < last; ++input) {
    plain_run(input);
    noted::all = {};
    // Threads cost more than most of these programs do.
    runtimes[input % 16 == 3 ? 1 : input % 16 == 11 ? 2 : 0].run([&] { spliced_run(input); });
    if (std::memcmp(plain_data(), spliced_data(), plain_bytes()) != 0 || plain_totals() != spliced_totals()) {
      std::printf("wrong: input %u\n", input);
      ++wrong;
    }
    steps += noted::all.steps;
    checks += noted::all.checks;
    // A few steps may be compared with more than there are of them, as calls are compared, too.
    if (noted::all.steps >= 100) {
      const double each = static_cast<double>(noted::all.checks) / static_cast<double>(noted::all.steps);
      if (each > noted::most_checks) std::printf("too many checks: input %u, %.1f a step\n", input, each);
      most_checks = std::max(most_checks, each);
    }
  }
  std::printf("%u inputs, %u wrong, %lu steps, %.1f checks a step, at most %.1f\n", last - first, wrong, steps,
              static_cast<double>(checks) / static_cast<double>(std::max(steps, 1UL)), most_checks);
  return wrong != 0 || most_checks > noted::most_checks ? 1 : 0;
}
