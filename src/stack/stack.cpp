// SPDX-License-Identifier: Apache-2.0
#include "stack/stack.hpp"

#include "system/sanitizers.hpp"
#include "system/text.hpp"

#include <sennit/detail/failure.hpp>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

namespace sennit::detail {

namespace {

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

stack::stack(stack&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

stack::~stack() {
  if (base_ == nullptr) return;
#if SENNIT_ASAN
  // A fiber ends while it is suspended: its frames' red zones must not outlive it.
  __asan_unpoison_memory_region(base_, bytes_);
#endif
  munmap(base_, bytes_);
}

stack stack::reserve(std::size_t bytes) noexcept {
  stack result;
  const std::size_t page = page_bytes();
  const std::size_t total = (bytes + page - 1) / page * page + guard_bytes;
  void* const base = mmap(nullptr, total, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED) return result;
  if (mprotect(base, guard_bytes, PROT_NONE) != 0) {
    munmap(base, total);
    return result;
  }
  // A huge page would commit two megabytes for the first touch of each stack.
  madvise(base, total, MADV_NOHUGEPAGE);
  result.base_ = static_cast<char*>(base);
  result.bytes_ = total;
  return result;
}

bool stack::guards(const void* address) const noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto base = reinterpret_cast<std::uintptr_t>(base_);
  return base_ != nullptr && at >= base && at < base + guard_bytes;
}

void stack::release_below(void* live) const noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(bottom());
  const auto last = reinterpret_cast<std::uintptr_t>(live) / page_bytes() * page_bytes();
  if (last > first) madvise(bottom(), last - first, MADV_DONTNEED);
}

bool address_space_is_scarce() noexcept {
#if SENNIT_ASAN || SENNIT_TSAN
  return true;
#else
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return true;
  bool counted = true;
  attempt<std::bad_alloc>(
      [&] { counted = text::read_text("/proc/sys/vm/overcommit_memory").value_or("0") == "2"; });
  return counted;
#endif
}

std::size_t default_stack_bytes() noexcept {
  constexpr std::size_t usual = std::size_t{8} << 20;
  // Beyond that the kernel's limit of mappings would leave room for more stacks than the address space has.
  constexpr std::size_t most = std::size_t{4} << 30;
  constexpr std::size_t bytes_for_one = 32;
  rlimit limit{};
  const bool unlimited = getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY;
  const std::size_t of_main = unlimited ? usual : static_cast<std::size_t>(limit.rlim_cur);
  if (address_space_is_scarce()) return of_main;
  return std::max(of_main, std::min(of_main, most / bytes_for_one) * bytes_for_one);
}

}  // namespace sennit::detail
