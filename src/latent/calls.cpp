// SPDX-License-Identifier: Apache-2.0
// Latent calls are found by the return addresses on the stack, and asked for in the frames of their callers.
#include "beat/address_pairs.hpp"
#include "beat/stack_memory.hpp"
#include "latent/walk.hpp"
#include "stack/fiber.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/latent/call.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <cstdint>
#include <utility>

namespace sennit::detail {

std::uintptr_t region_frame() noexcept {
  worker* const w = worker::current();
  const scope* const innermost = w != nullptr ? w->running().innermost : nullptr;
  return innermost != nullptr ? reinterpret_cast<std::uintptr_t>(innermost->frame) : UINTPTR_MAX;
}

#if defined(__x86_64__)

namespace {

constinit thread_local latent_request* asked [[gnu::tls_model("initial-exec")]] = nullptr;

// What sennit_enter_frame loads; the order is known there.
struct frame_entry {
  std::uintptr_t rbx, rbp, r12, r13, r14, r15;
  std::uintptr_t target;
  std::uintptr_t begin;
  std::uintptr_t words;
  std::uintptr_t return_address;  // where it is, from the begin on
};

frame_entry entry_of(const latent_site& site) noexcept {
  const auto& value = site.registers.value;
  constexpr std::uintptr_t word = sizeof(std::uintptr_t);
  const std::uintptr_t begin = value[7];
  return {value[3],
          value[6],
          value[12],
          value[13],
          value[14],
          value[15],
          site.paired,
          begin,
          (site.arguments_end - begin) / word,
          site.end - word - begin};
}

}  // namespace

extern "C" {
// Goes on at the target with these registers, on a copy of the frame below the caller's. `copy` gets its address.
// Returns when somebody leaves for `way_back`.
void sennit_enter_frame(const frame_entry& entry, void** way_back, std::uintptr_t* copy) noexcept;
[[noreturn]] void sennit_leave_frame(void* way_back) noexcept;
}

bool give_oldest_call(const void* above) {
  // Relaxed: a strand that has a latent call runs the module's code.
  if (!__atomic_load_n(&any_latent_calls, __ATOMIC_RELAXED)) return false;
  // Observed, a call runs where the schedule has it.
  if (current_tls().cursor != nullptr) return false;
  const latent_site site = oldest_latent_site(above, region_frame());
  if (site.slot == nullptr) return false;
  const frame_entry entry = entry_of(site);
  latent_request request;
  request.begin = entry.begin;
  request.bytes = entry.words * sizeof(std::uintptr_t);
  asked = &request;
  sennit_enter_frame(entry, &request.way_back, &request.copy);
  if (request.given) {
    store_word(site.slot, site.paired);
  } else if (request.failure) {
    std::rethrow_exception(std::move(request.failure));
  }
  return request.given;
}

latent_request* take_latent_request() noexcept { return std::exchange(asked, nullptr); }

void answer_latent_request(latent_request& request) noexcept { sennit_leave_frame(request.way_back); }

#else

bool give_oldest_call(const void*) { return false; }
latent_request* take_latent_request() noexcept { return nullptr; }
void answer_latent_request(latent_request&) noexcept { __builtin_trap(); }

#endif

}  // namespace sennit::detail

#if defined(__x86_64__)

// A register that has an address in the frame gets that of the same place in the copy: it may be a frame pointer, and what
// the code stores relative to it would change the frame. latent_request::in_frame() translates back.
//
// The distance between frame and copy is a multiple of what frames align their variables to. The copy returns nowhere: so a
// walk that begins in code which the frame calls ends there. Results are zero: what is computed from them traps nowhere.
asm(R"(
	.text
	.p2align	4
	.globl	sennit_enter_frame
	.hidden	sennit_enter_frame
	.type	sennit_enter_frame, @function
sennit_enter_frame:
	.cfi_startproc
	endbr64
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r12, 0
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r13, 0
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r14, 0
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r15, 0
	movq	%rsp, (%rsi)
	.cfi_undefined rip
	movq	%rdx, %r10
	movq	%rdi, %r11
	movq	56(%r11), %rsi
	movq	64(%r11), %rcx
	leaq	(,%rcx,8), %rax
	leaq	-256(%rsp), %rdi
	subq	%rax, %rdi
	movq	%rdi, %rax
	subq	%rsi, %rax
	andl	$63, %eax
	subq	%rax, %rdi
	movq	%rdi, %r8
	subq	%rsi, %r8
	movq	8(%r11), %rbp
	movq	0(%r11), %rbx
	movq	16(%r11), %r12
	movq	24(%r11), %r13
	movq	32(%r11), %r14
	movq	40(%r11), %r15
	.irp	kept, rbx, rbp, r12, r13, r14, r15
	movq	%\kept, %rax
	subq	%rsi, %rax
	cmpq	72(%r11), %rax
	leaq	(%\kept,%r8), %rax
	cmovbq	%rax, %\kept
	.endr
	movq	72(%r11), %rax
	movq	48(%r11), %r11
	movq	%rdi, (%r10)
	movq	%rdi, %rsp
	rep movsq
	movq	$0, (%rsp,%rax)
	xorl	%eax, %eax
	xorl	%edx, %edx
	pxor	%xmm0, %xmm0
	pxor	%xmm1, %xmm1
	jmp	*%r11
	.cfi_endproc
	.size	sennit_enter_frame, .-sennit_enter_frame

	.p2align	4
	.globl	sennit_leave_frame
	.hidden	sennit_leave_frame
	.type	sennit_leave_frame, @function
sennit_leave_frame:
	.cfi_startproc
	endbr64
	movq	%rdi, %rsp
	.cfi_def_cfa_offset 56
	popq	%r15
	.cfi_adjust_cfa_offset -8
	popq	%r14
	.cfi_adjust_cfa_offset -8
	popq	%r13
	.cfi_adjust_cfa_offset -8
	popq	%r12
	.cfi_adjust_cfa_offset -8
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	sennit_leave_frame, .-sennit_leave_frame
)");

#endif
