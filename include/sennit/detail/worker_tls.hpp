// SPDX-License-Identifier: Apache-2.0
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

#if defined(__aarch64__)
// So that the upper bits of all members' offsets are the same: see worker_tls_aarch64.hpp.
inline constexpr std::size_t tls_alignment = 256;
#else
inline constexpr std::size_t tls_alignment = 64;
#endif

// Two cache lines (the pair of a prefetcher) lie between what the owner writes at each fork and what thieves
// write. Static TLS is scarce in a process that loads a shared object late, so the struct has no larger size
// or alignment than that needs.
struct alignas(tls_alignment) worker_tls {
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

}  // namespace sennit::detail

// Where the object is: tls_place, which find_tls() returns, holds until the next construct.
#if defined(__x86_64__) && !SENNIT_TSAN
#include <sennit/detail/worker_tls_x86_64.hpp>
#elif defined(__aarch64__) && !SENNIT_TSAN
#include <sennit/detail/worker_tls_aarch64.hpp>
#else
// These say in C++ what the others do, for other machines and for what explores or checks the orders.
namespace sennit::detail {

using tls_place = worker_tls&;
SENNIT_INLINE tls_place find_tls() noexcept { return current_tls(); }

SENNIT_INLINE slot* load_tail(tls_place tls = find_tls()) noexcept {
  return tls.tail.load(std::memory_order_relaxed);
}

// Writes the slot, and returns the next one.
SENNIT_INLINE slot* fill(slot* tail, std::uintptr_t with) noexcept {
  tail->store(with, std::memory_order_relaxed);
  return tail + 1;
}

SENNIT_INLINE void store_tail(slot* tail, tls_place tls = find_tls()) noexcept {
  // ORD[D1] release: a thief that reads the lowered tail may take an older frame; what a release publishes
  // ends with the next plain store. Pairs with the acquire of tail in deque::tail_for_thieves().
  tls.tail.store(tail, std::memory_order_release);
}

SENNIT_INLINE void publish_tail(slot* tail, tls_place tls = find_tls()) noexcept {
  // ORD[D1] release: publishes the slot, the frame and all that the branch will read;
  // pairs with the acquire of tail in deque::tail_for_thieves(). Model: models/deque.pml.
  tls.tail.store(tail, std::memory_order_release);
}

SENNIT_INLINE bool push_gate_shut(slot* tail, tls_place tls = find_tls()) noexcept {
  // ORD[D5] The compiler must keep the order of tail and limit;
  // the processor is made to by the sleeper's barrier.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return tail > tls.limit.load(std::memory_order_relaxed);
}

#if SENNIT_TSAN && !SENNIT_EXPLORED
// ORD[D16] acquire: TSan knows no fences, so that in acquire_pop_gate() is here.
inline constexpr auto pop_gate_order = std::memory_order_acquire;
#else
inline constexpr auto pop_gate_order = std::memory_order_relaxed;
#endif

SENNIT_INLINE bool pop_gate_shut(slot* tail, tls_place tls = find_tls()) noexcept {
  // ORD[D2] The compiler must keep the order of tail and head_gate;
  // the processor is made to by the thief's barrier.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  // Relaxed, on purpose: what is taken in parts acquires behind the gate, and no thief touches another frame before its claim.
  return tail < tls.head_gate.load(pop_gate_order);
}

// Behind an open gate of pop, for work that is taken in parts.
SENNIT_INLINE void acquire_pop_gate() noexcept {
#if !SENNIT_TSAN || SENNIT_EXPLORED
  // ORD[D16] acquire: a thief has done with the loop that is retired; pairs with the release in set_gates(). Model:
  // models/loop.pml.
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

// ORD[D16] acquire: a gate that is open again shows the cut that was made meanwhile; pairs with the release
// in set_gates(). Model: models/loop.pml.
SENNIT_INLINE bool any_gate_shut(tls_place tls = find_tls()) noexcept {
  // ORD[D15] The compiler must keep start and limit in order; the thief's barrier makes the processor.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return tls.limit.load(std::memory_order_acquire) == nullptr;
}

SENNIT_INLINE void publish_start(std::atomic<std::uint64_t>& start, std::uint64_t to) noexcept {
  start.store(to, std::memory_order_relaxed);
}

SENNIT_INLINE std::uint64_t end_seen(const std::atomic<std::uint64_t>& gate) noexcept {
  return gate.load(std::memory_order_relaxed);
}

SENNIT_INLINE bool loop_gate_shut(tls_place tls = find_tls()) noexcept {
  return tls.limit.load(std::memory_order_relaxed) == nullptr ||
         tls.waiting->load(std::memory_order_relaxed) != 0;
}

SENNIT_INLINE const std::atomic<slot*>* const* load_gate(tls_place tls = find_tls()) noexcept {
  return tls.gate;
}

SENNIT_INLINE std::uint64_t load_loop_mask(tls_place tls = find_tls()) noexcept { return tls.loop_mask; }

SENNIT_INLINE std::uint64_t load_loop_sharing(tls_place tls = find_tls()) noexcept {
  return tls.loop_sharing;
}

SENNIT_INLINE view* load_views(tls_place tls = find_tls()) noexcept { return tls.views; }

SENNIT_INLINE void store_views(view* views, tls_place tls = find_tls()) noexcept { tls.views = views; }

}  // namespace sennit::detail
#endif

namespace sennit::detail {

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
