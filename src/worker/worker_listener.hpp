// SPDX-License-Identifier: Apache-2.0
// Somebody who follows which threads are at work in a runtime.
#pragma once

#include <sys/types.h>

namespace sennit::detail {

// Its members are called under the runtime's lock of members, by any thread. Both may be called again for a
// thread that is there, or not there, already.
class worker_listener {
 public:
  // The thread is a worker of the runtime, and awake.
  virtual void comes(pid_t thread) noexcept = 0;
  // It sleeps, or is no worker any more.
  virtual void rests(pid_t thread) noexcept = 0;
  // All threads of the runtime have gone. The runtime must not be named any more.
  virtual void runtime_ends() noexcept = 0;

  worker_listener* next_listener = nullptr;

 protected:
  ~worker_listener() = default;
};

}  // namespace sennit::detail
