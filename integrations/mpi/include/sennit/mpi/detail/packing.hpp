// SPDX-License-Identifier: Apache-2.0
// Keys and values as bytes, for messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::mpi {

namespace detail {

// Bytes that a message fills are not filled with zeros before.
template <class T>
struct unfilled : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = unfilled<U>;
  };
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... From>
  void construct(U* at, From&&... from) {
    std::construct_at(at, std::forward<From>(from)...);
  }
};
using byte_buffer = std::vector<std::byte, unfilled<std::byte>>;

}  // namespace detail

// The bytes of a message, to which values are added, and from which they are taken in the same order.
class packed_bytes {
 public:
  packed_bytes() = default;
  explicit packed_bytes(detail::byte_buffer bytes) : bytes_(std::move(bytes)) {}

  // Room for so many bytes more.
  void reserve(std::size_t count) {
    const std::size_t needed = bytes_.size() + count;
    if (needed > bytes_.capacity()) bytes_.reserve(std::max(needed, 2 * bytes_.capacity()));
  }

  void add(const void* from, std::size_t count) {
    const auto* const first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
  }
  // Throws std::runtime_error if fewer bytes are left.
  void take(void* to, std::size_t count) {
    const std::byte* const from = take(count);
    if (count != 0) std::memcpy(to, from, count);
  }
  // The same without a copy: the bytes are where they are until the message is gone.
  const std::byte* take(std::size_t count) {
    if (count > bytes_.size() - taken_) {
      throw std::runtime_error(
          "sennit::mpi: a message is shorter than the value that is taken from it; pack() and "
          "unpack() of the value's type differ");
    }
    const std::byte* const from = bytes_.data() + taken_;
    taken_ += count;
    return from;
  }
  bool all_taken() const noexcept { return taken_ == bytes_.size(); }
  detail::byte_buffer& bytes() noexcept { return bytes_; }
  const detail::byte_buffer& bytes() const noexcept { return bytes_; }

 private:
  detail::byte_buffer bytes_;
  std::size_t taken_ = 0;
};

namespace detail {

template <class T>
inline constexpr bool is_plain_sequence = false;
template <class T, class A>
inline constexpr bool is_plain_sequence<std::vector<T, A>> =
    std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>;
template <class C, class R, class A>
inline constexpr bool is_plain_sequence<std::basic_string<C, R, A>> = true;

// Functions of the program, found by argument-dependent lookup.
template <class T>
concept packs_itself =
    std::is_default_constructible_v<T> && requires(const T& value, T& into, packed_bytes& bytes) {
      pack(bytes, value);
      unpack(bytes, into);
    };

template <class T>
concept packable_without_owner =
    packs_itself<T> ||
    (std::is_default_constructible_v<T> && (std::is_trivially_copyable_v<T> || is_plain_sequence<T>));

// Values whose elements are their message: it goes from the memory of one rank to that of another one without a copy.
template <class T>
concept sent_in_place = is_plain_sequence<T> && !packs_itself<T>;

template <class T>
inline constexpr bool is_shared = false;
template <class T>
inline constexpr bool is_shared<std::shared_ptr<T>> = packable_without_owner<std::remove_const_t<T>>;

template <class T>
concept packable = packable_without_owner<T> || is_shared<T>;

}  // namespace detail

// Adds a value to a message: for pack().
template <detail::packable T>
void put(packed_bytes& bytes, const T& value) {
  if constexpr (detail::packs_itself<T>) {
    pack(bytes, value);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    bytes.add(&value, sizeof value);
  } else if constexpr (detail::is_shared<T>) {
    put(bytes, value != nullptr);
    if (value != nullptr) put(bytes, *value);
  } else {
    const std::size_t size = value.size();
    bytes.reserve(sizeof size + size * sizeof(typename T::value_type));
    bytes.add(&size, sizeof size);
    bytes.add(value.data(), size * sizeof(typename T::value_type));
  }
}

// Takes a value from a message, of the type that was put there: for unpack().
template <detail::packable T>
T get(packed_bytes& bytes) {
  T value{};
  if constexpr (detail::packs_itself<T>) {
    unpack(bytes, value);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    bytes.take(&value, sizeof value);
  } else if constexpr (detail::is_shared<T>) {
    using owned = std::remove_const_t<typename T::element_type>;
    if (get<bool>(bytes)) value = std::make_shared<owned>(get<owned>(bytes));
  } else {
    std::size_t size = 0;
    bytes.take(&size, sizeof size);
    using element = typename T::value_type;
    const std::byte* const from = bytes.take(size * sizeof(element));
    if constexpr (std::is_arithmetic_v<element>) {
      if (reinterpret_cast<std::uintptr_t>(from) % alignof(element) == 0) {
        const auto* const first = reinterpret_cast<const element*>(from);
        value.assign(first, first + size);
        return value;
      }
    }
    value.resize(size);
    if (size != 0) std::memcpy(value.data(), from, size * sizeof(element));
  }
  return value;
}

}  // namespace sennit::mpi
