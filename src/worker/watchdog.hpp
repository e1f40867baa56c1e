// Says who waits for whom when a program seems to hang: SENNIT_WATCHDOG. docs/guide/debugging.md.
#pragma once

#include "system/parker.hpp"

#include <atomic>
#include <cstdint>

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

}  // namespace sennit::detail
