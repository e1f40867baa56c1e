// SPDX-License-Identifier: Apache-2.0
// Beats at random moments while the marked functions run, so many as the argument says.
// Catches what no one instruction shows: beats that meet beats, in frames that earlier ones have left.
#include "beat/roll_forward.hpp"
#include "tests/rollforward/functions.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

std::atomic<long> beats{0};
std::atomic<long> placed{0};
timer_t timer{};
unsigned long state = 1;

void set_timer() {
  state = state * 6364136223846793005UL + 1442695040888963407UL;
  constexpr unsigned long longest = 20'000;
  const itimerspec once = {{0, 0}, {0, static_cast<long>(1000 + (state >> 33) % longest)}};
  timer_settime(timer, 0, &once, nullptr);
}

void on_beat(int, siginfo_t*, void* context) {
  beats.fetch_add(1, std::memory_order_relaxed);
  placed.fetch_add(sennit::detail::roll_forward(context), std::memory_order_relaxed);
  set_timer();
}

void begin() {
  struct sigaction action = {};
  action.sa_sigaction = on_beat;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGUSR1;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) std::exit(2);
  set_timer();
}

}  // namespace

int main(int argc, char** argv) {
  const long wanted = argc > 1 ? std::atol(argv[1]) : 50'000;
  struct checked {
    const marked::function* of;
    long answer;
  };
  std::vector<checked> functions;
  for (const marked::function* f = marked::functions; f->name != nullptr; ++f)
    functions.push_back({f, f->run()});
  if (marked::taken != 0) return 1;
  begin();
  bool good = true;
  // The same number for each.
  long until = 0;
  for (const auto& [f, answer] : functions) {
    until += wanted / static_cast<long>(functions.size()) + 1;
    while (good && beats.load(std::memory_order_relaxed) < until) {
      const long came = f->run();
      if (came == answer) continue;
      std::printf("%s: %ld (not %ld)\n", f->name, came, answer);
      good = false;
    }
  }
  timer_delete(timer);
  good &= marked::taken > 0 && marked::taken <= placed;
  std::printf("%ld beats, %ld placed, %ld taken: %s\n", beats.load(), placed.load(), marked::taken.load(),
              good ? "good" : "WRONG");
  return good ? 0 : 1;
}
