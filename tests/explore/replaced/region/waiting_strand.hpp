// SPDX-License-Identifier: Apache-2.0
// In place of the library's header: a strand that waits stays on its worker.
#pragma once

#include "explorer.hpp"

#include <atomic>

namespace sennit::detail {

class waiting_strand {
 public:
  void wait() noexcept {
    explore::wait_until([this] { return goes_on_.load(std::memory_order_acquire); });
  }
  void go_on() noexcept {
    explore::check(made_, "the strand is as it waits");
    goes_on_.store(true, std::memory_order_release);
  }

 private:
  bool made_ = true;
  std::atomic<bool> goes_on_{false};
};

}  // namespace sennit::detail
