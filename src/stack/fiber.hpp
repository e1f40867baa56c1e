// SPDX-License-Identifier: Apache-2.0
// Fibers: stacks that strands run on and may be left on while they wait.
#pragma once

#include "stack/stack.hpp"

#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/region.hpp>

#include <cstddef>
#include <cstdint>

namespace sennit::detail {

class frame;

// A region that the code on a fiber is in, from the deque's point of view: frames at `first` and beyond
// belong to it, older ones to the regions around it.
struct scope {
  region_state* region;
  slot* first;
  scope* outer;
  class fiber* strand = nullptr;    // that the code belongs to
  std::uint64_t spawns_before = 0;  // of its strand
  const void* frame = nullptr;      // on the stack: the frames of code that is in the region are below
};

// The strand's deque is another one, or begins anew: what it pushes from here on belongs to the innermost of its regions.
inline void move_scopes(scope* innermost, slot* bottom) noexcept {
  for (scope* s = innermost; s != nullptr; s = s->outer) s->first = bottom;
}

// Per thread in the C++ ABI, but the strand's own: exceptions being handled, and how many are in flight.
struct exception_state {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

// That of the calling thread.
exception_state& current_exceptions() noexcept;

struct child_underway;
struct open_group;
class unobserved_part;

class fiber {
 public:
  // A thread's own stack, to come back to.
  fiber() noexcept;
  // A stack on which `entry` will run, never to return. Check usable() before use.
  fiber(std::size_t stack_bytes, void (*entry)() noexcept) noexcept;
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;
  ~fiber();

  bool usable() const noexcept { return context_ != nullptr; }
  const stack& memory() const noexcept { return stack_; }

  // Leaves *this, the running fiber, for `to`. `then(*this, argument)` runs on the stack of `to`,
  // on this thread, once everything of *this has been saved: only there may *this be published.
  // Returns when someone switches back, maybe on another thread.
  void switch_to(fiber& to, void (*then)(fiber& left, void* argument) noexcept, void* argument) noexcept;

  // *this runs on the calling thread from now on.
  void find_gate() noexcept;

  // Gives back the memory of a suspended fiber below what is live on it.
  void trim() const noexcept { stack_.release_below(context_); }

#if SENNIT_CHECKED
  const construct_site* site = nullptr;  // the innermost construct of that strand
#endif
  // For debuggers: the branch that the strand began with, or null, and how many it waits for, having been
  // left for that.
  frame* branch = nullptr;
  std::intptr_t awaited = 0;
  scope* innermost = nullptr;  // regions of the strand that runs here
  // The limit of the thread that the strand is on; see gate_view.
  const std::atomic<slot*>* gate = nullptr;
  // These belong to the strand that runs here.
  child_underway* innermost_child = nullptr;
  open_group* open_groups = nullptr;  // with children that it pushed and has not waited for
  std::uint64_t spawns = 0;           // how many it pushed
  // In which it is; null: its hooks hear of it, or it has none.
  unobserved_part* unobserved = nullptr;
  unsigned loops = 0;     // that the strand shares with others, and graphs and pipelines
  fiber* next = nullptr;  // in a pool

 private:
  struct passage;
  friend struct fiber_entry;
  friend struct inspection;
  void end_fake_stack() noexcept;

  stack stack_;
  void* context_ = nullptr;
  void (*entry_)() noexcept = nullptr;
  exception_state exceptions_;
  view* views_ = nullptr;
  trace_cursor* cursor_ = nullptr;
  const void* setting_ = nullptr;
  [[maybe_unused]] void* sanitizer_ = nullptr;  // ASan: the fake stack; TSan: the fiber
  // ASan: of a thread's own stack, learned when it is left.
  [[maybe_unused]] const void* stack_bottom_ = nullptr;
  [[maybe_unused]] std::size_t stack_size_ = 0;
};

}  // namespace sennit::detail
