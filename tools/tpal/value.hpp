// SPDX-License-Identifier: Apache-2.0
// What a register or a cell of a stack holds.
#pragma once

#include <bit>
#include <cstdint>

namespace tpal {

// Names a join record. Slots are used again; the generation tells a closed record from the one that follows it.
struct record_id {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;

  bool operator==(const record_id&) const = default;
};

struct value {
  enum class kind : std::uint8_t { nothing, number, floating, label, record, mark };

  kind is = kind::nothing;
  std::int64_t bits = 0;  // the number, the bits of the double, or which block or record it is

  static value number(std::int64_t n) { return {kind::number, n}; }
  static value of_bits(std::int64_t bits, bool is_double) {
    return {is_double ? kind::floating : kind::number, bits};
  }
  static value floating(double d) { return {kind::floating, std::bit_cast<std::int64_t>(d)}; }
  static value label(std::int64_t block) { return {kind::label, block}; }
  static value record(record_id id) {
    return {kind::record, static_cast<std::int64_t>((std::uint64_t{id.generation} << 32U) | id.slot)};
  }
  static value mark() { return {kind::mark, 0}; }

  record_id id() const {
    const auto all = static_cast<std::uint64_t>(bits);
    return {static_cast<std::uint32_t>(all), static_cast<std::uint32_t>(all >> 32U)};
  }
};

}  // namespace tpal
