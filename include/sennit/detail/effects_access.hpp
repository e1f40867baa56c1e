// SPDX-License-Identifier: Apache-2.0
// What the library asks of effects beyond what their users can.
#pragma once

#include <sennit/detail/splice/region_kind.hpp>
#include <sennit/effects.hpp>

#include <cstdint>

namespace sennit::detail {

// A region of some effects, for callers that ask about addresses.
struct region_view {
  hull where;
  bool written;
  const region_kind* kind;
  const region_data* data;

  bool contiguous() const noexcept { return kind == nullptr; }
  // Whether more is known about the region than its hull.
  bool exact() const noexcept { return contiguous() || kind->contains_address != nullptr; }
  // Whether the region has all of these bytes, as far as is known.
  bool has(std::uintptr_t address, std::size_t bytes) const {
    if (address < where.first || address >= where.last || where.last - address < bytes) return false;
    return contiguous() || !exact() || kind->contains_address(data->get(), address, bytes);
  }
};

// Access for the other parts of the library.
struct effects_access {
  // The number of regions that are not empty. Written regions come first.
  static std::uint32_t size(const effects& fx) noexcept { return fx.count_; }
  static std::uint32_t written(const effects& fx) noexcept { return fx.written_; }
  static detail::access how(const effects& fx, std::uint32_t i) noexcept {
    if (i >= fx.written_) return access::read;
    if (i >= fx.first(access::exclude)) return access::exclude;
    return i >= fx.first(access::add) ? access::add : access::write;
  }
  static const hull* hulls_of(const effects& fx) noexcept { return fx.where_; }
  static region_view region(const effects& fx, std::uint32_t i) noexcept {
    return {fx.where_[i], i < fx.written_, fx.kinds_[i], &fx.data_[i]};
  }
  // Whether hulls say all of the effects.
  static bool all_contiguous(const effects& fx) {
    bool all = !fx.is_everything();
    for (std::uint32_t i = 0; i < size(fx); ++i) all = all && region(fx, i).contiguous();
    return all;
  }
  // Whether hulls say almost all of the effects: there are gaps in them such as the borders of a plate.
  static bool all_nearly_contiguous(const effects& fx) {
    bool all = !fx.is_everything();
    for (std::uint32_t i = 0; i < size(fx); ++i) {
      const region_kind* const kind = fx.kinds_[i];
      if (kind == nullptr) continue;
      const std::uint64_t all_bytes = fx.where_[i].last - fx.where_[i].first;
      all = all && kind->compared_at_once && kind->bytes != nullptr &&
            kind->bytes(fx.data_[i].get()) >= all_bytes / 4 * 3;
    }
    return all;
  }
  // Whether a comparison takes a few nanoseconds.
  static bool all_compared_at_once(const effects& fx) {
    bool all = !fx.is_everything();
    for (std::uint32_t i = 0; i < size(fx); ++i)
      all = all && (fx.kinds_[i] == nullptr || fx.kinds_[i]->compared_at_once);
    return all;
  }
  // The bytes of all regions, except those that have no hull and do not say how many bytes they have.
  static std::uint64_t bytes(const effects& fx) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < fx.count_; ++i) {
      if (const region_kind* const kind = fx.kinds_[i]; kind != nullptr && kind->bytes != nullptr) {
        sum += kind->bytes(fx.data_[i].get());
      } else if (fx.where_[i].last != UINTPTR_MAX) {
        sum += fx.where_[i].last - fx.where_[i].first;
      }
    }
    return sum;
  }
  // A number that differs, most likely, if the hulls or the fingerprints of the regions differ.
  static std::uint64_t fingerprint(const effects& fx, std::uint64_t h = 0) {
    h = mix(h, fx.count_ * 2 + fx.written_ * 64 + std::uint64_t{fx.rare_.everything});
    for (std::uint32_t i = 0; i < fx.count_; ++i) {
      const region_kind* const kind = fx.kinds_[i];
      h = mix(h, fx.where_[i].first);
      h = mix(h, fx.where_[i].last);
      if (kind == nullptr) continue;
      h = mix(h, reinterpret_cast<std::uintptr_t>(kind));
      if (kind->fingerprint != nullptr) h = mix(h, kind->fingerprint(fx.data_[i].get()));
    }
    return h;
  }
  // Whether the number tells any two values of the regions apart.
  static bool has_fingerprint(const effects& fx) {
    bool all = true;
    for (std::uint32_t i = 0; i < fx.count_; ++i)
      all = all && (fx.kinds_[i] == nullptr || fx.kinds_[i]->fingerprint != nullptr);
    return all;
  }
};

}  // namespace sennit::detail
