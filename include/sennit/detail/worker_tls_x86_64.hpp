// SPDX-License-Identifier: Apache-2.0
// The words of worker_tls on x86-64: instructions that name %fs themselves. For worker_tls.hpp alone.
#pragma once

#include <sennit/detail/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {

// Each instruction finds the object by itself.
struct tls_place {};
SENNIT_INLINE tls_place find_tls() noexcept { return {}; }

// Code that is linked with a static libsennit into an executable knows the object's offset at link time.
// Other code reads the offset from the offset table. The offset is the same on every thread, so the compiler
// may keep it.
#if defined(SENNIT_SHARED) || (defined(__PIC__) && !defined(__PIE__))
SENNIT_INLINE std::ptrdiff_t tls_offset() noexcept {
  std::ptrdiff_t offset;
  asm("movq sennit_tls@gottpoff(%%rip), %0" : "=r"(offset));
  return offset;
}
#define SENNIT_WORD(at) "%%fs:" at "(%[offset])"
#define SENNIT_OFFSET [offset] "r"(tls_offset()),
#else
#define SENNIT_WORD(at) "%%fs:sennit_tls@tpoff+" at
#define SENNIT_OFFSET
#endif

// The clobbers of memory protect the library's slow paths, which access the same members by address.
SENNIT_INLINE slot* load_tail(tls_place = find_tls()) noexcept {
  slot* tail;
  asm volatile("movq " SENNIT_WORD("0") ", %[tail]" : [tail] "=r"(tail) : SENNIT_OFFSET "i"(0) : "memory");
  return tail;
}

SENNIT_INLINE slot* fill(slot* tail, std::uintptr_t with) noexcept {
  tail->store(with, std::memory_order_relaxed);
  return tail + 1;
}

SENNIT_INLINE void store_tail(slot* tail, tls_place = find_tls()) noexcept {
  asm volatile("movq %[tail], " SENNIT_WORD("0") : : SENNIT_OFFSET[tail] "r"(tail) : "memory");
}

// ORD[D1] release (a plain store on x86, and nothing moves below it here): publishes the slot, the frame and
// all that the branch will read; pairs with the acquire of tail in deque::tail_for_thieves().
// Model: models/deque.pml.
SENNIT_INLINE void publish_tail(slot* tail, tls_place = find_tls()) noexcept {
  asm volatile("movq %[tail], " SENNIT_WORD("0") : : SENNIT_OFFSET[tail] "r"(tail) : "memory");
}

// ORD[D5] The comparison reads limit after tail is published, with no fence between:
// the sleeper that shut the gate pays for the order (runtime_core::arm_gates()). Model: models/sleep.pml.
SENNIT_INLINE bool push_gate_shut(slot* tail, tls_place = find_tls()) noexcept {
  asm goto("cmpq " SENNIT_WORD("128") ", %[tail]\n\tja %l[shut]"
           :
           : SENNIT_OFFSET[tail] "r"(tail)
           : "cc", "memory"
           : shut);
  return false;
shut:
  return true;
}

// ORD[D2] The comparison reads head_gate after tail is lowered, with no fence between:
// the thief that shut the gate pays for the order (deque::claim_frozen()). Model: models/deque.pml.
SENNIT_INLINE bool pop_gate_shut(slot* tail, tls_place = find_tls()) noexcept {
  asm goto("cmpq " SENNIT_WORD("136") ", %[tail]\n\tjb %l[shut]"
           :
           : SENNIT_OFFSET[tail] "r"(tail)
           : "cc", "memory"
           : shut);
  return false;
shut:
  return true;
}

// x86 keeps loads in order, and the compiler the assembly.
SENNIT_INLINE void acquire_pop_gate() noexcept {}

// Only the comparison: limit is null.
SENNIT_INLINE bool any_gate_shut(tls_place = find_tls()) noexcept {
  asm goto("cmpq $0, " SENNIT_WORD("128") "\n\tje %l[shut]" : : SENNIT_OFFSET "i"(0) : "cc", "memory" : shut);
  return false;
shut:
  return true;
}

// Whether a beginning loop must take the slow path: the gate is shut, or a worker waits.
SENNIT_INLINE bool loop_gate_shut(tls_place = find_tls()) noexcept {
  asm goto("cmpq $0, " SENNIT_WORD("128") "\n\tje %l[shut]\n\tmovq " SENNIT_WORD(
               "16") ", %%rax\n\tcmpl $0, (%%rax)\n\tjne %l[shut]"
           :
           : SENNIT_OFFSET "i"(0)
           : "cc", "memory", "rax"
           : shut);
  return false;
shut:
  return true;
}

// Where the current strand finds the limit of the thread on which it runs.
SENNIT_INLINE const std::atomic<slot*>* const* load_gate(tls_place = find_tls()) noexcept {
  const std::atomic<slot*>* const* gate;
  asm volatile("movq " SENNIT_WORD("56") ", %[gate]" : [gate] "=r"(gate) : SENNIT_OFFSET "i"(0) : "memory");
  return gate;
}

SENNIT_INLINE std::uint64_t load_loop_mask(tls_place = find_tls()) noexcept {
  std::uint64_t mask;
  asm volatile("movq " SENNIT_WORD("24") ", %[mask]" : [mask] "=r"(mask) : SENNIT_OFFSET "i"(0) : "memory");
  return mask;
}

SENNIT_INLINE std::uint64_t load_loop_sharing(tls_place = find_tls()) noexcept {
  std::uint64_t sharing;
  asm volatile("movq " SENNIT_WORD("32") ", %[sharing]"
               : [sharing] "=r"(sharing)
               : SENNIT_OFFSET "i"(0)
               : "memory");
  return sharing;
}

SENNIT_INLINE view* load_views(tls_place = find_tls()) noexcept {
  view* views;
  asm volatile("movq " SENNIT_WORD("8") ", %[views]" : [views] "=r"(views) : SENNIT_OFFSET "i"(0) : "memory");
  return views;
}

SENNIT_INLINE void store_views(view* views, tls_place = find_tls()) noexcept {
  asm volatile("movq %[views], " SENNIT_WORD("8") : : SENNIT_OFFSET[views] "r"(views) : "memory");
}

// ORD[D15] A plain store, before any_gate_shut() reads limit, with no fence between: the thief that shut the
// gate pays for the order (deque::claim_frozen()). Model: models/loop.pml.
SENNIT_INLINE void publish_start(std::atomic<std::uint64_t>& start, std::uint64_t to) noexcept {
  start.store(to, std::memory_order_relaxed);
}

// ORD[D16] A plain load, after that of limit, as x86 keeps loads in order and the compiler the assembly: a
// gate that is open again shows the cut that was made meanwhile. Model: models/loop.pml.
SENNIT_INLINE std::uint64_t end_seen(const std::atomic<std::uint64_t>& gate) noexcept {
  return gate.load(std::memory_order_relaxed);
}
#undef SENNIT_OFFSET
#undef SENNIT_WORD

}  // namespace sennit::detail
