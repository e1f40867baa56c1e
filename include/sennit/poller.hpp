// SPDX-License-Identifier: Apache-2.0
// poller: events that do not tell anybody that they have come, so that somebody has to look.
#pragma once

#include <sennit/detail/config.hpp>

#include <string>

namespace sennit {

// While events are awaited, idle workers of all runtimes poll; one of them at a time, and one goes on when all others sleep. If
// all workers are busy, a thread of the library polls each millisecond. While none is awaited, nothing costs anything.
//
// A class that derives from it calls begin() when it can be polled, and end() before it cannot. Polls may come
// from any thread, one after the other.
//
// Example:
//   #include <sennit/event.hpp>
//
//   #include <atomic>
//
//   class flag_poller final : public sennit::poller {
//    public:
//     explicit flag_poller(const std::atomic<bool>& flag) : flag_(flag) {
//       begin();
//       await_more();
//     }
//     ~flag_poller() { end(); }
//     void wait() { is_set_.wait(); }
//
//    private:
//     unsigned poll() noexcept override {
//       if (is_set_.is_set() || !flag_.load(std::memory_order_acquire)) return 0;
//       await_fewer();
//       is_set_.set();
//       return 1;
//     }
//     const std::atomic<bool>& flag_;
//     sennit::event is_set_;
//   };
class SENNIT_EXPORT poller {
 public:
  poller(const poller&) = delete;
  poller& operator=(const poller&) = delete;

 protected:
  poller() noexcept = default;
  ~poller() = default;

  // Throws std::runtime_error if the system gives no thread for times when all workers are busy.
  void begin();
  // Returns when nobody polls any more. Precondition: no event is awaited.
  void end() noexcept;

  // So many more events are awaited, or fewer. Any thread may call them; polls may already be under way.
  static void await_more(unsigned events = 1) noexcept;
  static void await_fewer(unsigned events = 1) noexcept;
  // Polls now, unless another thread does. Returns how many events have come.
  static unsigned poll_now() noexcept;

 private:
  friend struct polling;
  // Looks for events, and returns how many have come. It blocks nobody for long, and takes no lock that a thread holds while
  // that thread waits for an event.
  virtual unsigned poll() noexcept = 0;
  // What is awaited, a line for each, for the report of the watchdog (SENNIT_WATCHDOG).
  virtual std::string awaited_lines() { return {}; }

  poller* next_ = nullptr;
};

}  // namespace sennit
