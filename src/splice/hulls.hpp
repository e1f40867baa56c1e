// SPDX-License-Identifier: Apache-2.0
// Effects as a few hulls: small enough to keep for each part of a tree, and quick to compare.
#pragma once

#include <sennit/detail/effects_access.hpp>
#include <sennit/effects.hpp>

#include <algorithm>
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
    if (fx.is_everything() || regions > most) [[unlikely]] {
      add_regions(fx);
      return;
    }
    count_ = regions;
    written_ = effects_access::written(fx);
    const hull* const where = effects_access::hulls_of(fx);
    for (std::uint32_t i = 0; i < regions; ++i) where_[i] = where[i];
  }

  std::uint32_t count() const noexcept { return count_; }
  std::uint32_t written() const noexcept { return written_; }  // these come first
  hull where(std::uint32_t i) const noexcept { return where_[i]; }
  bool interferes(const hulls& other) const noexcept {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (shares(i, other, i < written_ ? other.count_ : other.written_)) return true;
    }
    return false;
  }
  // Whether the two may use any data in common.
  bool overlaps(const hulls& other) const noexcept {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (shares(i, other, other.count_)) return true;
    }
    return false;
  }
  // Whether everything that interferes with `part` interferes with *this.
  bool contains(const hulls& part) const noexcept {
    // Most often each hull has its counterpart.
    if (count_ == part.count_ && written_ == part.written_) [[likely]] {
      bool all = true;
      for (std::uint32_t i = 0; i < count_; ++i) {
        all &= (where_[i].first <= part.where_[i].first) & (part.where_[i].last <= where_[i].last);
      }
      if (all) [[likely]]
        return true;
    }
    for (std::uint32_t j = 0; j < part.count_; ++j) {
      const std::uint32_t candidates = j < part.written_ ? written_ : count_;
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
    if (count_ != other.count_ || written_ != other.written_) return;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (where_[i].last < other.where_[i].first || other.where_[i].last < where_[i].first) return;
    }
    for (std::uint32_t i = 0; i < count_; ++i) where_[i] = both(where_[i], other.where_[i]);
  }
  // Becomes what a + b would be, without a copy of `a` where the two have hulls of the same kinds.
  void become_sum(const hulls& a, const hulls& b) noexcept {
    if (a.count_ != b.count_ || a.written_ != b.written_) [[unlikely]] {
      *this = a;
      *this += b;
      return;
    }
    count_ = a.count_;
    written_ = a.written_;
    for (std::uint32_t i = 0; i < a.count_; ++i) where_[i] = both(a.where_[i], b.where_[i]);
  }
  hulls& operator+=(const hulls& other) noexcept {
    if (count_ == other.count_ && written_ == other.written_) [[likely]] {
      for (std::uint32_t i = 0; i < count_; ++i) where_[i] = both(where_[i], other.where_[i]);
    } else {
      for (std::uint32_t i = 0; i < other.count_; ++i) add(other.where_[i], i < other.written_);
    }
    return *this;
  }

 private:
  static hull both(hull a, hull b) noexcept { return {std::min(a.first, b.first), std::max(a.last, b.last)}; }

  // Of the first n hulls of `other`. Without a branch for each pair, because most pairs do not overlap.
  bool shares(std::uint32_t i, const hulls& other, std::uint32_t n) const noexcept {
    const hull own = where_[i];
    bool any = false;
    for (std::uint32_t j = 0; j < n; ++j) {
      any |= (own.first < other.where_[j].last) & (other.where_[j].first < own.last);
    }
    return any;
  }

  void add_regions(const effects& fx) noexcept {
    if (fx.is_everything()) return add({0, UINTPTR_MAX}, true);
    for (std::uint32_t i = 0; i < effects_access::size(fx); ++i) {
      const region_view r = effects_access::region(fx, i);
      add(r.where, r.written);
    }
  }

  // As a hull of its own while there is room; else in the hull that grows least.
  void add(hull h, bool written) noexcept {
    std::uint32_t best = most;
    std::uintptr_t least = 0;
    for (std::uint32_t i = written ? 0 : written_; i < (written ? written_ : count_); ++i) {
      const hull sum = both(where_[i], h);
      const std::uintptr_t gap = (sum.last - sum.first) - (where_[i].last - where_[i].first);
      if (best < most && gap >= least) continue;
      best = i;
      least = gap;
    }
    const bool is_near = best < most && least <= h.last - h.first;
    if (!is_near && count_ < most) {
      if (written) {
        std::copy_backward(where_ + written_, where_ + count_, where_ + count_ + 1);
        where_[written_++] = h;
      } else {
        where_[count_] = h;
      }
      ++count_;
      return;
    }
    if (best == most) {
      // There is no hull of its kind, and no room. To count it as written is safe.
      best = 0;
      written_ = std::max(written_, 1u);
    }
    where_[best] = both(where_[best], h);
  }

  std::uint32_t count_ = 0;
  std::uint32_t written_ = 0;
  hull where_[most];
};

}  // namespace sennit::detail
