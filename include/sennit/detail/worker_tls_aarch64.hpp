// SPDX-License-Identifier: Apache-2.0
// The words of worker_tls on AArch64: instructions that read the thread's register themselves. For worker_tls.hpp alone.
#pragma once

#include <sennit/detail/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {

// Code that is linked with a static libsennit into an executable knows the object's offset at link time: its upper bits are in
// tls_place, its lower ones in each instruction. Other code reads the offset from the offset table. The offset is the same on
// every thread, so the compiler may keep it.
struct tls_place {
  char* base;
};

#if defined(SENNIT_SHARED) || (defined(__PIC__) && !defined(__PIE__))
SENNIT_INLINE std::ptrdiff_t tls_offset() noexcept {
  std::ptrdiff_t offset;
  asm("adrp %0, :gottprel:sennit_tls\n\tldr %0, [%0, #:gottprel_lo12:sennit_tls]" : "=r"(offset));
  return offset;
}
SENNIT_INLINE tls_place find_tls() noexcept {
  char* thread;
  asm volatile("mrs %0, tpidr_el0" : "=r"(thread) : : "memory");
  return {thread + tls_offset()};
}
#define SENNIT_WORD(at) "[%[tls], #" at "]"
SENNIT_INLINE char* address_of_tail(tls_place tls) noexcept { return tls.base; }
#else
SENNIT_INLINE tls_place find_tls() noexcept {
  char* upper;
  asm volatile("mrs %0, tpidr_el0\n\tadd %0, %0, #:tprel_hi12:sennit_tls, lsl #12"
               : "=r"(upper)
               :
               : "memory");
  return {upper};
}
#define SENNIT_WORD(at) "[%[tls], #:tprel_lo12_nc:sennit_tls+" at "]"
SENNIT_INLINE char* address_of_tail(tls_place tls) noexcept {
  char* address;
  asm("add %0, %1, #:tprel_lo12_nc:sennit_tls" : "=r"(address) : "r"(tls.base));
  return address;
}
#endif

// The clobbers of memory protect the library's slow paths, which access the same members by address.
SENNIT_INLINE slot* load_tail(tls_place tls = find_tls()) noexcept {
  slot* tail;
  asm volatile("ldr %[tail], " SENNIT_WORD("0") : [tail] "=r"(tail) : [tls] "r"(tls.base) : "memory");
  return tail;
}

SENNIT_INLINE slot* fill(slot* tail, std::uintptr_t with) noexcept {
  asm volatile("str %[with], [%[tail]], #8" : [tail] "+r"(tail) : [with] "r"(with) : "memory");
  return tail;
}

// ORD[D1] A plain store. What publish_tail() released holds for later stores to tail, too, as the stores of a thread to one
// word keep their order (a local write successor is locally ordered).
SENNIT_INLINE void store_tail(slot* tail, tls_place tls = find_tls()) noexcept {
  asm volatile("str %[tail], " SENNIT_WORD("0") : : [tls] "r"(tls.base), [tail] "r"(tail) : "memory");
}

// ORD[D1] release: publishes the slot, the frame and all that the branch will read; pairs with the acquire of tail in
// deque::tail_for_thieves(). Model: models/deque.pml.
SENNIT_INLINE void publish_tail(slot* tail, tls_place tls = find_tls()) noexcept {
  asm volatile("stlr %[tail], [%[at]]" : : [at] "r"(address_of_tail(tls)), [tail] "r"(tail) : "memory");
}

// ORD[D5] The comparison reads limit after tail is published, with no fence between:
// the sleeper that shut the gate pays for the order (runtime_core::arm_gates()). Model: models/sleep.pml.
SENNIT_INLINE bool push_gate_shut(slot* tail, tls_place tls = find_tls()) noexcept {
  slot* limit;
  asm volatile("ldr %[limit], " SENNIT_WORD("128") : [limit] "=r"(limit) : [tls] "r"(tls.base) : "memory");
  return tail > limit;
}

// ORD[D2] The comparison reads head_gate after tail is lowered, with no fence between:
// the thief that shut the gate pays for the order (deque::claim_frozen()). Model: models/deque.pml.
SENNIT_INLINE bool pop_gate_shut(slot* tail, tls_place tls = find_tls()) noexcept {
  slot* gate;
  asm volatile("ldr %[gate], " SENNIT_WORD("136") : [gate] "=r"(gate) : [tls] "r"(tls.base) : "memory");
  return tail < gate;
}

// ORD[D16] acquire, of the gate of pop, or of limit: loads before it come before whatever is behind it. An acquiring load
// (ldar) would wait until the release of tail has left the store buffer, and that is the fence that the owner is spared.
SENNIT_INLINE void acquire_pop_gate() noexcept { asm volatile("dmb ishld" : : : "memory"); }

// ORD[D16] acquire: a gate that is open again shows the cut that was made meanwhile; pairs with the release in set_gates().
// Model: models/loop.pml.
SENNIT_INLINE bool any_gate_shut(tls_place tls = find_tls()) noexcept {
  // ORD[D15] No fence between the store of start and this: the thief that shut the gate pays for the order.
  slot* limit;
  asm volatile("ldr %[limit], " SENNIT_WORD("128") : [limit] "=r"(limit) : [tls] "r"(tls.base) : "memory");
  if (limit == nullptr) return true;
  asm volatile("dmb ishld" : : : "memory");
  return false;
}

// Whether a beginning loop must take the slow path: the gate is shut, or a worker waits.
SENNIT_INLINE bool loop_gate_shut(tls_place tls = find_tls()) noexcept {
  slot* limit;
  asm volatile("ldr %[limit], " SENNIT_WORD("128") : [limit] "=r"(limit) : [tls] "r"(tls.base) : "memory");
  if (limit == nullptr) return true;
  const std::atomic<unsigned>* waiting;
  asm volatile("ldr %[waiting], " SENNIT_WORD("16")
               : [waiting] "=r"(waiting)
               : [tls] "r"(tls.base)
               : "memory");
  return waiting->load(std::memory_order_relaxed) != 0;
}

// Where the current strand finds the limit of the thread on which it runs.
SENNIT_INLINE const std::atomic<slot*>* const* load_gate(tls_place tls = find_tls()) noexcept {
  const std::atomic<slot*>* const* gate;
  asm volatile("ldr %[gate], " SENNIT_WORD("56") : [gate] "=r"(gate) : [tls] "r"(tls.base) : "memory");
  return gate;
}

SENNIT_INLINE std::uint64_t load_loop_mask(tls_place tls = find_tls()) noexcept {
  std::uint64_t mask;
  asm volatile("ldr %[mask], " SENNIT_WORD("24") : [mask] "=r"(mask) : [tls] "r"(tls.base) : "memory");
  return mask;
}

SENNIT_INLINE std::uint64_t load_loop_sharing(tls_place tls = find_tls()) noexcept {
  std::uint64_t sharing;
  asm volatile("ldr %[sharing], " SENNIT_WORD("32")
               : [sharing] "=r"(sharing)
               : [tls] "r"(tls.base)
               : "memory");
  return sharing;
}

SENNIT_INLINE view* load_views(tls_place tls = find_tls()) noexcept {
  view* views;
  asm volatile("ldr %[views], " SENNIT_WORD("8") : [views] "=r"(views) : [tls] "r"(tls.base) : "memory");
  return views;
}

SENNIT_INLINE void store_views(view* views, tls_place tls = find_tls()) noexcept {
  asm volatile("str %[views], " SENNIT_WORD("8") : : [tls] "r"(tls.base), [views] "r"(views) : "memory");
}

// ORD[D15] A plain store, before any_gate_shut() reads limit, with no fence between: the thief that shut the
// gate pays for the order (deque::claim_frozen()). Model: models/loop.pml.
SENNIT_INLINE void publish_start(std::atomic<std::uint64_t>& start, std::uint64_t to) noexcept {
  start.store(to, std::memory_order_relaxed);
}

// ORD[D16] A plain load: any_gate_shut() has acquired.
SENNIT_INLINE std::uint64_t end_seen(const std::atomic<std::uint64_t>& gate) noexcept {
  return gate.load(std::memory_order_relaxed);
}
#undef SENNIT_WORD

}  // namespace sennit::detail
