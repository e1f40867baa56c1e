// SPDX-License-Identifier: Apache-2.0
// Items of work that are within limits: none begins before it has its permits. docs/protocols/graphs.md, "Limits".
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/work_pool_state.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace sennit {
class limit;
}

namespace sennit::detail {

class fiber;
class frame;

// The limits of the item that a strand has, and how many of them it has entered.
class SENNIT_EXPORT item_limits {
 public:
  // Null pointers are no limits. Throws std::bad_alloc.
  void set(std::span<limit* const> given);
  bool empty() const noexcept { return all_.empty(); }

 private:
  friend class limited_work;
  std::vector<limit*> all_;  // each once, in the order in which they were made
  std::size_t entered_ = 0;
};

// An item that was admitted has a permit that others may wait for. So it must not lie in a queue of a strand that waits
// itself: it goes on at once, on the strand that gave it the permit, or in a branch of its own.
class SENNIT_EXPORT limited_work {
 public:
  class waiting_item;

  limited_work() noexcept;
  limited_work(const limited_work&) = delete;
  limited_work& operator=(const limited_work&) = delete;

  // Returns true if the item has all permits now. Otherwise it goes on later, and `of` is empty. By a strand of the work.
  // Throws std::bad_alloc; the item then has none.
  bool enter(std::uint64_t item, item_limits& of);
  // Gives the permits back. Returns an item that the calling strand has to take(); null if there is none.
  waiting_item* leave(item_limits& of) noexcept;
  // The same for an item that does not run, or has failed. Nobody goes on in the calling strand.
  void drop(item_limits& of) noexcept;
  // The item that was admitted. Its permits are in `limits` from now on, and the next enter() asks for the others.
  std::uint64_t take(waiting_item& admitted, item_limits& limits) noexcept;
  // No item that waits shall go on. Any strand of the work may call it, any number of times.
  void stop() noexcept;

 protected:
  ~limited_work();
  // Nobody is told of a cancellation any more. Called first where the work ends, as telling calls what it has.
  void end() noexcept;

 private:
  class cancellation;
  friend class cancellation;

  // --- What the work has for it.
  // One more waits, or one does not any more. By a strand that is counted itself.
  virtual void begin_to_wait() noexcept = 0;
  virtual void end_to_wait() noexcept = 0;
  // The same for whoever cancels the region. Returns false if the work is over.
  virtual bool join() noexcept = 0;
  // The work has to end: its region was cancelled.
  virtual void end_early() noexcept = 0;
  // Runs the item and what follows from it.
  virtual void go_on(waiting_item& admitted) noexcept = 0;
  // What was counted by begin_to_wait() or join() ended in a branch. Returns the fiber that waits for it.
  virtual fiber* end_branch(frame& branch) noexcept = 0;

  waiting_item& make_waiting(std::uint64_t item, const item_limits& of);
  void remove(waiting_item& w) noexcept;
  void withdraw(waiting_item& w) noexcept;

  std::mutex lock_;
  waiting_item* first_ = nullptr;            // of those that wait, or have just been admitted; under lock_
  std::unique_ptr<cancellation> cancelled_;  // likewise; since the first that waited
  std::atomic<bool> stopped_{false};
};

// Items of a work pool. They count as strands of the pool.
class SENNIT_EXPORT limited_in_pool : public limited_work {
 public:
  explicit limited_in_pool(work_pool_state& pool) noexcept : pool_(pool) {}

 protected:
  ~limited_in_pool() = default;

  void begin_to_wait() noexcept final;
  fiber* end_branch(frame& branch) noexcept final;

 private:
  void end_to_wait() noexcept final;
  bool join() noexcept final;
  void end_early() noexcept override;

  work_pool_state& pool_;
};

}  // namespace sennit::detail
