// Says who waits for whom when a program seems to hang: SENNIT_WATCHDOG. docs/guide/debugging.md.
#pragma once

#include "system/parker.hpp"

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace sennit::detail {

class runtime_core;

class watchdog {
 public:
  watchdog(runtime_core& watched, std::uint64_t period_ns) noexcept : core_(watched), period_ns_(period_ns) {}

  // On a thread of its own, until stop().
  void serve() noexcept;
  void stop() noexcept;

 private:
  runtime_core& core_;
  const std::uint64_t period_ns_;
  std::atomic<bool> stopping_{false};
  parker call_;
};

// Where the thread is, a line for each call, the innermost first. Makes the thread handle a signal.
std::string calls_of_thread(pid_t thread);
// That signal, which threads of the runtime do not block; 0: there is none yet.
int watchdog_signal() noexcept;
// Chooses it, and handles it from then on.
void prepare_to_ask_threads() noexcept;

}  // namespace sennit::detail
