// SPDX-License-Identifier: Apache-2.0
// How items take turns in a stage that does one at a time. docs/protocols/pipelines.md has the protocol.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/pipeline/item.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace sennit::detail {

// A stage that does any number of items at a time.
class no_turns {
 public:
  explicit no_turns(std::size_t) noexcept {}
  static constexpr bool enter(pipeline_item&) noexcept { return true; }
  static constexpr pipeline_item* leave(std::uint64_t) noexcept { return nullptr; }
};

// A stage that does one item at a time, in the order of their numbers, which begin at 1. For each number the
// item and its turn meet in a place. Whichever of the two comes second goes on.
class turns_in_order {
 public:
  // `most_alive`: numbers of items that have not left the stage are less than that apart.
  explicit turns_in_order(std::size_t most_alive)
      : mask_(std::bit_ceil(most_alive) - 1), places_(new std::atomic<std::uintptr_t>[mask_ + 1]()) {
    place(1).store(turn, std::memory_order_relaxed);
  }

  // Returns false if it is not the item's turn. Then the item belongs to the strand that leaves the stage
  // next before it.
  bool enter(pipeline_item& next) noexcept {
    std::atomic<std::uintptr_t>& meeting = place(next.number);
    // ORD[D70] acquire: what the stage did before; pairs with the release in leave(). Model:
    // models/turns.pml.
    if (meeting.load(std::memory_order_acquire) != turn) {
      // ORD[D70] acq_rel: release publishes the item to leave(); acquire as above. Model: models/turns.pml.
      const std::uintptr_t met =
          meeting.exchange(reinterpret_cast<std::uintptr_t>(&next), std::memory_order_acq_rel);
      if (met != turn) return false;
    }
    meeting.store(0, std::memory_order_relaxed);
    return true;
  }

  // The item of this number leaves the stage. Returns the next item, if it has come; then the item is in the
  // stage.
  pipeline_item* leave(std::uint64_t number) noexcept {
    std::atomic<std::uintptr_t>& meeting = place(number + 1);
    // ORD[D70] acq_rel: release publishes what the stage did to enter(); acquire reads the item as enter()
    // left it. Model: models/turns.pml.
    const std::uintptr_t met = meeting.exchange(turn, std::memory_order_acq_rel);
    if (met == 0) return nullptr;
    meeting.store(0, std::memory_order_relaxed);
    return reinterpret_cast<pipeline_item*>(met);
  }

 private:
  static constexpr std::uintptr_t turn = 1;
  std::atomic<std::uintptr_t>& place(std::uint64_t number) const noexcept { return places_[number & mask_]; }

  const std::size_t mask_;
  const std::unique_ptr<std::atomic<std::uintptr_t>[]> places_;
};

// A stage that does one item at a time, about in the order in which they come.
class turns_as_they_come {
 public:
  explicit turns_as_they_come(std::size_t) noexcept {}

  // Returns false if the stage is busy. Then the item belongs to a strand that leaves the stage.
  bool enter(pipeline_item& next) noexcept {
    std::uintptr_t seen = latest_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uintptr_t put = seen == idle ? busy : reinterpret_cast<std::uintptr_t>(&next);
      next.next = seen == idle || seen == busy ? nullptr : reinterpret_cast<pipeline_item*>(seen);
      // ORD[D71] acq_rel: release publishes the item to leave(); acquire: what the stage did before; pairs
      // with the exchanges in leave(). Model: models/turns.pml.
      if (latest_.compare_exchange_weak(seen, put, std::memory_order_acq_rel, std::memory_order_relaxed))
        return put == busy;
    }
  }

  // An item leaves the stage. Returns the next one, if any has come; then the item is in the stage.
  pipeline_item* leave(std::uint64_t) noexcept {
    if (earlier_ == nullptr) {
      std::uintptr_t seen = busy;
      // ORD[D71] release: what the stage did; pairs with the acquire in enter(). Model: models/turns.pml.
      if (latest_.compare_exchange_strong(seen, idle, std::memory_order_release, std::memory_order_relaxed))
        return nullptr;
      // ORD[D71] acquire: the items as enter() left them. Model: models/turns.pml.
      auto* latest = reinterpret_cast<pipeline_item*>(latest_.exchange(busy, std::memory_order_acquire));
      while (latest != nullptr) {
        pipeline_item* const before = latest->next;
        latest->next = std::exchange(earlier_, latest);
        latest = before;
      }
    }
    return std::exchange(earlier_, earlier_->next);
  }

 private:
  static constexpr std::uintptr_t idle = 0;
  static constexpr std::uintptr_t busy = 1;
  // idle, busy, or the latest item that has come since the stage became busy.
  std::atomic<std::uintptr_t> latest_{idle};
  pipeline_item* earlier_ = nullptr;  // the items to be done first; only for the item that is in the stage
};

}  // namespace sennit::detail
