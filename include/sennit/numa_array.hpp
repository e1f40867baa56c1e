// SPDX-License-Identifier: Apache-2.0
// numa_array: memory whose pages are placed where a thread first writes to them.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace sennit {

// `usual`: pages of the size that the system uses, mostly 4 KiB. `huge`: pages of 2 MiB, if the system has them available. They
// cause fewer misses of the TLB, but place data more coarsely.
enum class page_size { usual, huge };

namespace detail {

// Returns memory that is zero and that no thread has touched. Throws std::bad_alloc.
SENNIT_EXPORT void* reserve_pages(std::size_t bytes, page_size size);
SENNIT_EXPORT void return_pages(void* memory, std::size_t bytes) noexcept;

}  // namespace detail

// An array of zeros that no thread has touched yet. The kernel places each page on the NUMA node of the
// worker that first writes to it. So the schedule of the array's initialization decides where the array
// lies.
//
// Elements are of a trivial type; their bytes are zero until written. The array can be moved, not copied.
// Throws std::bad_alloc. Thread-safety: that of a std::vector of fixed size. Cost: a system call, then a
// page fault for each page.
//
// Example:
//   #include <sennit/parallel_for.hpp>
//   #include <sennit/replay.hpp>
//
//   sennit::numa_array<double> zeros(std::size_t n) { return sennit::numa_array<double>(n, sennit::page_size::huge); }
//   sennit::schedule initialize(sennit::numa_array<double>& x) {
//     return sennit::record([&] { sennit::parallel_for(x, [](double& e) { e = 1; }); });
//   }
//   // By the schedule of the phase that uses it.
//   void redistribute(sennit::numa_array<double>& x, const sennit::schedule& of_kernel) {
//     x.renew([&](const sennit::numa_array<double>& from, sennit::numa_array<double>& to) {
//       sennit::replay(of_kernel, sennit::strict_unordered, [&] {
//         sennit::parallel_for(std::size_t{0}, to.size(), [&](std::size_t i) { to[i] = from[i]; });
//       });
//     });
//   }
template <class T>
  requires(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>)
class numa_array {
 public:
  using value_type = T;

  numa_array() = default;
  explicit numa_array(std::size_t size, page_size pages = page_size::usual)
      : memory_(size != 0 ? static_cast<T*>(detail::reserve_pages(bytes_of(size), pages)) : nullptr,
                release{bytes_of(size)}),
        size_(size),
        pages_(pages) {}
  numa_array(numa_array&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)), pages_(other.pages_) {}
  numa_array& operator=(numa_array&& other) noexcept {
    memory_ = std::move(other.memory_);
    size_ = std::exchange(other.size_, 0);
    pages_ = other.pages_;
    return *this;
  }
  ~numa_array() = default;

  // As those of a std::vector.
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T* data() noexcept { return memory_.get(); }
  const T* data() const noexcept { return memory_.get(); }
  T* begin() noexcept { return data(); }
  T* end() noexcept { return data() + size_; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return data() + size_; }
  T& operator[](std::size_t i) noexcept { return data()[i]; }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }

  // Moves the elements to fresh pages: copy(from, to) writes them. `to` is as large as the array, and
  // untouched. If copy throws, the array does not change.
  template <class Copy>
  void renew(Copy&& copy) {
    numa_array fresh(size_, pages_);
    std::forward<Copy>(copy)(std::as_const(*this), fresh);
    *this = std::move(fresh);
  }

 private:
  struct release {
    std::size_t bytes = 0;
    void operator()(T* memory) const noexcept { detail::return_pages(memory, bytes); }
  };
  // If the product overflows, the largest size is returned, which no allocation can satisfy.
  static constexpr std::size_t bytes_of(std::size_t size) noexcept {
    return size > ~std::size_t{0} / sizeof(T) ? ~std::size_t{0} : size * sizeof(T);
  }

  std::unique_ptr<T, release> memory_;
  std::size_t size_ = 0;
  page_size pages_ = page_size::usual;
};

}  // namespace sennit
