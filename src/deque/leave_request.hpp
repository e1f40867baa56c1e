// SPDX-License-Identifier: Apache-2.0
// What a worker that is ordered to leave asks of the strand that runs here: to go on elsewhere.
#pragma once

#include "deque/gates.hpp"

namespace sennit::detail {

// Under the lock of the deque.
class leave_request {
 public:
  void ask() noexcept { pending_ = true; }
  // The owner has met the gate. A strand is handed over only where its latest push has room: until then it
  // must be asked again.
  void met(bool room) noexcept { pending_ = pending_ && !room; }
  unsigned reasons() const noexcept { return pending_ ? unsigned{leave_wanted} : 0U; }

 private:
  bool pending_ = false;
};

}  // namespace sennit::detail
