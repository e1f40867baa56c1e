// SPDX-License-Identifier: Apache-2.0
// A shared object with a copy of the library inside, as a program without Sennit may load and unload it.
#include <sennit/sennit.hpp>

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

namespace {

sennit::reducer<std::string> all_letters;

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

}  // namespace

extern "C" {

long plugin_fib(long n) { return fib(n); }

// Whether a strand has come out of a join on another thread than it went in on. It does so unless the other
// branch ends before the strand waits for it, so a few times must do.
bool plugin_migrates() {
  return sennit::runtime::default_runtime().run([] {
    for (int i = 0; i < 100; ++i) {
      std::atomic<bool> taken{false};
      const pid_t before = gettid();  // not pthread_self(), whose result compilers keep
      const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      auto [a, b] = sennit::join(
          [&] {
            while (!taken && std::chrono::steady_clock::now() < last) sched_yield();
            return fib(10);
          },
          [&] {
            taken = true;
            usleep(2000);
            return fib(11);
          });
      if (a != 55 || b != 89) return false;
      if (before != gettid()) return true;
    }
    return false;
  });
}

// Whether reducers are in order, on a thread that is no worker and so has to see to its views at its end.
bool plugin_reduces() {
  sennit::reducer<std::string> letters;
  const auto add = [&](char posted) {
    *letters += posted;
    *all_letters += posted;
  };
  add('a');
  sennit::join([&] { add('b'); }, [&] { add('c'); });
  sennit::parallel_for('d', 'z', [&](char posted) { add(posted); });
  const std::string expected = "abcdefghijklmnopqrstuvwxy";
  return letters.value() == expected && all_letters.value().ends_with(expected);
}

}  // extern "C"
