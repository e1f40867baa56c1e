// SPDX-License-Identifier: Apache-2.0
#include "deque/slots.hpp"

#include <sennit/detail/failure.hpp>

#include <sys/mman.h>

namespace sennit::detail {

namespace {

// One slot before the first for a pop below it, one behind the last for the push that finds the deque full.
constexpr std::size_t spare = 2;
// Behind the slots comes a word for the colors of each.
static_assert(sizeof(slot) == sizeof(std::atomic<color_set>));
constexpr std::size_t bytes_for(std::size_t slots) { return 2 * (slots + spare) * sizeof(slot); }

slot* reserve_slots(std::size_t slots) {
  void* const memory = mmap(nullptr, bytes_for(slots), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fail_for_memory();
  madvise(memory, bytes_for(slots), MADV_NOHUGEPAGE);
  return static_cast<slot*>(memory);
}

}  // namespace

slot_array::slot_array(std::size_t count)
    : begin_(reserve_slots(count) + 1),
      end_(begin_ + count),
      colors_(reinterpret_cast<std::atomic<color_set>*>(end_ + 1)) {}

slot_array::~slot_array() { munmap(begin_ - 1, bytes_for(number_of(end_))); }

}  // namespace sennit::detail
