// SPDX-License-Identifier: Apache-2.0
// One beat at each instruction of each recursion, a run for each; then beats all the time.
// Catches a latent call that is made twice or not at all, or with other values than it has captured, wherever the beat comes: in the
// call before it, between the two, in what asks the frame, and in what waits for the task.
#include "beat/roll_forward.hpp"
#include "tests/rollforward/captures.hpp"

#include <sennit/runtime.hpp>

#include <ucontext.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

constexpr long trap_flag = 0x100;
constexpr long size = 4;
constexpr long never = -1;
// The rest of a run is like its beginning.
constexpr long most_steps = 400;
constexpr long stride = 41;
// What asks frames, and waits for tasks, has many instructions.
constexpr long most_stepped = 6'000;

bool stepping = false;
long steps = 0;
long beat_at = never;
long beat_again = 0;  // so many steps later, and so on
long placed = 0;
long allocations = 0;

void on_step(int, siginfo_t*, void* context) {
  auto& flags = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL];
  if (stepping && steps++ == beat_at) {
    placed += sennit::detail::roll_forward(context);
    stepping = beat_again != 0 && steps < most_stepped;
    beat_at += beat_again;
  }
  if (!stepping) flags &= ~static_cast<greg_t>(trap_flag);
}

struct outcome {
  long answer;
  long steps;
  long begun;
  long placed;
  bool given;  // a task was made
};

[[gnu::noinline]] long run_stepped(const captures::recursion& r) {
  stepping = true;
  __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | trap_flag);
  const long answer = r.run(size);
  stepping = false;
  return answer;
}

outcome run(const captures::recursion& r, long first, long again) {
  steps = placed = 0;
  beat_at = first;
  beat_again = again;
  captures::begun = 0;
  allocations = 0;
  const long answer = run_stepped(r);
  __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() &
                                 ~static_cast<unsigned long long>(trap_flag));
  return {answer, steps, captures::begun, placed, allocations != 0};
}

bool test(const captures::recursion& r) {
  run(r, never, 0);  // all is bound
  const outcome plain = run(r, never, 0);
  bool good = !plain.given || r.throws;
  long runs = 0;
  long given = 0;
  const auto check = [&](const outcome& found, long first, long again) {
    if (found.answer == plain.answer && (r.throws || found.begun == plain.begun)) return;
    good = false;
    std::printf("%s, a beat at step %ld, again after %ld: answer %ld (not %ld), %ld joins (not %ld)\n",
                r.name, first, again, found.answer, plain.answer, found.begun, plain.begun);
  };
  for (long at = 0; at < std::min(plain.steps, most_steps); ++at, ++runs) {
    const outcome found = run(r, at, 0);
    check(found, at, 0);
    given += found.given;
  }
  for (long first = 0; first < stride; first += stride / 2) check(run(r, first, stride), first, stride);
  // Not where no call is latent any more, nor in the unwinder.
  constexpr long share = 4;
  good = good && given >= (r.throws ? 1 : runs / share);
  std::printf("%s: %ld beats, a call given at %ld: %s\n", r.name, runs, given, good ? "good" : "WRONG");
  std::fflush(stdout);
  return good;
}

}  // namespace

void captures::at_leaf() {}

// What is given away is on the heap, and nothing else here.
void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const made = std::malloc(bytes)) return made;
  throw std::bad_alloc();
}
void operator delete(void* made) noexcept { std::free(made); }
void operator delete(void* made, std::size_t) noexcept { std::free(made); }

int main() {
  struct sigaction action = {};
  action.sa_sigaction = on_step;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
  sennit::runtime runtime({.workers = 1});
  bool good = true;
  for (std::size_t i = 0; i < captures::count; ++i)
    good &= runtime.run([i] { return test(captures::recursions[i]); });
  return good ? 0 : 1;
}
