// SPDX-License-Identifier: Apache-2.0
// The table of a graph with hashed keys: numbers, found by the hashes of their keys.
#pragma once

#include <sennit/detail/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace sennit::detail {

// Any number of threads may find and add at once. Nothing is ever erased. The table stores no keys: the
// caller compares the key that it asks for with that of a number. docs/design/graphs.md has the reasons, and
// docs/protocols/graphs.md the order.
class SENNIT_EXPORT number_table {
  struct slots;

 public:
  number_table() = default;
  number_table(const number_table&) = delete;
  number_table& operator=(const number_table&) = delete;
  ~number_table();

  // The number that was found, or 0 and the place where the search ended.
  struct found {
    std::uint32_t number;

   private:
    friend number_table;
    found(std::uint32_t n, slots* s, std::uint32_t i) noexcept : number(n), in(s), at(i) {}
    slots* in;
    std::uint32_t at;
  };

  // `is_equal(n)`: whether the key of the number n is the one that is asked for.
  template <class Equal>
  SENNIT_INLINE found find(std::uint64_t hash, Equal&& is_equal) const {
    // ORD[D37] acquire: the slots as they were filled; pairs with the release in grow().
    slots* const s = slots_[part_of(hash)].load(std::memory_order_acquire);
    if (s == nullptr) [[unlikely]]
      return {0, nullptr, 0};
    const auto tag = static_cast<std::uint32_t>(hash);
    for (std::uint32_t i = s->home(tag);; i = (i + 1) & s->mask) {
      // ORD[D37] acquire: the key of the number; pairs with the release in add().
      const std::uint64_t entry = (*s)[i].load(std::memory_order_acquire);
      if (entry == 0) return {0, s, i};
      const auto number = static_cast<std::uint32_t>(entry);
      if (tag_of(entry) == tag && is_equal(number)) return {number, s, i};
    }
  }
  // Adds a number above 0, whose key was not found. Returns false if something else has been added there
  // meanwhile: then find again. Throws std::bad_alloc.
  bool add(std::uint64_t hash, std::uint32_t number, const found& nothing);

 private:
  static constexpr unsigned parts = 64;
  static constexpr unsigned bits_of_part = 6;
  static constexpr unsigned least_bits = 5;    // of the number of a part's slots
  static constexpr unsigned shared_bits = 17;  // at most, where the slots of all parts lie side by side
  static constexpr unsigned most_bits = 32;
  static constexpr std::uint32_t in_line = 8;  // slots in a line of the cache

  struct alignas(64) slots {
    std::uint32_t mask;
    std::uint32_t shift;
    slots* older;  // readers may be in them

    // They lie after this object.
    SENNIT_INLINE std::atomic<std::uint64_t>& operator[](std::uint32_t i) noexcept {
      return reinterpret_cast<std::atomic<std::uint64_t>*>(this + 1)[i];
    }

    // The low bits of a tag choose a slot in a line, the others the line.
    SENNIT_INLINE std::uint32_t home(std::uint32_t tag) const noexcept {
      return (tag >> shift & ~(in_line - 1)) | (tag & (in_line - 1));
    }
  };
  // What is written when a number is added. Not beside what each find() reads.
  struct alignas(64) part {
    std::mutex adding;
    std::uint64_t count = 0;
    std::uint64_t room = 0;
  };

  SENNIT_INLINE static std::size_t part_of(std::uint64_t hash) noexcept {
    return static_cast<std::size_t>(hash >> (64 - bits_of_part));
  }
  SENNIT_INLINE static std::uint32_t tag_of(std::uint64_t entry) noexcept {
    return static_cast<std::uint32_t>(entry >> 32);
  }
  static std::size_t bytes_of(unsigned bits) noexcept;
  slots* make_slots(std::size_t p, unsigned bits);
  void grow(std::size_t p);

  std::atomic<slots*> slots_[parts]{};
  std::atomic<std::byte*> shared_[shared_bits + 1]{};
  part parts_[parts];
};

}  // namespace sennit::detail
