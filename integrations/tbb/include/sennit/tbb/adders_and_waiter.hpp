// SPDX-License-Identifier: Apache-2.0
// Who adds to a group, and whether somebody waits for it: not both at a time.
#pragma once

#include <sennit/blocking.hpp>

#include <atomic>

namespace tbb {
namespace on_sennit {

// One word, so that its changes have an order. docs/protocols/join.md has the rules.
class adders_and_waiter {
 public:
  // --- Who adds.

  // False: somebody waits.
  bool enter() {
    if ((word_.load(std::memory_order_relaxed) & waited) != 0) return false;
    // ORD[D80] acquire: the end of the last wait, before what is added now; pairs with the releases in try_end() and end().
    if ((word_.fetch_add(one_adds, std::memory_order_acquire) & waited) == 0) [[likely]]
      return true;
    leave();
    return false;
  }
  void leave() {
    // ORD[D80] release: what was added; pairs with the acquire in begin(). Whoever waits may end the group then.
    if ((word_.fetch_sub(one_adds, std::memory_order_release) & waited) != 0) word_.notify_all();
  }
  // Who ends a wait has to look at what is under the lock. Whether somebody waits.
  bool mark_unusual() { return (word_.fetch_or(unusual, std::memory_order_relaxed) & waited) != 0; }

  // --- Who waits. Strands may do so one after the other.

  void begin() {
    unsigned now = word_.load(std::memory_order_relaxed);
    for (;;) {
      if ((now & waited) == 0) {
        // ORD[D80] acquire: the end of the last wait; pairs with the releases in try_end() and end().
        if (word_.compare_exchange_weak(now, now | waited, std::memory_order_acquire,
                                        std::memory_order_relaxed))
          break;
      } else if ((now & unusual) != 0 ||
                 word_.compare_exchange_weak(now, now | unusual, std::memory_order_relaxed)) {
        now |= unusual;
        now = after(now);
      }
    }
    // ORD[D80] acquire: what was added before; pairs with the release in leave().
    while ((now = word_.load(std::memory_order_acquire)) >= one_adds) (void)after(now);
  }
  bool is_unusual() const { return (word_.load(std::memory_order_relaxed) & unusual) != 0; }
  // False: somebody adds, or something is unusual.
  bool may_end() const { return word_.load(std::memory_order_relaxed) == waited; }
  bool try_end() {
    unsigned now = waited;
    // ORD[D80] release: the end of the wait; pairs with the acquires in enter() and begin().
    return word_.compare_exchange_strong(now, 0, std::memory_order_release, std::memory_order_relaxed);
  }
  void end() {
    // ORD[D80] release: as in try_end().
    word_.fetch_and(~(waited | unusual), std::memory_order_release);
    word_.notify_all();
  }

 private:
  static constexpr unsigned waited = 1;  // somebody waits
  static constexpr unsigned unusual = 2;
  static constexpr unsigned one_adds = 4;  // of which there are so many above

  // Waits for another one.
  unsigned after(unsigned now) {
    sennit::blocking([&] { word_.wait(now, std::memory_order_relaxed); });
    return word_.load(std::memory_order_relaxed);
  }

  std::atomic<unsigned> word_{0};
};

}  // namespace on_sennit
}  // namespace tbb
