// SPDX-License-Identifier: Apache-2.0
#include "fork/answer.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/assert.hpp>
#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/graph/work_pool.hpp>

#include <cstring>
#include <mutex>
#include <new>
#include <utility>

namespace sennit::detail {

namespace {

constexpr std::size_t least_room = 32;
constexpr std::int64_t beyond_all = std::numeric_limits<std::int64_t>::max();

char* bytes_of(item_block& block) noexcept { return block.items<char>(); }

}  // namespace

item_block* item_block::make(std::size_t room, std::size_t bytes_of_item) {
  return ::new (::operator new(sizeof(item_block) + room * bytes_of_item)) item_block(room);
}

item_block* item_block::make_or_null(std::size_t room, std::size_t bytes_of_item) noexcept {
  void* const memory = ::operator new(sizeof(item_block) + room * bytes_of_item, std::nothrow);
  return memory != nullptr ? ::new (memory) item_block(room) : nullptr;
}

void item_block::let_go() noexcept {
  // ORD[D51] acq_rel: release: the caller has read its items; acquire, in the last one: all have.
  if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) ::operator delete(this);
}

queue_part* queue_part::make_at_hand(work_pool_state& whole, entry run, const item_range& range) noexcept {
  void* const room = worker::current()->at_hand().take(sizeof(queue_part));
  if (room == nullptr) return nullptr;
  range.block->share();
  return ::new (room) queue_part(whole, run, range);
}

void queue_part::let_go() noexcept {
  // ORD[D51] acq_rel: release: the caller has done with the part; acquire, in the last one: both have.
  if (users_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  this->~queue_part();
  // Without a size: memory at hand is larger than a part.
  ::operator delete(static_cast<void*>(this));
}

queue_positions::~queue_positions() {
  SENNIT_ASSERT(split_off_ == nullptr);
  if (block_ != nullptr) block_->let_go();
}

std::int64_t queue_positions::make_room() {
  if (is_full()) enlarge();
  expose();
  return own_.load(std::memory_order_relaxed);
}

// Moves the items to the beginning of a larger block, or of another one if thieves have left few.
void queue_positions::enlarge() {
  const std::size_t before = block_ != nullptr ? static_cast<std::size_t>(block_->room()) : least_room / 2;
  const std::size_t room = 2 * size() > before || block_ == nullptr ? 2 * before : before;
  item_block* fresh = item_block::make(room, bytes_of_item_);
  {
    const std::lock_guard guard(worker::current()->frames().lock());
    const std::int64_t head = head_.load(std::memory_order_relaxed);
    const std::int64_t own = own_.load(std::memory_order_relaxed);
    if (block_ != nullptr) {
      std::memcpy(bytes_of(*fresh), bytes_of(*block_) + static_cast<std::size_t>(head) * bytes_of_item_,
                  static_cast<std::size_t>(own - head) * bytes_of_item_);
    }
    own_.store(own - head, std::memory_order_relaxed);
    // Thieves read it, and find the items in another place, under the lock.
    tail_.store(tail_.load(std::memory_order_relaxed) - head, std::memory_order_relaxed);
    head_.store(0, std::memory_order_relaxed);
    if (!fenced_) gate_.store(0, std::memory_order_relaxed);
    room_.store(in_deque_ && !fenced_ ? fresh->room() : 0, std::memory_order_relaxed);
    std::swap(block_, fresh);
  }
  if (fresh != nullptr) fresh->let_go();
}

void queue_positions::expose() noexcept {
  // In an observed region, what is done where would depend on who happens to wait.
  if (current_tls().cursor != nullptr) return room_.store(block_->room(), std::memory_order_relaxed);
  worker& w = *worker::current();
  const std::lock_guard guard(w.frames().lock());
  fenced_ = w.core().barrier() == steal_barrier::fence;
  if (fenced_) gate_.store(beyond_all, std::memory_order_relaxed);
  if (in_deque_) return;
  if (!w.frames().admit(*this, colors_, was_in_deque_)) return;
  in_deque_ = true;
  was_in_deque_ = true;
  if (!fenced_) room_.store(block_->room(), std::memory_order_relaxed);
}

bool queue_positions::claim_slowly() noexcept {
  // Through the lock: a thief that has not seen the claim has taken its part, and others take theirs below the claim.
  const std::lock_guard guard(worker::current()->frames().lock());
  const std::int64_t head = head_.load(std::memory_order_relaxed);
  if (own_.load(std::memory_order_relaxed) >= head) return true;
  own_.store(head, std::memory_order_relaxed);
  tail_.store(head, std::memory_order_relaxed);
  return false;
}

void queue_positions::abandon() noexcept {
  // A thief that has not seen this yet takes a part, and drops it itself.
  own_.store(-1, std::memory_order_relaxed);
  tail_.store(-1, std::memory_order_relaxed);
}

void queue_positions::retire() noexcept {
  if (!was_in_deque_) return;
  slot* const tail = load_tail() - 1;
  store_tail(tail);
  if (pop_gate_shut(tail)) {
    (void)take_newest(*worker::current());
  } else {
    acquire_pop_gate();
  }
}

queue_part* queue_positions::take_split_off() noexcept {
  while (split_off_ != nullptr) {
    queue_part& part = *std::exchange(split_off_, split_off_->split_off_before_);
    --parts_kept_;
    if (listed_frames::reclaim(part)) {
      // Nobody runs it.
      part.users_.store(1, std::memory_order_relaxed);
      return &part;
    }
    part.let_go();
  }
  return nullptr;
}

taken_part queue_positions::take_part(divisible& work, parting how) noexcept {
  auto& queue = static_cast<queue_positions&>(work);
  const std::int64_t head = queue.head_.load(std::memory_order_relaxed);
  // ORD[D51] acquire: the items; pairs with the releases in publish() and claim().
  const std::int64_t count = queue.tail_.load(std::memory_order_acquire) - head;
  const std::int64_t own = queue.own_.load(std::memory_order_relaxed);
  if (count <= 0) {
    if (own > head && how != parting::all) return {.left = remains::too_little};  // about to be published
    queue.left_deque(head);
    return {};
  }
  const std::int64_t middle = head + (how == parting::all ? count : (count + 1) / 2);
  auto& whole = static_cast<work_pool_state&>(queue.whole_);
  queue_part* const part = whole.cut({.block = queue.block_, .first = head, .last = middle});
  if (part == nullptr) return {.left = remains::something};
  if (is_by_owner(how)) queue.keep(*part);
  queue.head_.store(middle, std::memory_order_relaxed);
  if (!queue.fenced_) queue.gate_.store(middle, std::memory_order_relaxed);
  const bool stays = how != parting::all && own > middle;
  if (!stays) queue.left_deque(middle);
  return {.part = part, .left = stays ? remains::something : remains::nothing};
}

// The strand can have some of the parts back that it splits off. Those are few, so that their memory is.
void queue_positions::keep(queue_part& part) noexcept {
  constexpr unsigned most_kept = 8;
  if (parts_kept_ == most_kept) return;
  ++parts_kept_;
  part.users_.store(2, std::memory_order_relaxed);
  part.split_off_before_ = std::exchange(split_off_, &part);
}

void queue_positions::left_deque(std::int64_t head) noexcept {
  in_deque_ = false;
  room_.store(fenced_ ? 0 : head, std::memory_order_relaxed);
}

bool queue_positions::exhausted(const divisible& work) noexcept {
  return static_cast<const queue_positions&>(work).empty();
}

}  // namespace sennit::detail
