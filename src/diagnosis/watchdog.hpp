// SPDX-License-Identifier: Apache-2.0
// Says who waits for whom when a program seems to hang: SENNIT_WATCHDOG. docs/guide/debugging.md.
#pragma once

#include "system/parker.hpp"

#include <atomic>
#include <cstdint>
#include <thread>

namespace sennit::detail {

class runtime_core;

// Watches from a thread of its own. Without memory or a thread for that, nobody watches.
class watchdog {
 public:
  // Called before the threads of a runtime with a watchdog start.
  static void prepare() noexcept;

  watchdog(runtime_core& watched, std::uint64_t period_ns) noexcept;
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  void serve() noexcept;

  runtime_core& core_;
  const std::uint64_t period_ns_;
  std::atomic<bool> stopping_{false};
  parker call_;
  std::thread thread_;
};

}  // namespace sennit::detail
