// Latent calls are found by the return addresses on the stack, and asked for in the frames of their callers.
#include "beat/address_pairs.hpp"
#include "beat/given_calls.hpp"
#include "beat/latent_walk.hpp"
#include "beat/stack_memory.hpp"

#include <sennit/detail/latent/call.hpp>

#include <cstdint>
#include <utility>

namespace sennit::detail {

#if defined(__x86_64__)

namespace {

constinit thread_local latent_request* asked [[gnu::tls_model("initial-exec")]] = nullptr;

// What sennit_enter_frame loads; the order is known there.
struct frame_entry {
  std::uintptr_t rbx, rbp, r12, r13, r14, r15;
  std::uintptr_t target;
};

frame_entry entry_of(const latent_site& site) noexcept {
  const auto& value = site.registers.value;
  return {value[3], value[6], value[12], value[13], value[14], value[15], site.paired};
}

}  // namespace

extern "C" {
// Goes on at the target with these registers, on the stack of the caller. Returns when somebody leaves for `way_back`.
void sennit_enter_frame(const frame_entry& entry, void** way_back) noexcept;
[[noreturn]] void sennit_leave_frame(void* way_back) noexcept;
}

bool give_oldest_call(const void* above) {
  // Relaxed: a strand that has a latent call runs the module's code.
  if (!__atomic_load_n(&any_latent_calls, __ATOMIC_RELAXED)) return false;
  const latent_site site = oldest_latent_site(above);
  if (site.slot == nullptr) return false;
  const auto* const frame = reinterpret_cast<const void*>(site.registers.value[6]);
  if (!reserve_given(frame)) return false;
  const frame_entry entry = entry_of(site);
  latent_request request;
  asked = &request;
  sennit_enter_frame(entry, &request.way_back);
  set_given(frame, request.given);
  if (request.given == nullptr) {
    if (request.failure) std::rethrow_exception(std::move(request.failure));
    return false;
  }
  store_word(site.slot, site.paired);
  return true;
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

// The frame finds its variables by %rbp. Below %rsp it may use as much as it likes; above it may have room for
// arguments of calls.
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
	movq	0(%rdi), %rbx
	movq	16(%rdi), %r12
	movq	24(%rdi), %r13
	movq	32(%rdi), %r14
	movq	40(%rdi), %r15
	movq	48(%rdi), %rcx
	movq	8(%rdi), %rbp
	leaq	-4096(%rsp), %rsp
	andq	$-16, %rsp
	xorl	%eax, %eax
	xorl	%edx, %edx
	jmp	*%rcx
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
