#include "core/stack.hpp"

#include "core/sanitizers.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
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

std::size_t default_stack_bytes() noexcept {
  constexpr std::size_t usual = 8 * 1024 * 1024;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return usual;
  return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace sennit::detail
