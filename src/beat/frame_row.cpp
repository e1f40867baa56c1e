// SPDX-License-Identifier: Apache-2.0
#include "beat/frame_row.hpp"

#include <cstddef>

namespace sennit::detail {

namespace {

using enum register_rule_kind;

class interpreter {
 public:
  interpreter(const unwind_entry& entry, std::uintptr_t address, frame_row& row) noexcept
      : entry_(entry), address_(address), at_(entry.begin), row_(row) {
    row = {};
  }

  bool run() noexcept {
    if (!run(entry_.initial)) return false;
    initial_ = row_;
    return run(entry_.own);
  }

 private:
  // DWARF 5, 7.24: the instructions that have an operand in their low bits.
  static constexpr unsigned advance_by = 1;
  static constexpr unsigned offset_of = 2;
  static constexpr unsigned low_bits = 6;

  bool run(byte_reader code) noexcept {
    code_ = code;
    while (!code_.at_end() && at_ <= address_) {
      const auto byte = code_.fixed<unsigned char>();
      const unsigned high = byte >> low_bits;
      const unsigned low = byte & ((1U << low_bits) - 1);
      if (!(high == 0 ? step(low) : step_short(high, low))) return false;
    }
    return !code_.failed();
  }

  bool step_short(unsigned high, unsigned low) noexcept {
    if (high == advance_by) return advance(low);
    if (high == offset_of) return save(low, factored(static_cast<std::int64_t>(code_.unsigned_leb128())));
    return restore(low);
  }

  bool step(unsigned operation) noexcept {
    using self = interpreter;
    using action = bool (self::*)() noexcept;
    static constexpr action actions[] = {
        &self::nothing,               // 0x00 DW_CFA_nop
        nullptr,                      // 0x01 set_loc
        &self::advance_1,             // 0x02 advance_loc1
        &self::advance_2,             // 0x03
        &self::advance_4,             // 0x04
        &self::save_extended,         // 0x05 offset_extended
        &self::restore_extended,      // 0x06
        &self::lose,                  // 0x07 undefined
        &self::keep,                  // 0x08 same_value
        &self::move,                  // 0x09 register
        &self::remember,              // 0x0a remember_state
        &self::recall,                // 0x0b restore_state
        &self::define,                // 0x0c def_cfa
        &self::define_register,       // 0x0d
        &self::define_offset,         // 0x0e
        &self::define_expression,     // 0x0f
        &self::save_at_expression,    // 0x10 expression
        &self::save_signed,           // 0x11 offset_extended_sf
        &self::define_signed,         // 0x12 def_cfa_sf
        &self::define_offset_signed,  // 0x13
        &self::lose_with_offset,      // 0x14 val_offset
        &self::lose_with_offset,      // 0x15 val_offset_sf
        &self::lose_with_expression,  // 0x16 val_expression
    };
    constexpr unsigned size_of_arguments = 0x2e;  // GNU: for handlers of exceptions
    if (operation == size_of_arguments) return (code_.unsigned_leb128(), true);
    return operation < std::size(actions) && actions[operation] != nullptr && (this->*actions[operation])();
  }

  bool nothing() noexcept { return true; }

  bool advance(std::uint64_t by) noexcept {
    at_ += by * entry_.code_factor;
    return true;
  }
  bool advance_1() noexcept { return advance(code_.fixed<std::uint8_t>()); }
  bool advance_2() noexcept { return advance(code_.fixed<std::uint16_t>()); }
  bool advance_4() noexcept { return advance(code_.fixed<std::uint32_t>()); }

  // Vector registers and the like are of no interest.
  register_rule& rule(std::uint64_t number) noexcept {
    return number < row_.rules.size() ? row_.rules[number] : unused_;
  }

  std::int64_t factored(std::int64_t offset) const noexcept { return offset * entry_.data_factor; }

  bool save(std::uint64_t number, std::int64_t offset) noexcept {
    rule(number) = {at_offset, {offset}};
    return true;
  }
  bool save_extended() noexcept {
    const std::uint64_t number = code_.unsigned_leb128();
    return save(number, factored(static_cast<std::int64_t>(code_.unsigned_leb128())));
  }
  bool save_signed() noexcept {
    const std::uint64_t number = code_.unsigned_leb128();
    return save(number, factored(code_.signed_leb128()));
  }
  bool save_at_expression() noexcept {
    const std::uint64_t number = code_.unsigned_leb128();
    register_rule& r = rule(number);
    r.kind = at_expression;
    r.expression = code_.at();
    return skip_expression();
  }

  bool lose() noexcept {
    rule(code_.unsigned_leb128()) = {other, {0}};
    return true;
  }
  bool move() noexcept { return lose() && (code_.unsigned_leb128(), true); }
  bool lose_with_offset() noexcept { return move(); }
  bool lose_with_expression() noexcept { return lose() && skip_expression(); }
  bool keep() noexcept {
    rule(code_.unsigned_leb128()) = {same, {0}};
    return true;
  }

  bool restore(std::uint64_t number) noexcept {
    if (number < row_.rules.size()) row_.rules[number] = initial_.rules[number];
    return true;
  }
  bool restore_extended() noexcept { return restore(code_.unsigned_leb128()); }

  bool remember() noexcept {
    if (depth_ == remembered_.size()) return false;
    remembered_[depth_++] = row_;
    return true;
  }
  bool recall() noexcept {
    if (depth_ == 0) return false;
    row_ = remembered_[--depth_];
    return true;
  }

  bool define(std::uint64_t number, std::int64_t offset) noexcept {
    row_.cfa_register = number;
    row_.cfa_offset = offset;
    row_.cfa_expression = nullptr;
    return true;
  }
  bool define() noexcept {
    const std::uint64_t number = code_.unsigned_leb128();
    return define(number, static_cast<std::int64_t>(code_.unsigned_leb128()));
  }
  bool define_signed() noexcept {
    const std::uint64_t number = code_.unsigned_leb128();
    return define(number, factored(code_.signed_leb128()));
  }
  bool define_register() noexcept { return define(code_.unsigned_leb128(), row_.cfa_offset); }
  bool define_offset() noexcept {
    return define(row_.cfa_register, static_cast<std::int64_t>(code_.unsigned_leb128()));
  }
  bool define_offset_signed() noexcept { return define(row_.cfa_register, factored(code_.signed_leb128())); }
  bool define_expression() noexcept {
    row_.cfa_expression = code_.at();
    return skip_expression();
  }

  bool skip_expression() noexcept {
    code_.block(code_.unsigned_leb128());
    return !code_.failed();
  }

  const unwind_entry& entry_;
  const std::uintptr_t address_;
  std::uintptr_t at_;
  byte_reader code_;
  frame_row& row_;
  frame_row initial_;
  register_rule unused_;
  std::array<frame_row, 4> remembered_;  // no value before the first: this is done for each frame
  std::size_t depth_ = 0;
};

}  // namespace

byte_reader expression_of(const unsigned char* with_length, const unwind_entry& entry) noexcept {
  const bool own = with_length >= entry.own.at() && with_length < entry.own.end();
  byte_reader in(with_length, own ? entry.own.end() : entry.initial.end());
  return in.block(in.unsigned_leb128());
}

bool find_row(const unwind_entry& entry, std::uintptr_t address, frame_row& row) noexcept {
  return interpreter(entry, address, row).run();
}

}  // namespace sennit::detail
