// SPDX-License-Identifier: Apache-2.0
#include "process/library_thread.hpp"

#include "process/settings.hpp"
#include "process/signal_stack.hpp"

#include <sennit/detail/failure.hpp>

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <utility>

namespace sennit::detail {

namespace {

constinit std::atomic<int> taken_signal{0};  // 0: none

// What such a thread blocks.
sigset_t blocked_signals() noexcept {
  sigset_t all;
  sigfillset(&all);
  // A fault must reach its handler: the kernel ends the program if the signal is blocked.
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&all, fault);
  for (const int taken : {beat_signal(), taken_signal.load(std::memory_order_relaxed)}) {
    if (taken != 0) sigdelset(&all, taken);
  }
  return all;
}

}  // namespace

void let_threads_take(int signal) noexcept { taken_signal.store(signal, std::memory_order_relaxed); }

bool start_thread(std::thread& started, const char* name, unsigned number,
                  std::function<void()> body) noexcept {
  const sigset_t blocked = blocked_signals();
  sigset_t before;
  // The new thread inherits the mask.
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  const bool has_started = attempt<std::exception>([&] {
    started = std::thread([name, number, body = std::move(body)] {
      char full[16];
      std::snprintf(full, sizeof full, "%s/%u", name, number);
      pthread_setname_np(pthread_self(), full);
      ensure_signal_stack();
      body();
    });
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return has_started;
}

}  // namespace sennit::detail
