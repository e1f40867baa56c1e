// Effects as a few hulls: small enough to keep for each part of a tree, and quick to compare.
#pragma once

#include <sennit/effects.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {

// Covers the effects that have been added to it. If two of these objects do not interfere, their effects do
// not interfere either.
class hulls {
 public:
  static constexpr std::uint32_t most = 4;

  hulls() noexcept {}
  explicit hulls(const effects& fx) noexcept {
    const std::uint32_t regions = effects_access::size(fx);
    if (effects_access::is_special(fx) || regions > most) [[unlikely]] {
      add_regions(fx);
      return;
    }
    for (; has_.count < regions; ++has_.count) {
      const region_view r = effects_access::region(fx, has_.count);
      where_[has_.count] = r.where;
      if (r.written) ++has_.written;
    }
  }

  std::uint32_t count() const noexcept { return has_.count; }
  std::uint32_t written() const noexcept { return has_.written; }  // these come first
  hull where(std::uint32_t i) const noexcept { return where_[i]; }
  bool interferes(const hulls& other) const noexcept {
    return share(0, has_.written, other, other.has_.count) ||
           share(has_.written, has_.count, other, other.has_.written);
  }
  // Whether the two may use any data in common.
  bool overlaps(const hulls& other) const noexcept { return share(0, has_.count, other, other.has_.count); }
  // Whether everything that interferes with `part` interferes with *this.
  bool contains(const hulls& part) const noexcept {
    for (std::uint32_t j = 0; j < part.has_.count; ++j) {
      const std::uint32_t candidates = j < part.has_.written ? has_.written : has_.count;
      std::uint32_t i = 0;
      while (i < candidates &&
             (part.where_[j].first < where_[i].first || where_[i].last < part.where_[j].last))
        ++i;
      if (i == candidates) return false;
    }
    return true;
  }
  // Adds the data of `other` if the hulls then still cover nothing else: if each hull touches its counterpart.
  void extend_by(const hulls& other) noexcept {
    if (has_ != other.has_) return;
    for (std::uint32_t i = 0; i < has_.count; ++i) {
      if (where_[i].last < other.where_[i].first || other.where_[i].last < where_[i].first) return;
    }
    for (std::uint32_t i = 0; i < has_.count; ++i) where_[i] = both(where_[i], other.where_[i]);
  }
  // Becomes what a + b would be, without a copy of `a` where the two have hulls of the same kinds.
  void become_sum(const hulls& a, const hulls& b) noexcept {
    if (a.has_ != b.has_) [[unlikely]] {
      *this = a;
      *this += b;
      return;
    }
    has_ = a.has_;
    for (std::uint32_t i = 0; i < has_.count; ++i) where_[i] = both(a.where_[i], b.where_[i]);
  }
  hulls& operator+=(const hulls& other) noexcept {
    if (has_ == other.has_) [[likely]] {
      for (std::uint32_t i = 0; i < has_.count; ++i) where_[i] = both(where_[i], other.where_[i]);
    } else {
      for (std::uint32_t i = 0; i < other.has_.count; ++i) add(other.where_[i], i < other.has_.written);
      if (has_.joined != how::in_pairs || other.has_.joined != how::in_pairs) has_.joined = how::sum;
    }
    return *this;
  }

 private:
  static hull both(hull a, hull b) noexcept { return {std::min(a.first, b.first), std::max(a.last, b.last)}; }

  // Without a branch for each pair, because most pairs do not overlap.
  bool share(std::uint32_t first, std::uint32_t last, const hulls& other, std::uint32_t n) const noexcept {
    bool any = false;
    for (std::uint32_t i = first; i < last; ++i) {
      for (std::uint32_t j = 0; j < n; ++j) {
        any |= (where_[i].first < other.where_[j].last) & (other.where_[j].first < where_[i].last);
      }
    }
    return any;
  }

  // As a hull of its own while there is room; else in the hull that grows least.
  void add(hull h, bool written) noexcept {
    std::uint32_t best = most;
    std::uintptr_t least = 0;
    for (std::uint32_t i = written ? 0 : has_.written; i < (written ? has_.written : has_.count); ++i) {
      const hull sum = both(where_[i], h);
      const std::uintptr_t gap = (sum.last - sum.first) - (where_[i].last - where_[i].first);
      if (best < most && gap >= least) continue;
      best = i;
      least = gap;
    }
    const bool is_near = best < most && least <= h.last - h.first;
    if (!is_near && has_.count < most) {
      if (written) {
        std::copy_backward(where_ + has_.written, where_ + has_.count, where_ + has_.count + 1);
        where_[has_.written++] = h;
      } else {
        where_[has_.count] = h;
      }
      ++has_.count;
      return;
    }
    if (best == most) {
      // There is no hull of its kind, and no room. To count it as written is safe.
      best = 0;
      has_.written = std::max<std::uint16_t>(has_.written, 1);
    }
    where_[best] = both(where_[best], h);
  }

  // How sums are made of two of these objects: hull by hull; or, if their hulls may be far apart, as near hulls are found.
  // A part and the sum of the parts after it differ, so that one comparison tells.
  enum class how : std::uint16_t { in_pairs, apart, sum };
  struct shape {
    std::uint32_t count = 0;
    std::uint16_t written = 0;
    how joined = how::in_pairs;

    bool operator==(const shape& other) const noexcept {
      return std::bit_cast<std::uint64_t>(*this) == std::bit_cast<std::uint64_t>(other);
    }
  };

  void add_regions(const effects& fx) noexcept {
    if (fx.is_everything()) {
      has_ = {1, 1, how::in_pairs};
      where_[0] = {0, UINTPTR_MAX};
      return;
    }
    for (std::uint32_t i = 0; i < effects_access::size(fx); ++i) {
      const region_view r = effects_access::region(fx, i);
      add(r.where, r.written);
    }
    has_.joined = how::apart;
  }

  shape has_;
  hull where_[most];
};

}  // namespace sennit::detail
