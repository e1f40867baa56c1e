// SPDX-License-Identifier: Apache-2.0
// What instrumented code reports to the checker.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sennit::checker {

// The number of splices that are being checked. If it is zero, the checker ignores all reports.
extern constinit std::atomic<unsigned> splices_checked;

inline bool idle() noexcept { return splices_checked.load(std::memory_order_relaxed) == 0; }

// An access on the calling strand by the instruction before `after`.
void examine(const volatile void* address, std::size_t bytes, bool written, const void* after) noexcept;
// From now on the memory belongs to the calling strand, until it is freed.
void note_allocation(const void* block, std::size_t bytes) noexcept;
void note_release(const void* block) noexcept;
// Makes the linker take the allocation functions of the checker, even where nothing before it has asked for one.
void take_allocation() noexcept;

// Lets splices be checked.
void install() noexcept;

}  // namespace sennit::checker
