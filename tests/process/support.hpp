// SPDX-License-Identifier: Apache-2.0
// A test's body in a process of its own, so that it may end, hang or die as it likes; and what such bodies
// share.
#pragma once

#include <sennit/join.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>

#if defined(__has_feature)
#define SENNIT_TEST_FEATURE(name) __has_feature(name)
#else
#define SENNIT_TEST_FEATURE(name) 0
#endif

namespace process {

// Set where LeakSanitizer would be wrong: it knows neither fibers, on which exit() may be called and other
// threads may still run, nor that a child of fork() has lost its parent's threads.
inline bool leaks_are_apparent = false;

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Not;
using clock = std::chrono::steady_clock;

#if defined(__SANITIZE_ADDRESS__) || SENNIT_TEST_FEATURE(address_sanitizer)
constexpr bool with_asan = true;
#else
constexpr bool with_asan = false;
#endif
constexpr bool with_tsan = SENNIT_TSAN != 0;
#if defined(__clang__)
constexpr bool with_gcc = false;
#else
constexpr bool with_gcc = true;
#endif
// They keep shadow memory and need larger stacks.
constexpr bool sanitized = with_asan || with_tsan;

struct ending {
  bool timed_out;
  int status;          // as waitpid() has it
  std::string output;  // standard output and error
};

inline void PrintTo(const ending& e, std::ostream* out) {
  if (e.timed_out) {
    *out << "hung, and was killed";
  } else if (WIFEXITED(e.status)) {
    *out << "exited with " << WEXITSTATUS(e.status);
  } else {
    *out << "was killed by signal " << WTERMSIG(e.status);
  }
  *out << "; it printed:\n" << e.output;
}

MATCHER_P(ExitedWith, code, "") {
  return !arg.timed_out && WIFEXITED(arg.status) && WEXITSTATUS(arg.status) == code;
}
MATCHER_P(WasKilledBy, number, "") {
  return !arg.timed_out && WIFSIGNALED(arg.status) && WTERMSIG(arg.status) == number;
}
MATCHER_P(Printed, text, "") { return arg.output.find(text) != std::string::npos; }

constexpr std::chrono::milliseconds patience = sanitized ? 120s : 30s;

// What each thread of a process that hangs is at, as far as the kernel tells.
inline std::string threads_of(pid_t process) {
  namespace fs = std::filesystem;
  std::string found;
  std::error_code gone;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(process) + "/task", gone)) {
    found += "thread " + task.path().filename().string();
    for (const char* fact : {"stat", "wchan", "syscall"}) {
      std::string text;
      std::getline(std::ifstream(task.path() / fact), text);
      found += std::string("\n  ") + fact + ": " + text;
    }
    found += '\n';
  }
  return found;
}

// Waits for the process and whatever it started; after `limit` it is a hang, and all are killed.
inline ending watch(pid_t child, int pipe, std::chrono::milliseconds limit = patience) {
  ending result{};
  const auto last = clock::now() + limit;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(last - clock::now()).count();
    pollfd readable{pipe, POLLIN, 0};
    if (left <= 0 || poll(&readable, 1, static_cast<int>(left)) == 0) {
      result.timed_out = true;
      result.output += threads_of(child);
      kill(-child, SIGKILL);
      break;
    }
    char block[4096];
    const ssize_t count = read(pipe, block, sizeof block);
    if (count <= 0) break;
    result.output.append(block, static_cast<std::size_t>(count));
  }
  close(pipe);
  waitpid(child, &result.status, 0);
  return result;
}

// Runs the body in a child process, which then calls exit(): 0, or 1 if an expectation of the body failed.
// The parent must not have used Sennit itself, for that is what most of these tests are about: bodies do,
// tests don't.
template <class Body>
ending apart(Body body) {
  std::fflush(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    std::setvbuf(stdout, nullptr, _IONBF, 0);
    const auto& results = *testing::UnitTest::GetInstance()->current_test_info()->result();
    const int before = results.total_part_count();  // of the parent's, so far
    body();
    std::exit(results.total_part_count() == before ? 0 : 1);
  }
  setpgid(child, child);
  close(ends[1]);
  return watch(child, ends[0]);
}

// fork() within such a body.
inline pid_t fork_again() {
  const pid_t child = fork();
  if (child == -1) std::abort();
  if (child == 0) leaks_are_apparent = true;
  return child;
}

[[noreturn]] inline void exit_in_a_strand(int code) {
  leaks_are_apparent = true;
  std::exit(code);
}

template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds limit = patience / 3) {
  const auto last = clock::now() + limit;
  while (!condition()) {
    if (clock::now() > last) return false;
    sched_yield();
  }
  return true;
}

// Of a fact that must come true: a test without it would test nothing.
template <class Condition>
void await(Condition condition, const char* what) {
  if (eventually(condition)) return;
  std::fprintf(stderr, "this never happened: %s\n", what);
  std::abort();
}

inline long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

// Like join, but sure to run its branches at once on two threads. `here` begins only when another worker has
// `there`.
template <class Here, class There>
void side_by_side(Here here, There there) {
  std::atomic<bool> taken{false};
  sennit::join(
      [&] {
        await([&] { return taken.load(); }, "a second worker takes a branch");
        here();
      },
      [&] {
        taken = true;
        there();
      });
}

// As good as sure to suspend the calling strand, which then comes out on the other worker's thread.
inline void migrate() {
  side_by_side([] {}, [] { usleep(2000); });
}

// Under qemu-user: it has a thread of its own, and aborts in a child of fork(2) that makes threads (7.2).
#if defined(SENNIT_TEST_EMULATED)
inline constexpr bool emulated = true;
#else
inline constexpr bool emulated = false;
#endif

inline std::ptrdiff_t thread_count() {
  namespace fs = std::filesystem;
  return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator()) -
         (emulated ? 1 : 0);
}

// Whether all threads but the caller have ended. A joined one may still be listed for a moment.
inline bool is_alone() {
  if (with_tsan) return true;  // the tool has threads of its own
  return eventually([] { return thread_count() == 1; }, 5s);
}

// How often threads other than the caller have been taken off a CPU, and how many are not asleep.
struct others {
  long switches = 0;
  int awake = 0;
};

// That thread of the process, at this moment.
inline bool sleeps(pid_t thread) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string key; status >> key;) {
    std::string value;
    std::getline(status, value);
    if (key == "State:") return value.find('S') != std::string::npos;
  }
  return false;
}

inline others look_at_others() {
  others result;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(gettid())) continue;
    std::ifstream status(task.path() / "status");
    for (std::string key; status >> key;) {
      std::string value;
      std::getline(status, value);
      if (key == "State:" && value.find('S') == std::string::npos) ++result.awake;
      if (key.ends_with("voluntary_ctxt_switches:")) result.switches += std::stol(value);
    }
  }
  return result;
}

}  // namespace process
