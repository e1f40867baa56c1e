// SPDX-License-Identifier: Apache-2.0
// Asks at each leaf of each recursion for every latent call around it, and then runs the recursions under the library's own beats.
// Catches a second call that cannot be given away because of what it captures, as this compiler has it in registers: such a
// program stays serial, and nothing says so. And a second call that is made with other values than it has captured.
#include "tests/rollforward/captures.hpp"

#include <sennit/beats.hpp>
#include <sennit/detail/latent/call.hpp>
#include <sennit/runtime.hpp>

#include <chrono>
#include <cstdio>

namespace captures {

namespace {

constexpr long size = 9;
enum class leaves { rest, ask, work };
leaves now = leaves::rest;
long given = 0;

// The compiler is not to know what it does.
volatile long work_units = 2000;

bool asked(const recursion& r) {
  sennit::runtime runtime({.workers = 1});
  now = leaves::rest;
  const long expected = runtime.run([&] { return r.run(size); });
  now = leaves::ask;
  begun = given = 0;
  const long found = runtime.run([&] { return r.run(size); });
  const bool good = found == expected && given == begun;
  std::printf("%s: %ld of %ld calls given: %s\n", r.name, given, begun.load(), good ? "good" : "WRONG");
  if (found != expected) std::printf("  the result is %ld in place of %ld\n", found, expected);
  return good;
}

// Beats come now and then, and at any instruction.
bool beaten(const recursion& r) {
  using clock = std::chrono::steady_clock;
  sennit::runtime runtime({.workers = 2});
  const sennit::beats beating(
      {.period = std::chrono::microseconds(100), .in = &runtime, .calling_thread = true, .most_share = 1});
  now = leaves::rest;
  const long expected = r.run(size);
  now = leaves::work;
  const auto end = clock::now() + std::chrono::seconds(20);
  bool good = true;
  long runs = 0;
  constexpr unsigned enough = 3;
  while (good && runtime.statistics().steals < enough && clock::now() < end) {
    good = runtime.run([&] { return r.run(size); }) == expected;
    ++runs;
  }
  const auto steals = runtime.statistics().steals;
  std::printf("%s: %lu calls stolen in %ld runs\n", r.name, static_cast<unsigned long>(steals), runs);
  if (!good) std::printf("  WRONG result\n");
  return good && steals >= enough;
}

}  // namespace

void at_leaf() {
  if (now == leaves::ask) {
    while (sennit::detail::give_oldest_call()) ++given;
  } else if (now == leaves::work) {
    for (long i = 0; i < work_units;) i = i + 1;
  }
}

}  // namespace captures

int main() {
  bool good = true;
  for (std::size_t i = 0; i < captures::count; ++i) good &= captures::asked(captures::recursions[i]);
  for (std::size_t i = 0; i < captures::count; ++i) good &= captures::beaten(captures::recursions[i]);
  return good ? 0 : 1;
}
