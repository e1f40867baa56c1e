// SPDX-License-Identifier: Apache-2.0
// What the watchdog asks of a deque's owner, and the clock of a trace: a sign that its strand goes on.
#pragma once

#include "deque/gates.hpp"

#include <cstdint>

namespace sennit::detail {

// Under the lock of the deque.
class sign_request {
 public:
  void ask() noexcept { pending_ = true; }
  // The owner has met the gate.
  void met() noexcept {
    if (pending_) ++signs_;
    pending_ = false;
  }
  // How often it was answered.
  std::uint64_t signs() const noexcept { return signs_; }
  unsigned reasons() const noexcept { return pending_ ? unsigned{sign_wanted} : 0U; }

 private:
  bool pending_ = false;
  std::uint64_t signs_ = 0;
};

}  // namespace sennit::detail
