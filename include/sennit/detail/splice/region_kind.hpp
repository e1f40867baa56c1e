// SPDX-License-Identifier: Apache-2.0
// What effects keep of a region of data, whatever its type is.
#pragma once

#include <sennit/memory_runs.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace sennit {

struct hull;

namespace detail {

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) noexcept {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}
inline std::uint64_t hash_of_bytes(const void* bytes, std::size_t n) noexcept {
  std::uint64_t hash = n;
  for (std::size_t i = 0; i < n; i += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const std::byte*>(bytes) + i, n - i < sizeof word ? n - i : sizeof word);
    hash = mix(hash, word);
  }
  return hash;
}

struct region_kind {
  bool (*interferes)(const void*, const void*);
  // These may be null.
  bool (*contains)(const void*, const void*);
  bool (*contains_address)(const void*, std::uintptr_t, std::size_t);
  std::uint64_t (*bytes)(const void*);
  std::uint64_t (*fingerprint)(const void*);
  memory_runs (*runs)(const void*);
  bool shared;            // held by a std::shared_ptr
  bool compared_at_once;  // a comparison takes a few nanoseconds, however large the regions are
};

template <class R>
concept has_hull = requires(const R& r) {
  { hull_of(r) } -> std::convertible_to<hull>;
};
// Its hull is all there is to say.
template <class R>
concept contiguous_region = requires { requires R::contiguous; };

// Its size makes a comparison no longer.
template <class R>
concept region_compared_at_once = requires { requires R::is_compared_at_once; };

template <class R>
constexpr bool is_all_of_hull(const R& region) {
  if constexpr (contiguous_region<R>) {
    return true;
  } else if constexpr (has_hull<R> && requires {
                         { is_contiguous(region) } -> std::convertible_to<bool>;
                       }) {
    return is_contiguous(region);
  } else {
    return false;
  }
}

template <class R, bool Shared>
const R& region_in(const void* data) noexcept {
  if constexpr (Shared) {
    return *static_cast<const R*>(static_cast<const std::shared_ptr<const void>*>(data)->get());
  } else {
    return *static_cast<const R*>(data);
  }
}

template <class R, bool Shared>
constexpr auto contains_of() noexcept -> bool (*)(const void*, const void*) {
  if constexpr (requires(const R& r) {
                  { contains(r, r) } -> std::convertible_to<bool>;
                }) {
    return [](const void* whole, const void* part) -> bool {
      return contains(region_in<R, Shared>(whole), region_in<R, Shared>(part));
    };
  } else {
    return nullptr;
  }
}

template <class R, bool Shared>
constexpr auto contains_address_of() noexcept -> bool (*)(const void*, std::uintptr_t, std::size_t) {
  if constexpr (requires(const R& r) {
                  { contains_address(r, std::uintptr_t{}, std::size_t{}) } -> std::convertible_to<bool>;
                }) {
    return [](const void* region, std::uintptr_t address, std::size_t bytes) -> bool {
      return contains_address(region_in<R, Shared>(region), address, bytes);
    };
  } else {
    return nullptr;
  }
}

template <class R, bool Shared>
constexpr auto bytes_function_of() noexcept -> std::uint64_t (*)(const void*) {
  if constexpr (requires(const R& r) {
                  { bytes_of(r) } -> std::convertible_to<std::uint64_t>;
                }) {
    return [](const void* region) -> std::uint64_t { return bytes_of(region_in<R, Shared>(region)); };
  } else {
    return nullptr;
  }
}

template <class R, bool Shared>
constexpr auto runs_function_of() noexcept -> memory_runs (*)(const void*) {
  if constexpr (requires(const R& r) {
                  { runs_of(r) } -> std::convertible_to<memory_runs>;
                }) {
    return [](const void* region) -> memory_runs { return runs_of(region_in<R, Shared>(region)); };
  } else {
    return nullptr;
  }
}

template <class R, bool Shared>
constexpr auto fingerprint_function_of() noexcept -> std::uint64_t (*)(const void*) {
  if constexpr (requires(const R& r) {
                  { fingerprint_of(r) } -> std::convertible_to<std::uint64_t>;
                }) {
    return [](const void* region) -> std::uint64_t { return fingerprint_of(region_in<R, Shared>(region)); };
  } else if constexpr (std::has_unique_object_representations_v<R>) {
    return [](const void* region) -> std::uint64_t {
      return hash_of_bytes(&region_in<R, Shared>(region), sizeof(R));
    };
  } else {
    return nullptr;
  }
}

template <class R, bool Shared>
inline constexpr region_kind kind_of = {[](const void* a, const void* b) -> bool {
                                          return interferes(region_in<R, Shared>(a), region_in<R, Shared>(b));
                                        },
                                        contains_of<R, Shared>(),
                                        contains_address_of<R, Shared>(),
                                        bytes_function_of<R, Shared>(),
                                        fingerprint_function_of<R, Shared>(),
                                        runs_function_of<R, Shared>(),
                                        Shared,
                                        region_compared_at_once<R>};

// What is kept of a region besides its hull.
class region_data {
 public:
  static constexpr std::size_t room = 56;
  template <class R>
  static constexpr bool fits = sizeof(R) <= room && alignof(R) <= 8 && std::is_trivially_copyable_v<R>;

  const void* get() const noexcept { return bytes_; }
  template <class R>
  void put(const R& region) {
    if constexpr (fits<R>) {
      ::new (static_cast<void*>(bytes_)) R(region);
    } else {
      ::new (static_cast<void*>(bytes_)) std::shared_ptr<const void>(std::make_shared<const R>(region));
    }
  }
  void copy(const region_data& other, const region_kind& kind) noexcept {
    if (kind.shared) {
      ::new (static_cast<void*>(bytes_)) std::shared_ptr<const void>(other.shared());
    } else {
      std::memcpy(bytes_, other.bytes_, room);
    }
  }
  void end(const region_kind& kind) noexcept {
    if (kind.shared) shared().~shared_ptr();
  }

 private:
  std::shared_ptr<const void>& shared() noexcept {
    return *std::launder(reinterpret_cast<std::shared_ptr<const void>*>(bytes_));
  }
  const std::shared_ptr<const void>& shared() const noexcept {
    return *std::launder(reinterpret_cast<const std::shared_ptr<const void>*>(bytes_));
  }

  alignas(8) std::byte bytes_[room];
};

}  // namespace detail
}  // namespace sennit
