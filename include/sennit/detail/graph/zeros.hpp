// SPDX-License-Identifier: Apache-2.0
// Memory that is zero.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sennit::detail {

// A little of it comes from the heap: to ask the system for pages, and to give them back, takes longer than a run of few nodes.
// Much of it is pages of 2 MiB that no thread has touched. Throws std::bad_alloc. In lines of the cache.
SENNIT_EXPORT void* reserve_zeros(std::size_t bytes);
// With the same number of bytes.
SENNIT_EXPORT void return_zeros(void* memory, std::size_t bytes) noexcept;

// An array of elements of a trivial type, whose bytes are zero until written.
template <class T>
  requires(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>)
class zeros {
 public:
  explicit zeros(std::size_t size)
      : bytes_(size * sizeof(T)), all_(bytes_ != 0 ? static_cast<T*>(reserve_zeros(bytes_)) : nullptr) {}
  zeros(const zeros&) = delete;
  zeros& operator=(const zeros&) = delete;
  ~zeros() {
    if (all_ != nullptr) return_zeros(all_, bytes_);
  }
  SENNIT_INLINE T& operator[](std::size_t i) noexcept { return all_[i]; }

 private:
  const std::size_t bytes_;
  T* const all_;
};

}  // namespace sennit::detail
