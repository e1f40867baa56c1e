// What instrumented code does, and what the checker makes of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sennit::checker {

// How many splices are being checked. Zero: whatever happens is of no interest.
extern constinit std::atomic<unsigned> splices_checked;

inline bool idle() noexcept { return splices_checked.load(std::memory_order_relaxed) == 0; }

// An access that is made by the instruction before `after`, on the calling strand.
void examine(const volatile void* address, std::size_t bytes, bool written, const void* after) noexcept;
// Memory is the calling strand's own from now on, until it is freed.
void note_allocation(const void* block, std::size_t bytes) noexcept;
void note_release(const void* block) noexcept;

// Lets splices be checked.
void install() noexcept;

}  // namespace sennit::checker
