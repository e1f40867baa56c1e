// SPDX-License-Identifier: Apache-2.0
// How a beat leaves a second copy in which it has met no promotion point. At a return, execution continues
// in the counterpart of the caller. At a jump through a table or a register, it continues in the counterpart
// of the jump's target. At a tail call, it continues in the counterpart of the called function, or else of
// the caller.
#include "beat/address_pairs.hpp"
#include "beat/general_registers.hpp"
#include "beat/pending.hpp"

#if defined(__x86_64__)

namespace sennit::detail {
namespace {

SENNIT_GENERAL_REGISTERS void lose() noexcept { beat_pending = true; }

}  // namespace

extern "C" {

// `slot` holds the address to which the function returns.
[[gnu::visibility("hidden")]] SENNIT_GENERAL_REGISTERS void
sennit_carry_beat_back(std::uintptr_t* slot) noexcept {
  const place_in_code place = find_return(*slot);
  if (place.paired != 0) {
    *slot = place.paired;
  } else if (place.copy != copy_of_code::second) {
    lose();
  }
}

// `slot` holds the address to which the function jumps; `top` is the top of the function's stack.
[[gnu::visibility("hidden")]] SENNIT_GENERAL_REGISTERS void
sennit_carry_beat_on(std::uintptr_t* slot, std::uintptr_t* top) noexcept {
  const place_in_code place = find_target(*slot);
  if (place.paired != 0) {
    *slot = place.paired;
  } else if (place.copy == copy_of_code::none) {
    sennit_carry_beat_back(top);
  } else if (place.copy == copy_of_code::first) {
    lose();
  }
}

}  // extern "C"
}  // namespace sennit::detail

// These routines preserve all registers, because callers in the same object may rely on the registers that a
// function leaves unchanged (-fipa-ra).
//
// sennit_beat_return: acts as a `ret`. sennit_beat_jump: the target's address is on the stack, with a red
// zone of 128 bytes above it.
asm(R"(
	.text
	.p2align	4
	.globl	sennit_beat_return
	.type	sennit_beat_return, @function
sennit_beat_return:
	.cfi_startproc
	endbr64
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%r8
	.cfi_adjust_cfa_offset 8
	pushq	%r9
	.cfi_adjust_cfa_offset 8
	pushq	%r10
	.cfi_adjust_cfa_offset 8
	pushq	%r11
	.cfi_adjust_cfa_offset 8
	leaq	72(%rsp), %rdi
	call	sennit_carry_beat_back
	popq	%r11
	.cfi_adjust_cfa_offset -8
	popq	%r10
	.cfi_adjust_cfa_offset -8
	popq	%r9
	.cfi_adjust_cfa_offset -8
	popq	%r8
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%rax
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	sennit_beat_return, .-sennit_beat_return

	.p2align	4
	.globl	sennit_beat_jump
	.type	sennit_beat_jump, @function
sennit_beat_jump:
	.cfi_startproc
	.cfi_undefined rip  # no unwinder can know whose frame this is
	endbr64
	pushq	%rax
	lahf  # no pushfq: under a debugger it would save, and popfq set, the trap flag
	seto	%al
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%rbp
	movq	%rsp, %rbp
	andq	$-16, %rsp
	leaq	88(%rbp), %rdi
	leaq	224(%rbp), %rsi
	call	sennit_carry_beat_on
	movq	%rbp, %rsp
	popq	%rbp
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rax
	addb	$127, %al
	sahf
	popq	%rax
	ret	$128
	.cfi_endproc
	.size	sennit_beat_jump, .-sennit_beat_jump
)");

#endif
