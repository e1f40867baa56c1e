// SPDX-License-Identifier: Apache-2.0
// Each instruction from the call of a marked function to its end gets a beat, none left out. The process that steps makes
// a child at each instruction; the child gets the beat there, and runs on.
// Catches a beat that follows what an unwinder, the dynamic linker or libc has half overwritten, one that changes a word
// which is no return address, and one that is lost.
#include "beat/address_pairs.hpp"
#include "beat/roll_forward.hpp"
#include "tests/rollforward/departures.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

using departures::departure;
using sennit::detail::copy_of_code;
using sennit::detail::find_return;

constexpr unsigned long trap_flag = 0x100;

enum verdict : int {
  good,
  wrong_answer,
  changed_more,
  changed_other,
  lost,
  not_pending,
  taken_twice,
  verdicts
};
const char* const words[verdicts] = {"good",
                                     "a wrong answer",
                                     "more than one word changed",
                                     "a word changed that is no return address",
                                     "a beat placed and not taken",
                                     "a beat neither placed nor pending",
                                     "a beat taken twice"};

// Shared by all processes.
struct record {
  long steps;
  long placed;
  long taken;
  long bad;
};
record* shared;

const departure* now = nullptr;
bool has_beat = false;
bool was_placed = false;
bool stepping = false;

// The calls under way, as the single steps show them.
constexpr std::size_t most_calls = 512;
const unsigned long* slots[most_calls];
std::size_t calls = 0;
unsigned long last_pc = 0;
unsigned long last_stack = 0;

unsigned long in(const ucontext_t& context, int number) {
  return static_cast<unsigned long>(context.uc_mcontext.gregs[number]);
}

void follow(const ucontext_t& context) {
  constexpr unsigned long longest_instruction = 15;
  const unsigned long stack = in(context, REG_RSP);
  const auto* const top = reinterpret_cast<const unsigned long*>(stack);
  const bool pushed = last_pc != 0 && stack == last_stack - sizeof(long);
  if (pushed && *top > last_pc && *top <= last_pc + longest_instruction && in(context, REG_RIP) != *top &&
      calls < most_calls)
    slots[calls++] = top;
  while (calls != 0 && slots[calls - 1] < top) --calls;
  last_pc = in(context, REG_RIP);
  last_stack = stack;
}

constexpr std::size_t most_words = 1 << 13;
unsigned long copy_of_stack[most_words];
const unsigned long* stack_end = nullptr;  // of what the functions use

// Rolls forward, and looks at what that has changed.
verdict beat(ucontext_t& context) {
  const auto* const begin = reinterpret_cast<const unsigned long*>(in(context, REG_RSP));
  const std::size_t count = std::min(most_words, static_cast<std::size_t>(stack_end - begin));
  std::memcpy(copy_of_stack, begin, count * sizeof(long));
  was_placed = sennit::detail::roll_forward(&context);
  int changed = 0;
  verdict result = good;
  for (std::size_t i = 0; i < count; ++i) {
    if (begin[i] == copy_of_stack[i]) continue;
    ++changed;
    if (std::find(slots, slots + calls, begin + i) == slots + calls ||
        find_return(copy_of_stack[i]).paired != begin[i])
      result = changed_other;
  }
  return changed > 1 ? changed_more : result;
}

// A child shares the positions in files that are open: the dynamic linker reads one.
constexpr int first_file = 3;
off_t positions[8];

void keep_positions() {
  for (int i = 0; i < 8; ++i) positions[i] = lseek(first_file + i, 0, SEEK_CUR);
}

void restore_positions() {
  for (int i = 0; i < 8; ++i) {
    if (positions[i] >= 0) lseek(first_file + i, positions[i], SEEK_SET);
  }
}

void on_step(int, siginfo_t*, void* at) {
  auto& context = *static_cast<ucontext_t*>(at);
  if (!stepping) {
    context.uc_mcontext.gregs[REG_EFL] &= ~static_cast<greg_t>(trap_flag);
    return;
  }
  follow(context);
  ++shared->steps;
  const int kept = errno;
  keep_positions();
  const auto child = static_cast<pid_t>(syscall(SYS_fork));
  if (child == 0) {
    errno = kept;
    has_beat = true;
    stepping = false;
    context.uc_mcontext.gregs[REG_EFL] &= ~static_cast<greg_t>(trap_flag);
    if (const verdict v = beat(context); v != good) _exit(v);
    return;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  restore_positions();
  errno = kept;
  if (WIFEXITED(status) && WEXITSTATUS(status) == good) return;
  if (++shared->bad > 20) return;
  std::printf("%s, a beat at step %ld, pc %lx: ", now->name, shared->steps, in(context, REG_RIP));
  if (WIFSIGNALED(status)) {
    std::printf("signal %d\n", WTERMSIG(status));
  } else {
    std::printf("%s\n", words[std::min<int>(WEXITSTATUS(status), verdicts - 1)]);
  }
  std::fflush(stdout);
}

[[noreturn]] void finish(long answer) {
  stepping = false;
  if (answer != now->answer) _exit(wrong_answer);
  if (!has_beat) _exit(good);
  shared->placed += was_placed;
  shared->taken += departures::taken;
  if (departures::taken > (was_placed ? 1 : 0)) _exit(taken_twice);
  if (was_placed && departures::taken == 0 && !now->loses && !sennit::detail::beat_is_pending()) _exit(lost);
  if (!was_placed && !sennit::detail::beat_is_pending()) _exit(not_pending);
  _exit(good);
}

[[noreturn]] void step_through() {
  stack_end = static_cast<const unsigned long*>(__builtin_frame_address(0));
  struct sigaction action = {};
  action.sa_sigaction = on_step;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
  departures::at_end = finish;
  if (now->warm) now->run();
  departures::taken = 0;
  stepping = true;
  __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | trap_flag);
  const long answer = now->run();
  finish(answer);
}

bool test(const departure& d) {
  *shared = {};
  now = &d;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) step_through();
  int status = 0;
  waitpid(child, &status, 0);
  const bool fine = WIFEXITED(status) && WEXITSTATUS(status) == good && shared->bad == 0 && shared->taken > 0;
  std::printf("%-14s %6ld beats, %6ld placed, %6ld taken: %s\n", d.name, shared->steps, shared->placed,
              shared->taken, fine ? "good" : "WRONG");
  return fine;
}

}  // namespace

// With an argument: all of them, or the one of that name.
int main(int argc, char** argv) {
  shared = static_cast<record*>(
      mmap(nullptr, sizeof(record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) return 2;
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  bool fine = true;
  for (const departure* d = departures::all; d->name != nullptr; ++d) {
    if (wanted.empty() ? d->long_one : wanted != "all" && wanted != d->name) continue;
    fine &= test(*d);
  }
  return fine ? 0 : 1;
}
