// SPDX-License-Identifier: Apache-2.0
// Timers of the kernel whose signals go to one thread.
#pragma once

#include "process/settings.hpp"

#include <signal.h>
#include <sys/types.h>
#include <time.h>

#include <cstdint>

#ifndef sigev_notify_thread_id  // glibc 2.36 has no name for this member
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace sennit::detail {

inline timespec as_timespec(std::uint64_t ns) noexcept {
  constexpr std::uint64_t second = 1'000'000'000;
  return {static_cast<time_t>(ns / second), static_cast<long>(ns % second)};
}

// A timer that sends the signal of beats, with `value`. Returns false if the system refuses; errno says why.
inline bool create_timer(pid_t thread, int value, timer_t& made) noexcept {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = beat_signal();
  event.sigev_value.sival_int = value;
  event.sigev_notify_thread_id = thread;
  return timer_create(CLOCK_MONOTONIC, &event, &made) == 0;
}

}  // namespace sennit::detail
