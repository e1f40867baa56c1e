// SPDX-License-Identifier: Apache-2.0
// How the last of several branches that ran elsewhere finds the strand that waits for them.
#pragma once

#include <sennit/detail/assert.hpp>

#include <atomic>
#include <cstdint>

namespace sennit::detail {

class fiber;

// Counts finished branches down from zero; the waiter adds how many it waits for. The one that brings the
// balance to zero is last: a finisher then resumes the waiter, a waiter goes on at once. See
// docs/protocols/join.md.
class completion {
 public:
  completion() noexcept = default;
  // So many finishes will come, and the waiter makes one of them: it awaits -1 others.
  explicit completion(std::intptr_t expected) noexcept : balance_(expected) {}

  // Says that one branch has finished; all it wrote is visible to the waiter.
  // Returns the fiber to resume, if this was the last branch and the waiter is parked.
  // Otherwise the call is the last access to *this: the waiter may end it.
  fiber* finish() noexcept {
    // ORD[D3] acq_rel: release publishes the branch's outcome to await() and done(); acquire reads waiter_ as
    // await() wrote it, and the outcomes of the other branches. Model: models/join.pml.
    const bool last = balance_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    SENNIT_ASSERT(!last || waiter_ != nullptr);
    return last ? waiter_ : nullptr;
  }

  // One more finish will come. The caller has a finish to make, too, so the balance is above zero.
  void expect() noexcept { balance_.fetch_add(1, std::memory_order_relaxed); }

  // Declares that `waiter`, whose context has been saved, waits for `branches` finishes.
  // True if they have all come.
  bool await(std::intptr_t branches, fiber& waiter) noexcept {
    SENNIT_ASSERT(waiter_ == nullptr);  // one waiter at a time
    waiter_ = &waiter;
    // ORD[D4] acq_rel: release publishes waiter_ and the saved context to the finisher; acquire as in done().
    // Model: models/join.pml.
    return balance_.fetch_add(branches, std::memory_order_acq_rel) == -branches;
  }

  // After a wait for so many, of which `held` were the waiter's own: as completion(held).
  void again(std::intptr_t branches, std::intptr_t held) noexcept {
    const bool awaited = waiter_ != nullptr;
    waiter_ = nullptr;
    balance_.fetch_add(awaited ? held : branches + held, std::memory_order_relaxed);
  }

  // Whether `branches` have finished, nobody having declared that it waits.
  [[nodiscard]] bool done(std::intptr_t branches) const noexcept {
    // ORD[D3] acquire: the finishers' outcomes; pairs with the release in finish(). Model: models/join.pml.
    return balance_.load(std::memory_order_acquire) == -branches;
  }

 private:
  std::atomic<std::intptr_t> balance_{0};
  fiber* waiter_{nullptr};
};

}  // namespace sennit::detail
