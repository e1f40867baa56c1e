// The thread-local data of a worker that a fork uses: one object for each thread. No other code in headers
// reads or writes these members, but for `setting`.
//
// A strand may continue on another thread after any construct, so code must never keep the address of a
// thread-local across one. Compilers do keep such an address, whatever the TLS model: GCC 12 hoists %fs:0
// into a callee-saved register, and clang reuses the address that it computed. So on x86-64, instructions
// that name %fs themselves access the members; on other machines, a function that the compiler cannot see
// into returns their address. See docs/protocols/deque.md, "Thread-locals".
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/variant.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {

class trace_cursor;
class view;

// The address of a frame, with the frame's kind in the low bits. A fork has kind 0, so the fork path stores
// the address unchanged.
using slot = std::atomic<std::uintptr_t>;

// Two cache lines (the pair of a prefetcher) lie between what the owner writes at each fork and what thieves
// write. Static TLS is scarce in a process that loads a shared object late, so the struct has no larger size
// or alignment than that needs.
struct alignas(64) worker_tls {
  // One past the owner's newest frame.
  std::atomic<slot*> tail;
  // What the current strand has added to reducers.
  view* views;
  // The number of workers of the thread's runtime that wait for work: a hint. Null outside any runtime.
  const std::atomic<unsigned>* waiting;
  // Zero in the fence variant, in which each claim of a loop takes the slow path; else all ones.
  std::uint64_t loop_mask;
  // A chunk of a loop is at most 2^-loop_sharing of the remaining iterations.
  std::uint64_t loop_sharing;
  // The trace cursor of the current strand, if its region is observed; else null.
  trace_cursor* cursor;
  // State of the random numbers.
  std::uint64_t random;
  // Where the current strand has the address of its thread's limit.
  const std::atomic<slot*>* const* gate;
  // What goes with the current strand from thread to thread besides: of sennit::tbb, where it is in the constructs of
  // oneTBB. It is null where a strand begins.
  const void* setting;
  unsigned char apart[56];
  // The gate of push. Push takes the slow path if tail passes it, or if it is shut (null).
  std::atomic<slot*> limit;
  // The gate of pop. Pop takes the slow path if tail falls below it, or if it is shut (all ones).
  std::atomic<slot*> head_gate;
  // In an observed region both gates are always shut; these members hold the values they would have
  // otherwise.
  std::atomic<slot*> limit_beneath;
  std::atomic<slot*> head_gate_beneath;
  // In an observed region thieves take no frame beyond it: the trace cursor has not yet noted the latest
  // push.
  std::atomic<slot*> tail_seen;
};
static_assert(offsetof(worker_tls, views) == 8 && offsetof(worker_tls, waiting) == 16 &&
              offsetof(worker_tls, loop_mask) == 24 && offsetof(worker_tls, loop_sharing) == 32 &&
              offsetof(worker_tls, gate) == 56 && offsetof(worker_tls, limit) == 128 &&
              offsetof(worker_tls, head_gate) == 136);

}  // namespace sennit::detail

extern "C" {
SENNIT_EXPORT
[[gnu::tls_model("initial-exec")]] extern constinit thread_local sennit::detail::worker_tls sennit_tls;
}

namespace sennit::detail {

// The object of the thread that runs the call.
SENNIT_EXPORT [[gnu::noinline]] worker_tls& current_tls() noexcept;

#if defined(__x86_64__) && defined(__ELF__) && !SENNIT_TSAN

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
SENNIT_INLINE slot* load_tail() noexcept {
  slot* tail;
  asm volatile("movq " SENNIT_WORD("0") ", %[tail]" : [tail] "=r"(tail) : SENNIT_OFFSET "i"(0) : "memory");
  return tail;
}

SENNIT_INLINE void store_tail(slot* tail) noexcept {
  asm volatile("movq %[tail], " SENNIT_WORD("0") : : SENNIT_OFFSET[tail] "r"(tail) : "memory");
}

// ORD[D1] release (a plain store on x86, and nothing moves below it here): publishes the slot, the frame and
// all that the branch will read; pairs with the acquire of tail in deque::tail_for_thieves().
// Model: models/deque.pml.
SENNIT_INLINE void publish_tail(slot* tail) noexcept {
  asm volatile("movq %[tail], " SENNIT_WORD("0") : : SENNIT_OFFSET[tail] "r"(tail) : "memory");
}

// ORD[D5] The comparison reads limit after tail is published, with no fence between:
// the sleeper that shut the gate pays for the order (runtime_core::arm_gates()). Model: models/sleep.pml.
SENNIT_INLINE bool push_gate_shut(slot* tail) noexcept {
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
SENNIT_INLINE bool pop_gate_shut(slot* tail) noexcept {
  asm goto("cmpq " SENNIT_WORD("136") ", %[tail]\n\tjb %l[shut]"
           :
           : SENNIT_OFFSET[tail] "r"(tail)
           : "cc", "memory"
           : shut);
  return false;
shut:
  return true;
}
// Only the comparison: limit is null.
SENNIT_INLINE bool any_gate_shut() noexcept {
  asm goto("cmpq $0, " SENNIT_WORD("128") "\n\tje %l[shut]" : : SENNIT_OFFSET "i"(0) : "cc", "memory" : shut);
  return false;
shut:
  return true;
}

// Whether a beginning loop must take the slow path: the gate is shut, or a worker waits.
SENNIT_INLINE bool loop_gate_shut() noexcept {
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
SENNIT_INLINE const std::atomic<slot*>* const* load_gate() noexcept {
  const std::atomic<slot*>* const* gate;
  asm volatile("movq " SENNIT_WORD("56") ", %[gate]" : [gate] "=r"(gate) : SENNIT_OFFSET "i"(0) : "memory");
  return gate;
}

SENNIT_INLINE std::uint64_t load_loop_mask() noexcept {
  std::uint64_t mask;
  asm volatile("movq " SENNIT_WORD("24") ", %[mask]" : [mask] "=r"(mask) : SENNIT_OFFSET "i"(0) : "memory");
  return mask;
}

SENNIT_INLINE std::uint64_t load_loop_sharing() noexcept {
  std::uint64_t sharing;
  asm volatile("movq " SENNIT_WORD("32") ", %[sharing]"
               : [sharing] "=r"(sharing)
               : SENNIT_OFFSET "i"(0)
               : "memory");
  return sharing;
}

SENNIT_INLINE view* load_views() noexcept {
  view* views;
  asm volatile("movq " SENNIT_WORD("8") ", %[views]" : [views] "=r"(views) : SENNIT_OFFSET "i"(0) : "memory");
  return views;
}

SENNIT_INLINE void store_views(view* views) noexcept {
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

#else

SENNIT_INLINE slot* load_tail() noexcept { return current_tls().tail.load(std::memory_order_relaxed); }

SENNIT_INLINE void store_tail(slot* tail) noexcept {
  // ORD[D1] release: a thief that reads the lowered tail may take an older frame; what a release publishes
  // ends with the next plain store. Pairs with the acquire of tail in deque::tail_for_thieves().
  current_tls().tail.store(tail, std::memory_order_release);
}

SENNIT_INLINE void publish_tail(slot* tail) noexcept {
  // ORD[D1] release: publishes the slot, the frame and all that the branch will read;
  // pairs with the acquire of tail in deque::tail_for_thieves(). Model: models/deque.pml.
  current_tls().tail.store(tail, std::memory_order_release);
}

SENNIT_INLINE bool push_gate_shut(slot* tail) noexcept {
  // ORD[D5] The compiler must keep the order of tail and limit;
  // the processor is made to by the sleeper's barrier.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return tail > current_tls().limit.load(std::memory_order_relaxed);
}

SENNIT_INLINE bool pop_gate_shut(slot* tail) noexcept {
  // ORD[D2] The compiler must keep the order of tail and head_gate;
  // the processor is made to by the thief's barrier.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  // ORD[D16] acquire: a thief has done with the loop that is retired; pairs with the release in
  // set_gates().
  return tail < current_tls().head_gate.load(std::memory_order_acquire);
}

// ORD[D16] acquire: a gate that is open again shows the cut that was made meanwhile; pairs with the release
// in set_gates(). Model: models/loop.pml.
SENNIT_INLINE bool any_gate_shut() noexcept {
  // ORD[D15] The compiler must keep start and limit in order; the thief's barrier makes the processor.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return current_tls().limit.load(std::memory_order_acquire) == nullptr;
}

SENNIT_INLINE void publish_start(std::atomic<std::uint64_t>& start, std::uint64_t to) noexcept {
  start.store(to, std::memory_order_relaxed);
}

SENNIT_INLINE std::uint64_t end_seen(const std::atomic<std::uint64_t>& gate) noexcept {
  return gate.load(std::memory_order_relaxed);
}

SENNIT_INLINE bool loop_gate_shut() noexcept {
  const worker_tls& tls = current_tls();
  return tls.limit.load(std::memory_order_relaxed) == nullptr ||
         tls.waiting->load(std::memory_order_relaxed) != 0;
}

SENNIT_INLINE const std::atomic<slot*>* const* load_gate() noexcept { return current_tls().gate; }

SENNIT_INLINE std::uint64_t load_loop_mask() noexcept { return current_tls().loop_mask; }

SENNIT_INLINE std::uint64_t load_loop_sharing() noexcept { return current_tls().loop_sharing; }

SENNIT_INLINE view* load_views() noexcept { return current_tls().views; }

SENNIT_INLINE void store_views(view* views) noexcept { current_tls().views = views; }

#endif

// The push gate, for the iterations of a block: it is shut if anybody wants something of the strand.
//
// It is read as plain memory, on purpose, so that the compiler sees to the price: behind a call that it
// cannot see through it reads the gate again, and where it sees all of an iteration, it reads the gate once,
// ahead of a loop that it vectorizes as ever. So a block of long iterations ends soon after the gate is shut,
// and a block of short ones at its end. The gate is reached by a word of the strand, as an iteration may end
// on another thread.
//
// Precondition: the code belongs to a strand.
class gate_view {
 public:
  SENNIT_INLINE gate_view() noexcept : limit_(reinterpret_cast<const plain* const*>(load_gate())) {}
  SENNIT_INLINE bool shut() const noexcept {
#if SENNIT_TSAN
    return reinterpret_cast<const std::atomic<slot*>*>(*limit_)->load(std::memory_order_relaxed) == nullptr;
#else
    return **limit_ == nullptr;
#endif
  }

 private:
  using plain = slot*;
  const plain* const* limit_;
};
static_assert(sizeof(std::atomic<slot*>) == sizeof(slot*));

// Where there is nobody to look for.
struct no_gate {
  static constexpr bool shut() noexcept { return false; }
};

}  // namespace sennit::detail
