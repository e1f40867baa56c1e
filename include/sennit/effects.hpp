// SPDX-License-Identifier: Apache-2.0
// Effects: the regions of data that a step or a call reads and writes.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/splice/region_kind.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sennit {

// Addresses [first, last). Two regions whose hulls are disjoint do not interfere.
struct hull {
  std::uintptr_t first;
  std::uintptr_t last;
};

// A region of data may be a type of the program's own: a copyable type R with
//
//   bool interferes(const R&, const R&)
//       whether the two share data. Found by argument-dependent lookup.
//
// and, optionally, with
//
//   bool contains(const R& whole, const R& part)
//       whether all data of `part` is in `whole`. It saves comparisons.
//   hull hull_of(const R&)
//       where the region lies. Without it, the region interferes with every region of another type.
//   std::uint64_t bytes_of(const R&)
//       how many bytes the region has, for the choice of blocks. Without it, the bytes of the hull.
//   std::uint64_t fingerprint_of(const R&)
//       a number that differs, most likely, if the region differs, so that a memoized_splice notices a
//       change. Without it, the number is computed from the object's bytes. If the object has padding or
//       floating-point numbers, or is not trivially copyable, there is no number, and a memoized_splice finds
//       its order anew in each run. Needed if the region refers to data that may change, such as indices.
//   memory_runs runs_of(const R&)
//       which bytes the region has, for `sennit view splice`. Without it, these are known of contiguous regions only.
//   bool is_contiguous(const R&)
//       whether the region has all bytes of its hull. Then the hull is all that is kept of it, and a splice of
//       trees may take the fast order.
//   static constexpr bool is_compared_at_once = true
//       a member: a comparison takes some nanoseconds, however large the regions are. Trees of regions that fill three
//       quarters of their hulls, as bytes_of() says, may then take the fast order, and trees over rectangles are tiled.
//   bool contains_address(const R&, std::uintptr_t address, std::size_t bytes)
//       whether the region has all of these bytes. Only the effect checker calls it. Without it, the checker
//       considers the hull.
//
// All are pure, and several workers call them at once. The answer "yes" is always correct, but costs
// interleaving; for contains() the answer "no" is always correct.
//
// Example:
//   // Every second double of [from, to).
//   struct every_second {
//     const double* from;
//     const double* to;
//     friend sennit::hull hull_of(const every_second& e) {
//       return {reinterpret_cast<std::uintptr_t>(e.from), reinterpret_cast<std::uintptr_t>(e.to)};
//     }
//     friend bool interferes(const every_second& a, const every_second& b) {
//       return a.from < b.to && b.from < a.to && (a.from - b.from) % 2 == 0;
//     }
//   };
//   static_assert(sennit::data_region<every_second>);
template <class R>
concept data_region = std::copy_constructible<R> && requires(const R& r) {
  { interferes(r, r) } -> std::convertible_to<bool>;
};

namespace detail {

struct effects_access;

// What code does with a region. Effects keep their regions in this order.
enum class access : std::uint8_t { write, add, exclude, read };

template <access How, class... R>
struct access_set {
  const std::tuple<const R&...> regions;
};

template <access How, class... R>
constexpr auto access_to(const R&... regions) noexcept {
  constexpr bool all_are_regions = (data_region<R> && ...);
  static_assert(all_are_regions,
                "an argument of reads, writes, adds or excludes is no data_region; a pointer says where data "
                "begins, and not where it ends: give a sennit::memory_range(pointer, range)");
  if constexpr (all_are_regions) {
    return access_set<How, R...>{{regions...}};
  } else {
    return access_set<How>();
  }
}

template <class S>
concept access_list = requires(const S& s) { s.regions; };

}  // namespace detail

// Data that is read, and data that is written (and may be read, too), as arguments of the constructor of
// effects. They refer to their regions, until the end of the full expression.
template <class... R>
constexpr auto reads(const R&... regions) noexcept {
  return detail::access_to<detail::access::read>(regions...);
}
template <class... R>
constexpr auto writes(const R&... regions) noexcept {
  return detail::access_to<detail::access::write>(regions...);
}
// For task flows (sennit/task_flow.hpp); for splices these are writes. Data to which code adds: tasks that add to the same region
// run in any order, and at the same time, so that each addition has to be atomic. And data that code uses one task at a time, in
// any order.
template <class... R>
constexpr auto adds(const R&... regions) noexcept {
  return detail::access_to<detail::access::add>(regions...);
}
template <class... R>
constexpr auto excludes(const R&... regions) noexcept {
  return detail::access_to<detail::access::exclude>(regions...);
}

// The regions of data that a step or a call reads and writes (Lifflander and Krishnamoorthy, 2017, section
// 4). A step or a call with too many regions is correct, and interleaves less. A step or a call with too few
// is wrong.
//
// The type is a value. Up to four regions that are trivially copyable and have at most 56 bytes each need no
// allocation. A comparison of two effects calls the comparison of those regions whose hulls overlap; regions
// of different types share data if their hulls overlap. Thread-safety: that of a value. Cost: a few
// nanoseconds.
//
// Example:
//   #include <sennit/data_regions.hpp>
//
//   #include <atomic>
//
//   sennit::effects of_sweep(const double* in, double* out, sennit::range rows) {
//     return {sennit::reads(sennit::memory_range(in, rows.grown(1))),
//             sennit::writes(sennit::memory_range(out, rows))};
//   }
//   sennit::effects of_count(const char& letter, std::atomic<long>& count) {
//     return {sennit::reads(sennit::memory_range(&letter, 1)), sennit::adds(sennit::memory_range(&count, 1))};
//   }
class SENNIT_EXPORT effects {
 public:
  effects() noexcept {}  // of code that touches no data of others
  template <detail::access_list... Sets>
    requires(sizeof...(Sets) > 0)
  effects(const Sets&... sets) : effects() {
    (add<detail::access::write>(sets), ...);
    (add<detail::access::add>(sets), ...);
    (add<detail::access::exclude>(sets), ...);
    (add<detail::access::read>(sets), ...);
  }
  effects(const effects& other) : effects() { copy(other); }
  effects& operator=(const effects& other) {
    if (this == &other) return *this;
    if (other.count_ <= inside) {
      clear();
      copy(other);  // needs no memory, and cannot fail
    } else {
      effects copied(other);
      take(copied);
    }
    return *this;
  }
  ~effects() { clear(); }

  // The effects of code without annotations.
  static effects everything() noexcept {
    effects all;
    all.rare_.everything = true;
    return all;
  }

  bool empty() const noexcept { return count_ == 0 && !rare_.everything; }
  // Whether they are everything().
  bool is_everything() const noexcept { return rare_.everything; }

  // Whether the two must keep their order: they share data that at least one of them writes.
  bool interferes(const effects& other) const {
    if (rare_.everything || other.rare_.everything) [[unlikely]]
      return !empty() && !other.empty();
    return share(0, written_, other, other.count_) || share(written_, count_, other, other.written_);
  }
  // Whether the two use any data in common.
  bool overlaps(const effects& other) const {
    if (rare_.everything || other.rare_.everything) [[unlikely]]
      return !empty() && !other.empty();
    return share(0, count_, other, other.count_);
  }
  // Whether everything that interferes with `part` is known to interfere with *this.
  bool contains(const effects& part) const {
    if (rare_.everything || part.rare_.everything) [[unlikely]]
      return rare_.everything;
    for (std::uint32_t j = 0; j < part.count_; ++j) {
      bool covered = false;
      const std::uint32_t candidates = j < part.written_ ? written_ : count_;
      for (std::uint32_t i = 0; i < candidates && !covered; ++i) covered = covers(part, i, j);
      if (!covered) return false;
    }
    return true;
  }

  // The effects of both.
  effects& operator+=(const effects& other) {
    effects both;
    both.rare_.everything = rare_.everything || other.rare_.everything;
    for (const access how : {access::write, access::add, access::exclude}) {
      both.append(*this, first(how), last(how));
      both.append(other, other.first(how), other.last(how));
    }
    both.note_added(rare_.added + std::uint32_t{other.rare_.added});
    both.note_excluded(rare_.excluded + std::uint32_t{other.rare_.excluded});
    both.written_ = both.count_;
    both.append(*this, written_, count_);
    both.append(other, other.written_, other.count_);
    take(both);
    return *this;
  }

 private:
  friend struct detail::effects_access;

  using access = detail::access;
  static constexpr std::uint32_t inside = 4;

  // The written regions of this kind.
  std::uint32_t last(access how) const noexcept {
    return written_ -
           (how == access::exclude ? 0U : rare_.excluded + (how == access::add ? 0U : rare_.added));
  }
  std::uint32_t first(access how) const noexcept {
    if (how == access::write) return 0;
    return last(how) - (how == access::add ? rare_.added : rare_.excluded);
  }
  void note_added(std::uint32_t more) noexcept {
    rare_.added = static_cast<std::uint8_t>(std::min(rare_.added + more, 255U));
  }
  void note_excluded(std::uint32_t more) noexcept {
    // Otherwise some of these would pass for regions that are added to.
    if (rare_.excluded + more > 255U) rare_.added = 0;
    rare_.excluded = static_cast<std::uint8_t>(std::min(rare_.excluded + more, 255U));
  }

  // Whether one of the regions [first, last) shares data with one of the first n regions of `other`.
  bool share(std::uint32_t first, std::uint32_t last, const effects& other, std::uint32_t n) const {
    const hull* const others_end = other.where_ + n;
    for (const hull *a = where_ + first, *const end = where_ + last; a != end; ++a) {
      for (const hull* b = other.where_; b != others_end; ++b) {
        if (a->first < b->last && b->first < a->last && meet(a - where_, other, b - other.where_))
          return true;
      }
    }
    return false;
  }
  // Whether the hulls of two regions overlap.
  bool meet(std::ptrdiff_t i, const effects& other, std::ptrdiff_t j) const {
    const detail::region_kind* const kind = kinds_[i];
    return kind == nullptr || kind != other.kinds_[j] ||
           kind->interferes(data_[i].get(), other.data_[j].get());
  }
  bool covers(const effects& part, std::uint32_t i, std::uint32_t j) const {
    const hull& a = where_[i];
    const hull& b = part.where_[j];
    if (b.first < a.first || a.last < b.last) return false;
    const detail::region_kind* const kind = kinds_[i];
    return kind == nullptr || (kind == part.kinds_[j] && kind->contains != nullptr &&
                               kind->contains(data_[i].get(), part.data_[j].get()));
  }

  template <detail::access How, detail::access Of, class... R>
  void add(const detail::access_set<Of, R...>& set) {
    if constexpr (Of == How) {
      std::apply([this](const R&... regions) { (add_region<How>(regions), ...); }, set.regions);
    }
  }
  template <detail::access How, class R>
  void add_region(const R& region) {
    hull where{0, UINTPTR_MAX};
    if constexpr (detail::contiguous_region<R> || detail::has_hull<R>) {
      where = hull_of(region);
      if (where.first >= where.last) return;
    }
    if (count_ == room_) [[unlikely]]
      grow();
    where_[count_] = where;
    if (detail::is_all_of_hull(region)) {
      kinds_[count_] = nullptr;
    } else if constexpr (!detail::contiguous_region<R>) {
      data_[count_].put(region);
      kinds_[count_] = &detail::kind_of<R, !detail::region_data::fits<R>>;
    }
    ++count_;
    if constexpr (How != detail::access::read) ++written_;
    if constexpr (How == detail::access::add) note_added(1);
    if constexpr (How == detail::access::exclude) note_excluded(1);
  }
  // To effects without regions.
  void copy(const effects& other) {
    while (room_ < other.count_) grow();
    for (std::uint32_t i = 0; i < other.count_; ++i) {
      where_[i] = other.where_[i];
      kinds_[i] = other.kinds_[i];
      if (kinds_[i] != nullptr) data_[i].copy(other.data_[i], *kinds_[i]);
    }
    count_ = other.count_;
    written_ = other.written_;
    rare_ = other.rare_;
  }
  void append(const effects& other, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t i = first; i < last; ++i) {
      if (count_ == room_) [[unlikely]]
        grow();
      where_[count_] = other.where_[i];
      kinds_[count_] = other.kinds_[i];
      if (kinds_[count_] != nullptr) data_[count_].copy(other.data_[i], *kinds_[count_]);
      ++count_;
    }
  }
  void grow();
  // Takes the regions of `other`, which can then only be destroyed.
  void take(effects& other) noexcept {
    clear();
    if (other.room_ == inside) {
      copy(other);
      return;
    }
    where_ = std::exchange(other.where_, other.own_where_);
    kinds_ = std::exchange(other.kinds_, other.own_kinds_);
    data_ = std::exchange(other.data_, other.own_data_);
    room_ = std::exchange(other.room_, inside);
    count_ = std::exchange(other.count_, 0);
    written_ = std::exchange(other.written_, 0);
    rare_ = other.rare_;
  }
  void clear() noexcept {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (kinds_[i] != nullptr) data_[i].end(*kinds_[i]);
    }
    if (room_ != inside) [[unlikely]]
      release();
    count_ = written_ = 0;
    rare_ = {};
  }
  void release() noexcept;

  std::uint32_t count_ = 0;
  // What few effects have, in one word.
  struct rare {
    bool everything = false;
    // The last of the written regions are those that are added to, and those that exclude. If there are more than a byte
    // counts, the others are writes, which orders more.
    std::uint8_t added = 0;
    std::uint8_t excluded = 0;
    std::uint8_t unused = 0;
  };

  std::uint32_t written_ = 0;  // the first regions
  std::uint32_t room_ = inside;
  rare rare_;
  hull* where_ = own_where_;
  const detail::region_kind** kinds_ = own_kinds_;
  detail::region_data* data_ = own_data_;
  hull own_where_[inside];
  const detail::region_kind* own_kinds_[inside];
  detail::region_data own_data_[inside];
};

}  // namespace sennit
