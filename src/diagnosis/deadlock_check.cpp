// SPDX-License-Identifier: Apache-2.0
// Calls that block a strand's thread, in the checked variant: a strand that waits for something that its
// sibling will do waits for ever if no other worker is there to run the sibling. Such calls wake up now and
// then, and look whether that is so.
#include "diagnosis/deadlock_check.hpp"

#if SENNIT_SEES_LOCKS

#include "system/nanoseconds.hpp"
#include "system/replaced_function.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/misuse.hpp>

#include <dirent.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <string>

namespace sennit::detail {

namespace {

constinit thread_local int allowed [[gnu::tls_model("initial-exec")]] = 0;

// The call that the thread is in, or returned from to be called again.
struct blocked_call {
  const void* on;
  std::uint64_t since_ns;
  std::uint64_t progress;
};
constinit thread_local blocked_call latest [[gnu::tls_model("initial-exec")]] = {nullptr, 0, 0};

constexpr std::uint64_t slice_ns = 50'000'000;
constexpr std::uint64_t patience_ns = 250'000'000;

timespec slice_end() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  now.tv_nsec += static_cast<long>(slice_ns);
  if (now.tv_nsec >= 1'000'000'000) {
    now.tv_nsec -= 1'000'000'000;
    ++now.tv_sec;
  }
  return now;
}

// Whether the thread runs a strand, which should not block for long.
bool is_watched() noexcept {
  worker* const w = worker::current();
  return w != nullptr && allowed == 0 && w->running().innermost != nullptr;
}

int count_of_threads() noexcept {
  int count = 0;
  if (DIR* const tasks = opendir("/proc/self/task")) {
    while (const dirent* entry = readdir(tasks)) {
      if (entry->d_name[0] != '.') ++count;
    }
    closedir(tasks);
  }
  return count;
}

// The calling strand has been blocked in that call for a while: ends the program with a message if what the strand waits
// for may lie in one of the runtime's deques, and nobody is left to take it from there.
void look_for_deadlock(runtime_core& core, const char* call) noexcept {
  if (!core.work_in_sight({})) return;
  int at_work = 0;
  int threads = 0;
  core.for_each_seat([&](const worker& w) {
    ++threads;
    if (!w.blocks.load(std::memory_order_relaxed)) ++at_work;
  });
  if (at_work > core.asleep().count()) return;
  const std::string message = std::string("a strand waits in ") + call +
                              ", and the branches that could run meanwhile have no worker: all of them wait "
                              "like this one. If one of the branches is to end the wait, as a sibling that "
                              "sets a future is, this is a deadlock: no branch may wait for another one. A "
                              "wait for what happens outside the runtime belongs into sennit::blocking().";
  // Others may end the wait yet.
  if (count_of_threads() > threads + (core.has_watchdog() ? 1 : 0)) {
    if (core.is_first_suspicion()) warn(message);
    return;
  }
  misuse(message);
}

// While it exists the strand's worker is known to be blocked.
class blocked {
 public:
  explicit blocked(const void* on) noexcept : worker_(*worker::current()) {
    worker_.blocks.store(true, std::memory_order_relaxed);
    const std::uint64_t progress = worker_.core().progress();
    if (latest.on != on || latest.progress != progress) latest = {on, now_ns(), progress};
  }
  ~blocked() { worker_.blocks.store(false, std::memory_order_relaxed); }
  blocked(const blocked&) = delete;
  blocked& operator=(const blocked&) = delete;

  // A slice of the wait is over.
  void look(const char* call) noexcept {
    runtime_core& core = worker_.core();
    const std::uint64_t progress = core.progress();
    if (progress != latest.progress) {
      latest.progress = progress;
      latest.since_ns = now_ns();
    }
    if (now_ns() - latest.since_ns < patience_ns) return;
    look_for_deadlock(core, call);
  }

 private:
  worker& worker_;
};

}  // namespace

void begin_to_allow_blocking() noexcept { ++allowed; }
void end_to_allow_blocking() noexcept { --allowed; }

}  // namespace sennit::detail

namespace {

bool waits_for_ever(long number, long operation, const void* limit) noexcept {
  return number == SYS_futex && limit == nullptr && (operation & FUTEX_CMD_MASK) == FUTEX_WAIT;
}

}  // namespace

extern "C" {

// Ends early now and then, as it may.
SENNIT_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  using namespace sennit::detail;
  static const auto real = replaced_function<decltype(pthread_cond_wait)>("pthread_cond_wait");
  static const auto timed = replaced_function<decltype(pthread_cond_clockwait)>("pthread_cond_clockwait");
  if (!is_watched()) return real(condition, mutex);
  blocked wait(condition);
  const timespec until = slice_end();
  const int result = timed(condition, mutex, CLOCK_MONOTONIC, &until);
  if (result != ETIMEDOUT) return result;
  wait.look("pthread_cond_wait()");
  return 0;
}

SENNIT_EXPORT int pthread_join(pthread_t thread, void** value) {
  using namespace sennit::detail;
  static const auto real = replaced_function<decltype(pthread_join)>("pthread_join");
  static const auto timed = replaced_function<decltype(pthread_clockjoin_np)>("pthread_clockjoin_np");
  if (!is_watched()) return real(thread, value);
  blocked wait(reinterpret_cast<void*>(thread));
  for (;;) {
    const timespec until = slice_end();
    const int result = timed(thread, value, CLOCK_MONOTONIC, &until);
    if (result != ETIMEDOUT) return result;
    wait.look("pthread_join()");
  }
}

SENNIT_EXPORT int sem_wait(sem_t* semaphore) {
  using namespace sennit::detail;
  static const auto real = replaced_function<decltype(sem_wait)>("sem_wait");
  static const auto timed = replaced_function<decltype(sem_clockwait)>("sem_clockwait");
  if (!is_watched()) return real(semaphore);
  blocked wait(semaphore);
  for (;;) {
    const timespec until = slice_end();
    if (timed(semaphore, CLOCK_MONOTONIC, &until) == 0) return 0;
    if (errno != ETIMEDOUT) return -1;
    wait.look("sem_wait()");
  }
}

// The standard library waits on futexes for std::future, std::atomic, std::latch and their like. Ends early,
// as by a signal.
SENNIT_EXPORT long syscall(long number, ...) noexcept {
  using namespace sennit::detail;
  static const auto real = replaced_function<long(long, ...)>("syscall");
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& value : a) value = va_arg(list, long);
  va_end(list);
  if (!waits_for_ever(number, a[1], reinterpret_cast<void*>(a[3])) || !is_watched())
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  blocked wait(reinterpret_cast<void*>(a[0]));
  timespec slice{0, static_cast<long>(slice_ns)};
  const long result = real(number, a[0], a[1], a[2], &slice, a[4], a[5]);
  if (result != -1 || errno != ETIMEDOUT) return result;
  wait.look("a wait of the standard library (std::future::get(), std::latch::wait() or the like)");
  errno = EINTR;
  return -1;
}
}

#endif
