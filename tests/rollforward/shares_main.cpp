// SPDX-License-Identifier: Apache-2.0
// How many beats are taken where the only promotion point is a jump's target.
// Catches a promotion point that whoever jumps to it passes by.
#include "tests/rollforward/beats.hpp"
#include "tests/rollforward/shapes.hpp"

#include <chrono>
#include <cstdio>

namespace {

constexpr double least_share = 0.95;

bool check(const shapes::shape& s) {
  using clock = std::chrono::steady_clock;
  const long rounds = 100'000;
  const long answer = s.run(rounds);
  test::beats = test::placed = test::taken = 0;
  bool good = true;
  {
    const test::metronome m(100'000);
    const auto end = clock::now() + std::chrono::milliseconds(300);
    while (clock::now() < end) good &= s.run(rounds) == answer;
  }
  const double share = static_cast<double>(test::taken) / static_cast<double>(test::beats);
  std::printf("%-14s %5ld beats, %5ld taken: %.3f%s\n", s.name, test::beats.load(), test::taken.load(), share,
              good ? "" : ", and a WRONG answer");
  return good && test::beats > 0 && share >= least_share && test::taken <= test::beats;
}

}  // namespace

int main() {
  struct sigaction action = {};
  action.sa_sigaction = test::on_beat;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  shapes::take = test::take;
  bool good = true;
  for (const shapes::shape* s = shapes::all; s->name != nullptr; ++s) good &= check(*s);
  return good ? 0 : 1;
}
