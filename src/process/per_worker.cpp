// SPDX-License-Identifier: Apache-2.0
#include "process/thread_number.hpp"

#include <sennit/per_worker.hpp>

#include <atomic>
#include <bit>
#include <memory>

namespace sennit::detail {

static_assert(thread_slots::most_threads == most_thread_numbers);

thread_slots::~thread_slots() {
  for (const std::atomic<slot*>& p : pieces_) delete[] p.load(std::memory_order_relaxed);
}

thread_slots::slot* thread_slots::make_piece(unsigned k) {
  auto fresh = std::make_unique<slot[]>(std::size_t{least} << k);
  slot* none = nullptr;
  // ORD[D26] release: the piece's null pointers; acquire, on failure, those of another's.
  if (pieces_[k].compare_exchange_strong(none, fresh.get(), std::memory_order_release,
                                         std::memory_order_acquire))
    return fresh.release();
  return none;
}

SENNIT_INLINE thread_slots::slot* thread_slots::piece(unsigned k) {
  // ORD[D26] acquire: the piece's null pointers; pairs with the release of who made it.
  if (slot* const made = pieces_[k].load(std::memory_order_acquire)) [[likely]]
    return made;
  return make_piece(k);
}

thread_slots::slot& thread_slots::own() {
  const unsigned number = thread_number();
  if (number < least) [[likely]]
    return piece(0)[number];
  const unsigned position = number + least;
  const auto k = static_cast<unsigned>(std::bit_width(position) - std::bit_width(least));
  return piece(k)[position - (least << k)];
}

}  // namespace sennit::detail
