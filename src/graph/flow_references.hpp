// SPDX-License-Identifier: Apache-2.0
// Tasks of a task flow, as its records remember them.
#pragma once

#include <sennit/detail/graph/flow_task.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace sennit::detail {

// A task, as long as its place has not been given to another one.
struct flow_reference {
  flow_task* task = nullptr;
  std::uint64_t number = 0;

  // ORD[D24] acquire: what the task did, for the one that need not wait for it; pairs with the end of a task in run().
  bool is_finished() const noexcept {
    return task->successors.load(std::memory_order_acquire) == flow_task::finished() ||
           task->number != number;
  }
};

// A list of two words, so that what most uses of a record need is one line of the cache.
class flow_references {
 public:
  std::uint32_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  flow_reference* begin() const noexcept { return all_.get(); }
  flow_reference* end() const noexcept { return all_.get() + size_; }
  // `forgets`: those that have finished need not be kept.
  SENNIT_INLINE void add(const flow_reference& one, bool forgets) {
    if (size_ == room_) [[unlikely]]
      make_room(forgets);
    all_[size_++] = one;
  }
  void clear() noexcept { size_ = 0; }
  void shrink_to(std::uint32_t size) noexcept { size_ = size; }
  void forget_finished() noexcept {
    const flow_reference* const left =
        std::remove_if(begin(), end(), [](const flow_reference& r) { return r.is_finished(); });
    size_ = static_cast<std::uint32_t>(left - begin());
  }
  void swap(flow_references& other) noexcept {
    all_.swap(other.all_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

 private:
  // A long list is rid of those that have finished before it grows.
  SENNIT_COLD void make_room(bool forgets) {
    if (forgets && room_ >= 16) forget_finished();
    if (size_ < room_ - room_ / 2) return;
    const std::uint32_t room = room_ == 0 ? 4 : std::max<std::uint32_t>(16, 2 * room_);
    std::unique_ptr<flow_reference[]> all(new flow_reference[room]);
    std::copy(begin(), end(), all.get());
    all_ = std::move(all);
    room_ = room;
  }

  std::unique_ptr<flow_reference[]> all_;
  std::uint32_t size_ = 0;
  std::uint32_t room_ = 0;
};

}  // namespace sennit::detail
