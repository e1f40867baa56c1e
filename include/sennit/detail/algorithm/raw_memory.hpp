// SPDX-License-Identifier: Apache-2.0
// Memory for elements that an algorithm moves or copies elsewhere meanwhile.
#pragma once

#include <sennit/detail/failure.hpp>
#include <sennit/detail/huge_pages.hpp>

#include <algorithm>
#include <cstddef>
#include <new>

namespace sennit::detail {

// Memory for n objects, none of which is alive; null if there is none.
template <class T>
class raw_memory {
 public:
  explicit raw_memory(std::size_t n) noexcept
      : memory_(n > ~std::size_t{0} / sizeof(T)
                    ? nullptr
                    : ::operator new(n * sizeof(T), std::align_val_t{alignment}, std::nothrow)) {
    // An algorithm writes all of it, at many places at once.
    if (memory_ != nullptr) prefer_huge_pages(memory_, n * sizeof(T));
  }
  raw_memory(const raw_memory&) = delete;
  raw_memory& operator=(const raw_memory&) = delete;
  ~raw_memory() { ::operator delete(memory_, std::align_val_t{alignment}); }
  T* get() const noexcept { return static_cast<T*>(memory_); }

 private:
  static constexpr std::size_t alignment = std::max(alignof(T), std::size_t{64});
  void* memory_;
};

// The same for algorithms that cannot do without: throws std::bad_alloc if there is none.
template <class T>
class needed_memory : public raw_memory<T> {
 public:
  explicit needed_memory(std::size_t n) : raw_memory<T>(n) {
    if (this->get() == nullptr) fail_for_memory();
  }
};

}  // namespace sennit::detail
