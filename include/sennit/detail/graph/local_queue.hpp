// SPDX-License-Identifier: Apache-2.0
// The items that a strand of a work pool still has to do. Thieves take the older half of them while the strand is busy
// with an item. docs/protocols/graphs.md, "Local queues".
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/divisible.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// Memory for items. It is freed by the last of those who share it.
class SENNIT_EXPORT item_block {
 public:
  // Throws std::bad_alloc.
  static item_block* make(std::size_t room, std::size_t bytes_of_item);
  // Null: there is no memory.
  static item_block* make_or_null(std::size_t room, std::size_t bytes_of_item) noexcept;
  item_block(const item_block&) = delete;
  item_block& operator=(const item_block&) = delete;

  std::int64_t room() const noexcept { return room_; }
  template <class Item>
  Item* items() noexcept {
    static_assert(std::is_trivially_copyable_v<Item> && alignof(Item) <= alignof(item_block));
    return reinterpret_cast<Item*>(this + 1);
  }
  void share() noexcept { users_.fetch_add(1, std::memory_order_relaxed); }
  SENNIT_COLD void let_go() noexcept;

 private:
  explicit item_block(std::size_t room) noexcept : room_(static_cast<std::int64_t>(room)) {}
  ~item_block() = default;

  const std::int64_t room_;
  alignas(16) std::atomic<std::uint32_t> users_{1};
};

// Items that somebody else may do: a range of a block.
struct item_range {
  item_block* block = nullptr;
  std::int64_t first = 0;
  std::int64_t last = 0;

  std::size_t size() const noexcept { return static_cast<std::size_t>(last - first); }
};

class work_pool_state;

// A part of a local queue, for another strand.
class SENNIT_EXPORT queue_part : public frame_with_state {
 public:
  queue_part(work_pool_state& whole, entry begin, const item_range& range) noexcept
      : frame_with_state(begin), whole_(whole), range_(range) {}

  // From memory that the thread had before: parts are made under the lock of a deque. Null: there is none.
  static queue_part* make_at_hand(work_pool_state& whole, entry run, const item_range& range) noexcept;
  // The caller does not use the part any more. The last of two frees it: who runs it, and the strand that split it off.
  SENNIT_COLD void let_go() noexcept;

  work_pool_state& whole() noexcept { return whole_; }
  const item_range& range() const noexcept { return range_; }

 private:
  friend class queue_positions;
  ~queue_part() {
    if (range_.block != nullptr) range_.block->let_go();
  }

  work_pool_state& whole_;
  const item_range range_;
  queue_part* split_off_before_ = nullptr;
  std::atomic<std::uint8_t> users_{1};
};

// Where the items of a local queue are. The queue is in the deque of its strand's worker from its first item on, until
// thieves have left nothing.
class SENNIT_EXPORT queue_positions : public divisible {
 public:
  // --- The strand.
  bool empty() const noexcept { return size() == 0; }
  // A hint: thieves may take some meanwhile.
  std::size_t size() const noexcept {
    const std::int64_t left = own_.load(std::memory_order_relaxed) - head_.load(std::memory_order_relaxed);
    return left > 0 ? static_cast<std::size_t>(left) : 0;
  }
  // How many items have been added since publish(). Items added after this position must be taken in the order in
  // which they were added.
  using position = std::int64_t;
  position mark() const noexcept {
    return own_.load(std::memory_order_relaxed) - tail_.load(std::memory_order_relaxed);
  }
  // Lets others have the items that were added. Returns true if the strand must look who wants something, or put the
  // queue where others find it.
  SENNIT_INLINE bool publish() noexcept {
    const std::int64_t own = own_.load(std::memory_order_relaxed);
    // ORD[D51] release: the items; pairs with the acquire in take_part(). No fence between this store and the loads of
    // limit and room_, which come in this order: the thief that shut the gate pays for it (deque::claim_frozen()).
    tail_.store(own, std::memory_order_release);
    return any_gate_shut() || own > room_.load(std::memory_order_relaxed);
  }
  // Whether others cannot find the queue although there are items.
  bool is_hidden() const noexcept {
    return own_.load(std::memory_order_relaxed) > room_.load(std::memory_order_relaxed);
  }
  // The workers that the items are for, as the colors of frames. Before the first item.
  void is_for(color_set workers) noexcept { colors_ = workers; }
  // Puts the queue in the deque, if that can be done.
  SENNIT_COLD void expose() noexcept;
  // Drops all items. Others find nothing any more.
  SENNIT_COLD void abandon() noexcept;
  // The queue leaves the deque for good.
  SENNIT_COLD void retire() noexcept;
  // The latest of the parts that the strand has split off and nobody has taken; null: there is none. Its items are the
  // caller's.
  SENNIT_INLINE queue_part* take_back() noexcept {
    return split_off_ == nullptr ? nullptr : take_split_off();
  }

  // Claims the latest item: false if there is none, or if somebody wants something of the strand. claim_slowly() then
  // says whether there is one.
  SENNIT_INLINE bool claim() noexcept {
    const std::int64_t own = own_.load(std::memory_order_relaxed) - 1;
    own_.store(own, std::memory_order_relaxed);
    // ORD[D51] A plain store, before any_gate_shut() reads limit, with no fence between: as in publish(). release: the
    // older items, as in publish().
    tail_.store(own, std::memory_order_release);
    return !any_gate_shut() && own >= gate_.load(std::memory_order_relaxed);
  }
  [[gnu::noinline]] bool claim_slowly() noexcept;

 protected:
  queue_positions(divided_work& whole, std::size_t bytes_of_item) noexcept
      : divisible(whole), bytes_of_item_(bytes_of_item) {}
  ~queue_positions();

  bool is_full() const noexcept {
    return block_ == nullptr || own_.load(std::memory_order_relaxed) >= block_->room();
  }
  // Makes room for more items. Throws std::bad_alloc.
  SENNIT_COLD void enlarge();
  // Makes room for another item, and puts the queue in the deque if it is not there. Returns the end of the items. Throws
  // std::bad_alloc.
  [[gnu::noinline]] std::int64_t make_room();

  // Written by the strand. Positions grow with the items; -1: a claim that finds nothing.
  std::atomic<std::int64_t> own_{0};   // the end of the items
  std::atomic<std::int64_t> tail_{0};  // the end of those that were published
  item_block* block_ = nullptr;
  // Written under the lock of the deque. Read by the strand without it.
  std::atomic<std::int64_t> gate_{0};  // head_, or beyond all items in the fence variant
  std::atomic<std::int64_t> room_{
      0};  // the end of the block; while the queue is not in the deque, or in the fence
           // variant, no more than the end of the items
  std::atomic<std::int64_t> head_{0};

 private:
  friend class work_pool_state;
  static taken_part take_part(divisible& work, parting how) noexcept;
  static bool exhausted(const divisible& work) noexcept;
  SENNIT_COLD queue_part* take_split_off() noexcept;
  void left_deque(std::int64_t head) noexcept;
  void keep(queue_part& part) noexcept;

  const std::size_t bytes_of_item_;
  color_set colors_ = all_colors;
  queue_part* split_off_ = nullptr;  // by the strand, latest first
  unsigned parts_kept_ = 0;
  bool in_deque_ = false;  // under its lock
  bool was_in_deque_ = false;
  bool fenced_ = false;
};

// The latest item first.
template <class Item>
class local_queue : public queue_positions {
 public:
  explicit local_queue(divided_work& whole) noexcept : queue_positions(whole, sizeof(Item)) {}

  // Throws std::bad_alloc. Others can have the item after publish().
  SENNIT_INLINE void add(Item item) {
    std::int64_t own = own_.load(std::memory_order_relaxed);
    if (own >= room_.load(std::memory_order_relaxed)) [[unlikely]]
      own = make_room();
    block_->items<Item>()[own] = item;
    own_.store(own + 1, std::memory_order_relaxed);
  }
  // The same while the strand is in an item, where younger frames may be in the deque: the queue is not put there now. If
  // it is there, others can have the item at once.
  void add_within(Item item) {
    if (is_full()) enlarge();
    const std::int64_t own = own_.load(std::memory_order_relaxed);
    block_->items<Item>()[own] = item;
    own_.store(own + 1, std::memory_order_relaxed);
    // ORD[D51] release: the item, as in publish().
    tail_.store(own + 1, std::memory_order_release);
  }
  void add_all(const Item* items, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) add(items[i]);
  }
  void add_all(const item_range& range) {
    if (range.block != nullptr) add_all(range.block->items<Item>() + range.first, range.size());
  }
  // Claims the latest item, for take().
  SENNIT_INLINE bool next() noexcept { return claim() || claim_slowly(); }
  // The item that was claimed.
  SENNIT_INLINE Item take() noexcept { return block_->items<Item>()[own_.load(std::memory_order_relaxed)]; }
  // Precondition: nothing has been published since the mark.
  void reverse_since(position mark) noexcept {
    Item* const items = block_->items<Item>();
    std::reverse(items + tail_.load(std::memory_order_relaxed) + mark,
                 items + own_.load(std::memory_order_relaxed));
  }
};

}  // namespace sennit::detail
