// SPDX-License-Identifier: Apache-2.0
// The gates of a worker: thread-local values that its strand compares on each push, pop and claim, and that send it to the slow path.
#pragma once

#include <sennit/detail/worker_tls.hpp>

#include <atomic>
#include <cstdint>

namespace sennit::detail {

// Why a gate is shut.
enum gate_reason : unsigned {
  cancelled = 1,        // the region of the strand that runs here is cancelled
  contract = 2,         // each construct must check the thread contract
  observed = 4,         // the strand that runs here has a trace cursor
  fenced = 8,           // the owner must fence each pop
  wake_wanted = 16,     // sleepers must be told of a push
  sign_wanted = 32,     // the watchdog asks whether the strand goes on
  frame_wanted = 64,    // a thief wants the oldest frame
  answer_wanted = 128,  // and there is one to hand over
  leave_wanted = 256,   // the worker is ordered to leave: the strand must go on elsewhere
};
inline constexpr unsigned shut_push =
    cancelled | contract | wake_wanted | sign_wanted | frame_wanted | leave_wanted;
inline constexpr unsigned shut_pop = cancelled | contract | fenced | answer_wanted;

inline slot* const shut_limit = nullptr;
inline slot* const shut_head_gate = reinterpret_cast<slot*>(~std::uintptr_t{0});

// Under the lock of the deque. Opens the gates that no reason shuts: to slots below `end`, and above `head`.
inline void set_gates(worker_tls& of, unsigned reasons, slot* head, slot* end) noexcept {
  slot* const limit = (reasons & shut_push) != 0 ? shut_limit : end;
  slot* const head_gate = (reasons & shut_pop) != 0 ? shut_head_gate : head;
  // Observed strands read these. No loop is exposed in them, so D16 does not concern them.
  of.head_gate_beneath.store(head_gate, std::memory_order_relaxed);
  of.limit_beneath.store(limit, std::memory_order_relaxed);
  const bool seen = (reasons & observed) != 0;
  // ORD[D16] release: the cuts that were made while the gates were shut, and that this thread has done with
  // loops that the owner may retire now; pairs with the acquire in pop_gate_shut(). Model: models/loop.pml.
  of.head_gate.store(seen ? shut_head_gate : head_gate, std::memory_order_release);
  // ORD[D16] release: the same; pairs with the acquire in any_gate_shut(). Model: models/loop.pml.
  of.limit.store(seen ? shut_limit : limit, std::memory_order_release);
}

inline void shut_push_gate(worker_tls& of) noexcept {
  of.limit_beneath.store(shut_limit, std::memory_order_relaxed);
  of.limit.store(shut_limit, std::memory_order_relaxed);
}

inline void shut_gates(worker_tls& of) noexcept {
  of.limit.store(shut_limit, std::memory_order_relaxed);
  of.limit_beneath.store(shut_limit, std::memory_order_relaxed);
  of.head_gate.store(shut_head_gate, std::memory_order_relaxed);
  of.head_gate_beneath.store(shut_head_gate, std::memory_order_relaxed);
}

// Only assertions call it.
inline bool gates_are_shut(const worker_tls& of) noexcept {
  return of.limit.load(std::memory_order_relaxed) == shut_limit &&
         of.head_gate.load(std::memory_order_relaxed) == shut_head_gate;
}

}  // namespace sennit::detail
