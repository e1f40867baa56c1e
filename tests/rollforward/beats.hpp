// SPDX-License-Identifier: Apache-2.0
// Beats for tests: a signal whose handler rolls forward, sent by the test or by a timer.
#pragma once

#include "beat/roll_forward.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <ctime>

namespace test {

inline std::atomic<long> beats{0};
inline std::atomic<long> placed{0};
inline std::atomic<long> taken{0};

inline void on_beat(int, siginfo_t*, void* context) {
  beats.fetch_add(1, std::memory_order_relaxed);
  placed.fetch_add(sennit::detail::roll_forward(context), std::memory_order_relaxed);
}

inline void take() { taken.fetch_add(1, std::memory_order_relaxed); }

// In code that rollforward trusts: raise(3) would have the beat come in libc. The thread is before the last instruction then. At
// the address of a promotion point it would be taken for one that has jumped behind the point.
inline void beat() {
  const auto process = getpid();
  const auto thread = syscall(SYS_gettid);
  long result = SYS_tgkill;
  asm volatile("syscall\n\tnop"
               : "+a"(result)
               : "D"(process), "S"(thread), "d"(SIGUSR1)
               : "rcx", "r11", "memory");
}

// Workers have signals blocked: who sends them beats lets those through.
inline void let_beats_through() {
  sigset_t beats;
  sigemptyset(&beats);
  sigaddset(&beats, SIGUSR1);
  ASSERT_EQ(pthread_sigmask(SIG_UNBLOCK, &beats, nullptr), 0);
}

class beating : public testing::Test {
 protected:
  beating() {
    handle(SIGUSR1, on_beat, 0);
    beats = placed = taken = 0;
  }

  static void handle(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
    struct sigaction action = {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_RESTART | flags;
    ASSERT_EQ(sigaction(signal, &action, nullptr), 0);
  }
};

// Beats for the thread that makes it.
class metronome {
 public:
  explicit metronome(long nanoseconds) {
    sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGUSR1;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    EXPECT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer_), 0);
    const itimerspec period = {{0, nanoseconds}, {0, nanoseconds}};
    EXPECT_EQ(timer_settime(timer_, 0, &period, nullptr), 0);
  }
  metronome(const metronome&) = delete;
  metronome& operator=(const metronome&) = delete;
  ~metronome() { timer_delete(timer_); }

 private:
  timer_t timer_{};
};

}  // namespace test
