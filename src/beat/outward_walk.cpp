// SPDX-License-Identifier: Apache-2.0
#include "beat/outward_walk.hpp"

#include "beat/address_pairs.hpp"
#include "beat/call_site.hpp"
#include "beat/frame_row.hpp"
#include "beat/roll_forward.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace sennit::detail {

#if defined(__x86_64__)

namespace {

// Numbers of DWARF.
constexpr unsigned rax = 0;
constexpr unsigned rdx = 1;
constexpr unsigned rbx = 3;
constexpr unsigned rbp = 6;
constexpr unsigned rsp = 7;
constexpr unsigned rip = 16;
constexpr unsigned kept_by_calls[] = {rbx, rbp, 12, 13, 14, 15};

constexpr int of_context[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                              REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
static_assert(std::size(of_context) == frame_registers::count);

std::uintptr_t in(const ucontext_t& context, int number) noexcept {
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[number]);
}

// A frame of a function as compilers make it. A function that saves %rax or %rdx leaves frames that are not its
// own: with __builtin_eh_return, at the end of which its saved registers belong to another function.
bool is_plain(const frame_row& row) noexcept {
  using enum register_rule_kind;
  const register_rule& return_address = row.rules[rip];
  return row.rules[rax].kind == same && row.rules[rdx].kind == same && row.rules[rsp].kind == same &&
         return_address.kind == at_offset &&
         return_address.offset == -static_cast<std::int64_t>(sizeof(std::uintptr_t));
}

// The code to which the kernel has a handler of signals return: mov $15, %rax; syscall.
bool is_signal_return(std::uintptr_t address, const unwind_entry& entry) noexcept {
  constexpr unsigned char code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
  return entry.signal_frame && entry.end - address >= sizeof code &&
         std::memcmp(reinterpret_cast<const void*>(address), code, sizeof code) == 0;
}

}  // namespace

outward_walk::outward_walk(const ucontext_t& interrupted) noexcept : memory_(in(interrupted, REG_RSP)) {
  enter(interrupted);
}

void outward_walk::enter(const ucontext_t& context) noexcept {
  for (unsigned i = 0; i < frame_registers::count; ++i) registers_.set(i, in(context, of_context[i]));
  pc_ = registers_.value[rip];
  function_ = find_unwind_entry(pc_);
  slot_ = nullptr;
}

bool outward_walk::run() noexcept {
  outcome result = outcome::on;
  for (int frames = 0; result == outcome::on; ++frames) {
    if (frames == most_frames || !leave_frame()) return false;
    result = arrive();
  }
  return result == outcome::moved;
}

// Goes on to the caller of the function at pc_. False where the caller cannot be known for certain.
bool outward_walk::leave_frame() noexcept {
  if (!function_ || function_.trust == unwind_trust::never || function_.signal_frame) return false;
  frame_row row;
  if (!find_row(function_, slot_ == nullptr ? pc_ : pc_ - 1, row) || !leave_frame(row)) return false;
  function_ = find_unwind_entry(pc_ - 1);
  return true;
}

// The caller's function is not known then.
bool outward_walk::leave_frame(const frame_row& row) noexcept {
  std::uintptr_t end = 0;
  outermost_ = row.rules[rip].kind == register_rule_kind::other;
  const bool known = is_plain(row) && find_frame_end(row, end);
  // Frames are one above the other.
  if (!known || end <= registers_.value[rsp]) return false;
  slot_ = memory_.word(end - sizeof(std::uintptr_t));
  if (slot_ == nullptr) return false;
  frame_begin_ = registers_.value[rsp];
  restore(row, end);
  pc_ = load_word(slot_);
  called_ = function_;
  return true;
}

bool outward_walk::find_frame_end(const frame_row& row, std::uintptr_t& end) noexcept {
  if (row.cfa_expression != nullptr)
    return evaluate(expression_of(row.cfa_expression, function_), registers_, memory_, end);
  if (!registers_.knows(row.cfa_register)) return false;
  end = registers_.value[row.cfa_register] + static_cast<std::uintptr_t>(row.cfa_offset);
  return true;
}

// The registers as the caller has them.
void outward_walk::restore(const frame_row& row, std::uintptr_t end) noexcept {
  frame_registers before;
  std::uintptr_t value = 0;
  for (const unsigned number : kept_by_calls) {
    const register_rule& rule = row.rules[number];
    if (rule.kind != register_rule_kind::same) {
      if (restore(rule, end, value)) before.set(number, value);
    } else if (registers_.knows(number)) {
      before.set(number, registers_.value[number]);
    }
  }
  before.set(rsp, end);
  registers_ = before;
}

bool outward_walk::restore(const register_rule& rule, std::uintptr_t end, std::uintptr_t& value) noexcept {
  std::uintptr_t at = 0;
  if (rule.kind == register_rule_kind::at_offset) {
    at = end + static_cast<std::uintptr_t>(rule.offset);
  } else if (rule.kind != register_rule_kind::at_expression ||
             !evaluate(expression_of(rule.expression, function_), registers_, memory_, at)) {
    return false;
  }
  const std::uintptr_t* const saved = memory_.word(at);
  if (saved == nullptr) return false;
  value = load_word(saved);
  return true;
}

// pc_ is what the last frame has as its return address.
outward_walk::outcome outward_walk::arrive() noexcept {
  if (is_signal_return(pc_, function_)) return move_interrupted();
  if (!is_return_address()) return outcome::given_up;
  const place_in_code place = find_return(pc_);
  return place.copy == copy_of_code::none ? outcome::on : move_return(place);
}

// A call comes before it. If the function called is in libc, whose CFI is made by hand in part, the call has to
// be of just this function.
bool outward_walk::is_return_address() const noexcept {
  if (!function_ || !is_behind_call(pc_, function_.begin)) return false;
  const bool leaves_libc =
      called_.trust == unwind_trust::at_calls && function_.trust != unwind_trust::at_calls;
  return !leaves_libc || leads_to(pc_, called_.begin);
}

outward_walk::outcome outward_walk::move_return(const place_in_code& place) noexcept {
  std::uintptr_t* const slot = slot_;
  const std::uintptr_t begin = frame_begin_;
  if (!has_callers() || has_copy(slot, begin, caller_end_)) return outcome::given_up;
  if (place.copy == copy_of_code::second) return outcome::moved;
  if (place.paired == 0) return outcome::given_up;
  store_word(slot, place.paired);
  return outcome::moved;
}

// A copy of a return address has no frames behind it, unless the caller has a frame pointer.
bool outward_walk::has_callers() noexcept {
  constexpr int enough = 2;
  for (int callers = 0; callers < enough; ++callers) {
    if (!leave_frame()) return callers != 0 && outermost_;
    if (callers == 0) caller_end_ = registers_.value[rsp];
    if (is_signal_return(pc_, function_)) return true;
    if (!is_return_address()) return false;
  }
  return true;
}

// Another word of the frame, or of the caller's, is the same. If the CFI that has led to this one is wrong, that other one
// may be the return address. Above the caller's own return address there are other frames: recursion has many that are alike.
bool outward_walk::has_copy(const std::uintptr_t* slot, std::uintptr_t begin, std::uintptr_t end) noexcept {
  constexpr std::uintptr_t word = sizeof(std::uintptr_t);
  constexpr std::uintptr_t most = 64 * word;
  const auto at = reinterpret_cast<std::uintptr_t>(slot);
  const std::uintptr_t last = std::min(end - word, at + most);
  for (std::uintptr_t other = std::max(begin / word * word, at - most); other < last; other += word) {
    const std::uintptr_t* const same = other == at ? nullptr : memory_.word(other);
    if (same != nullptr && load_word(same) == load_word(slot)) return true;
  }
  return false;
}

// Code that another handler has interrupted. The kernel puts its context behind the return address.
outward_walk::outcome outward_walk::move_interrupted() noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(slot_ + 1);
  constexpr std::size_t bytes = offsetof(ucontext_t, uc_mcontext) + sizeof(mcontext_t);
  if (!memory_.has(at, bytes)) return outcome::given_up;
  auto& context = *reinterpret_cast<ucontext_t*>(at);
  constexpr std::uintptr_t code_segment = 0x33;  // of programs with 64 bits
  if ((in(context, REG_CSGSFS) & 0xffff) != code_segment) return outcome::given_up;
  memory_ = stack_memory(in(context, REG_RSP));
  enter(context);
  const place_in_code place = find_instruction(pc_);
  if (place.copy == copy_of_code::none) return outcome::on;
  if (place.copy == copy_of_code::second) return outcome::moved;
  if (place.paired == 0) return outcome::given_up;
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(place.paired);
  return outcome::moved;
}

#endif

}  // namespace sennit::detail
