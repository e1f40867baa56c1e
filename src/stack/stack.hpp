// SPDX-License-Identifier: Apache-2.0
// Memory that a fiber runs on.
#pragma once

#include <cstddef>

namespace sennit::detail {

// Address space with a guard below it; pages are committed by the kernel as they are touched.
class stack {
 public:
  stack() = default;
  stack(stack&& other) noexcept;
  stack& operator=(stack&&) = delete;
  ~stack();

  // An empty stack if the system has no room.
  static stack reserve(std::size_t bytes) noexcept;

  explicit operator bool() const noexcept { return base_ != nullptr; }
  void* top() const noexcept { return base_ + bytes_; }
  void* bottom() const noexcept { return base_ + guard_bytes; }  // the lowest usable address
  std::size_t size() const noexcept { return bytes_ - guard_bytes; }
  bool guards(const void* address) const noexcept;
  // Whether the caller, which runs on this stack, uses less than half of it.
  bool half_left() const noexcept {
    return static_cast<const char*>(__builtin_frame_address(0)) > base_ + bytes_ / 2;
  }

  // Gives the pages below `live` back to the system.
  void release_below(void* live) const noexcept;

 private:
  // Wide enough that a function with a large frame meets it, too.
  static constexpr std::size_t guard_bytes = 64 * 1024;

  char* base_ = nullptr;
  std::size_t bytes_ = 0;
};

// Whether a stack costs what it could grow to, rather than what is touched: the process has a limit of
// address space, the kernel counts all of it, or a sanitizer has memory of its own for each stack.
bool address_space_is_scarce() noexcept;

// 32 times the main thread's limit, at most 4 GiB: a fork takes more of the stack than the call that it
// stands for. Where address space is scarce, the main thread's limit. That counts as 8 MiB if there is none.
std::size_t default_stack_bytes() noexcept;

}  // namespace sennit::detail
