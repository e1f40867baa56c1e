// event: what a strand waits for and no strand brings, such as a message or a device.
#pragma once

#include <sennit/detail/config.hpp>

#include <atomic>

namespace sennit {

namespace detail {
class waiting_strand;
}

// Comes once. One strand or thread may wait for it, and blocks no worker meanwhile: its worker does something else.
//
// Thread-safety: any thread may call come() and has_come(), one calls wait(). Preconditions: come() is called once at
// most; wait() at most once. The event may end when wait() has returned, though come() has not yet. A wait is not ended by the
// cancellation of its region: who makes the event come sees to that. Cost: that of a load if the event has come, otherwise two
// switches of stacks.
//
// Example:
//   #include <thread>
//
//   void wait_for_a_thread() {
//     sennit::event done;
//     std::thread device([&] { done.come(); });
//     done.wait();
//     device.join();
//   }
class SENNIT_EXPORT event {
 public:
  event() noexcept = default;
  event(const event&) = delete;  // a strand that waits refers to it
  event& operator=(const event&) = delete;
  ~event() = default;

  // Returns after come() was called, and then knows all that happened before that call. Outside any runtime, throws what
  // runtime::default_runtime() throws.
  void wait();
  void come() noexcept;
  bool has_come() const noexcept;

 private:
  void wait_in_strand() noexcept;

  // The strand that waits, if one does.
  std::atomic<detail::waiting_strand*> waits_{nullptr};
};

}  // namespace sennit
