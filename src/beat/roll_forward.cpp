// SPDX-License-Identifier: Apache-2.0
#include "beat/roll_forward.hpp"

#include "beat/address_pairs.hpp"
#include "beat/outward_walk.hpp"
#include "beat/pending.hpp"

#include <ucontext.h>

#include <cstdint>

namespace sennit::detail {

constinit thread_local volatile bool beat_pending [[gnu::tls_model("initial-exec")]] = false;

namespace {

#if defined(__x86_64__)

greg_t& program_counter(void* context) noexcept {
  return static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
}

bool place_beat(void* context) noexcept {
  greg_t& pc = program_counter(context);
  const place_in_code here = find_instruction(static_cast<std::uintptr_t>(pc));
  if (here.copy == copy_of_code::second) return true;
  if (here.copy == copy_of_code::first) {
    // The thread may be inside a sequence that the linker has changed. It will leave the sequence soon.
    if (here.paired == 0) return false;
    pc = static_cast<greg_t>(here.paired);
    return true;
  }
  return outward_walk(*static_cast<const ucontext_t*>(context)).run();
}

#else

// On this CPU nothing can be rolled forward: there are no tables and no counterparts.
bool place_beat(void*) noexcept { return false; }

#endif

}  // namespace

bool roll_forward(void* ucontext) noexcept {
  const bool placed = place_beat(ucontext);
  beat_pending = !placed;
  return placed;
}

// Relaxed: a thread that runs marked code has seen it loaded.
bool any_marked_code() noexcept { return __atomic_load_n(&paired_modules, __ATOMIC_RELAXED) != nullptr; }

bool beat_is_pending() noexcept { return beat_pending; }

}  // namespace sennit::detail
