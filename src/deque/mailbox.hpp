// SPDX-License-Identifier: Apache-2.0
// Where an idle worker is handed a frame without having to look for it.
#pragma once

#include <sennit/detail/assert.hpp>
#include <sennit/detail/fork/frame.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {

// A mailbox holds one posted frame at most. It is open while its worker is idle. To close it is to take what is in it, so
// nothing is left behind.
class mailbox {
 public:
  // --- By the worker.
  void open() noexcept {
    // What was posted would be lost.
    SENNIT_ASSERT(content_.load(std::memory_order_relaxed) == closed);
    content_.store(empty, std::memory_order_relaxed);
  }
  bool has_frame() const noexcept { return content_.load(std::memory_order_relaxed) > closed; }
  // The frame and its state come from another processor; so both come at once. A hint.
  void prefetch() const noexcept {
    const std::byte* const state = state_.load(std::memory_order_relaxed);
    if (state == nullptr) return;  // it comes later than the frame
    __builtin_prefetch(state);
    __builtin_prefetch(state + sizeof(stolen_state) / 2);
    __builtin_prefetch(state + sizeof(stolen_state) - 1);
  }
  // Who has posted last, or has tried to: a hint.
  unsigned from() const noexcept { return from_.load(std::memory_order_relaxed); }
  // Null if it was empty.
  frame* close() noexcept {
    // ORD[D19] acquire: the frame and all that its branch reads; pairs with the release in post(). Model:
    // models/mailbox.pml.
    const std::uintptr_t content = content_.exchange(closed, std::memory_order_acquire);
    return content > closed ? reinterpret_cast<frame*>(content) : nullptr;
  }

  // --- By others.
  // A hint.
  bool awaits() const noexcept { return content_.load(std::memory_order_relaxed) == empty; }
  // False: it is closed, or full.
  bool post(frame& posted, unsigned from = 0) noexcept {
    std::uintptr_t expected = empty;
    from_.store(from, std::memory_order_relaxed);
    state_.store(reinterpret_cast<const std::byte*>(posted.state()), std::memory_order_relaxed);
    // ORD[D19] release: the frame; pairs with the acquire in close(). Model: models/mailbox.pml.
    return content_.compare_exchange_strong(expected, reinterpret_cast<std::uintptr_t>(&posted),
                                            std::memory_order_release, std::memory_order_relaxed);
  }
  // The thread that posted the frame calls it. True: the frame had not been taken, and will not be.
  bool withdraw(frame& posted) noexcept {
    auto expected = reinterpret_cast<std::uintptr_t>(&posted);
    return content_.compare_exchange_strong(expected, empty, std::memory_order_relaxed,
                                            std::memory_order_relaxed);
  }

 private:
  enum : std::uintptr_t { empty, closed };
  std::atomic<std::uintptr_t> content_{closed};
  std::atomic<unsigned> from_{0};
  std::atomic<const std::byte*> state_{nullptr};  // of the frame that was posted, or was to be posted
};

}  // namespace sennit::detail
