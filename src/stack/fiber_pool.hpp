// SPDX-License-Identifier: Apache-2.0
// Fibers that wait to be used again.
#pragma once

#include "stack/fiber.hpp"

#include <sennit/detail/assert.hpp>

#include <algorithm>

namespace sennit::detail {

class fiber_pool {
 public:
  explicit fiber_pool(unsigned capacity) noexcept : capacity_(capacity) {}
  fiber_pool(const fiber_pool&) = delete;
  fiber_pool& operator=(const fiber_pool&) = delete;
  ~fiber_pool() {
    while (fiber* const f = take()) delete f;
  }

  // The one put in last, whose stack is warm; null if there is none.
  fiber* take() noexcept {
    fiber* const taken = first_;
    SENNIT_ASSERT((taken == nullptr) == (count_ == 0));
    if (taken != nullptr) {
      first_ = taken->next;
      --count_;
      fewest_ = std::min(fewest_, count_);
    }
    return taken;
  }

  // False if the pool is full.
  bool put(fiber& f) noexcept {
    SENNIT_ASSERT(first_ != &f);
    if (count_ == capacity_) return false;
    f.next = first_;
    first_ = &f;
    ++count_;
    return true;
  }

  unsigned count() const noexcept { return count_; }
  // The smallest number of fibers that were here at once since count_anew(): so many have not been needed.
  unsigned fewest() const noexcept { return fewest_; }
  void count_anew() noexcept { fewest_ = count_; }

  // Gives back the memory that the fibers do not need while they wait.
  void trim() const noexcept {
    for (const fiber* f = first_; f != nullptr; f = f->next) f->trim();
  }

 private:
  const unsigned capacity_;
  unsigned count_ = 0;
  unsigned fewest_ = 0;
  fiber* first_ = nullptr;
};

}  // namespace sennit::detail
