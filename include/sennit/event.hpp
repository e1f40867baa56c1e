// SPDX-License-Identifier: Apache-2.0
// event: what a strand waits for and no strand brings, such as a message or a device.
#pragma once

#include <sennit/detail/config.hpp>

#include <atomic>

namespace sennit {

namespace detail {
class waiting_strand;
}

// Is set once. One strand or thread may wait for it, and blocks no worker meanwhile: its worker does something else.
//
// Thread-safety: any thread may call set() and is_set(), one calls wait(). Preconditions: set() is called once at
// most; wait() at most once. The event may end when wait() has returned, though set() has not yet. A wait is not ended by the
// cancellation of its region: who sets the event sees to that. Cost: that of a load if the event is set, otherwise two
// switches of stacks.
//
// Example:
//   #include <thread>
//
//   void wait_for_a_thread() {
//     sennit::event done;
//     std::thread device([&] { done.set(); });
//     done.wait();
//     device.join();
//   }
class SENNIT_EXPORT event {
 public:
  event() noexcept = default;
  event(const event&) = delete;  // a strand that waits refers to it
  event& operator=(const event&) = delete;
  ~event() = default;

  // Returns after set() was called, and then knows all that happened before that call. Outside any runtime, throws what
  // runtime::default_runtime() throws.
  void wait();
  void set() noexcept;
  bool is_set() const noexcept;

 private:
  void wait_in_strand() noexcept;

  // The strand that waits, if one does.
  std::atomic<detail::waiting_strand*> waits_{nullptr};
};

}  // namespace sennit
