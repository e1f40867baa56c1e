// SPDX-License-Identifier: Apache-2.0
#include "beat/frame_expression.hpp"

#include <cstddef>

namespace sennit::detail {

namespace {

// DWARF 5, 7.7.1.
constexpr unsigned dereference = 0x06;
constexpr unsigned first_constant = 0x08;
constexpr unsigned last_constant = 0x11;
constexpr unsigned bit_and = 0x1a;
constexpr unsigned minus = 0x1c;
constexpr unsigned plus = 0x22;
constexpr unsigned plus_constant = 0x23;
constexpr unsigned shift_left = 0x24;
constexpr unsigned at_least = 0x2a;
constexpr unsigned first_literal = 0x30;
constexpr unsigned first_register = 0x70;
constexpr unsigned most_of_these = 32;

class machine {
 public:
  machine(byte_reader code, const frame_registers& registers, stack_memory& memory) noexcept
      : code_(code), registers_(registers), memory_(memory) {}

  bool run(std::uintptr_t& result) noexcept {
    while (!code_.at_end()) {
      if (!step(code_.fixed<unsigned char>())) return false;
    }
    result = pop();
    return !code_.failed() && sound_;
  }

 private:
  bool step(unsigned operation) noexcept {
    if (operation - first_literal < most_of_these) return push(operation - first_literal);
    if (operation - first_register < most_of_these) return push_register(operation - first_register);
    if (operation >= first_constant && operation <= last_constant) return push(constant(operation));
    if (operation == plus_constant) return push(pop() + code_.unsigned_leb128());
    if (operation == dereference) return push_word();
    const std::uintptr_t right = pop();
    return combine(operation, pop(), right);
  }

  bool combine(unsigned operation, std::uintptr_t left, std::uintptr_t right) noexcept {
    switch (operation) {
      case bit_and: return push(left & right);
      case minus: return push(left - right);
      case plus: return push(left + right);
      case shift_left: return push(right < 64 ? left << right : 0);
      case at_least: return push(static_cast<std::intptr_t>(left) >= static_cast<std::intptr_t>(right));
      default: return false;
    }
  }

  bool push_register(unsigned number) noexcept {
    const std::int64_t offset = code_.signed_leb128();
    return registers_.knows(number) && push(registers_.value[number] + static_cast<std::uintptr_t>(offset));
  }

  bool push_word() noexcept {
    const std::uintptr_t* const word = memory_.word(pop());
    return word != nullptr && push(load_word(word));
  }

  template <class T>
  std::uintptr_t number() noexcept {
    return static_cast<std::uintptr_t>(code_.fixed<T>());
  }

  // In this order: of 1, 2, 4 and 8 bytes, each unsigned and signed, and of any length.
  std::uintptr_t constant(unsigned operation) noexcept {
    using read = std::uintptr_t (machine::*)();
    static constexpr read kinds[] = {&machine::number<std::uint8_t>,  &machine::number<std::int8_t>,
                                     &machine::number<std::uint16_t>, &machine::number<std::int16_t>,
                                     &machine::number<std::uint32_t>, &machine::number<std::int32_t>,
                                     &machine::number<std::uint64_t>, &machine::number<std::int64_t>};
    const unsigned kind = operation - first_constant;
    if (kind < std::size(kinds)) return (this->*kinds[kind])();
    return kind == std::size(kinds) ? code_.unsigned_leb128()
                                    : static_cast<std::uintptr_t>(code_.signed_leb128());
  }

  bool push(std::uintptr_t value) noexcept {
    if (depth_ == stack_.size()) return false;
    stack_[depth_++] = value;
    return sound_;
  }

  std::uintptr_t pop() noexcept {
    sound_ = sound_ && depth_ != 0;
    return depth_ == 0 ? 0 : stack_[--depth_];
  }

  byte_reader code_;
  const frame_registers& registers_;
  stack_memory& memory_;
  std::array<std::uintptr_t, 8> stack_{};
  std::size_t depth_ = 0;
  bool sound_ = true;
};

}  // namespace

bool evaluate(byte_reader expression, const frame_registers& registers, stack_memory& memory,
              std::uintptr_t& result) noexcept {
  return machine(expression, registers, memory).run(result);
}

}  // namespace sennit::detail
