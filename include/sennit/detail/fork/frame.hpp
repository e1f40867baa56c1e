// SPDX-License-Identifier: Apache-2.0
// The record of latent parallelism: one branch that another worker may run. The frame of a join lives on the
// stack of the function that forks. Children of groups and pieces of loops live in memory of their own. A
// frame is complete only once it has left its owner's deque.
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/completion.hpp>
#include <sennit/detail/variant.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

namespace sennit::detail {

class fiber;
class frame;
class frame_list;
class listed_frames;
class mailbox;
class view;
struct region_state;

// What number a construct has in its list, and what the schedule's hooks follow from there on. Only in observed
// regions.
struct whereabouts {
  std::uint64_t position;
  const void* plan;
  // The branch's constructs are a level deeper, counted from zero; else they follow it in its list.
  bool within;
};
inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};

enum class outcome : std::uint8_t {
  none,     // not run, or run by its owner
  value,    // ran elsewhere and returned
  thrown,   // ran elsewhere and threw; `failure` holds the exception
  dropped,  // its region was cancelled before it came to an end
};

// What a frame needs once it is no longer its owner's alone. The thread that claims or promotes the frame
// makes the state, under the lock of the deque that the frame leaves.
struct stolen_state {
  stolen_state(region_state* r, fiber* o) noexcept : region(r), opener(o) {}

  completion done;
  region_state* region;
  fiber* opener;  // whose strand opened it, where that is known: for debuggers
  // Whose list the frame waits in to be claimed, where its strand may have it back; null once it is claimed.
  std::atomic<listed_frames*> holder{nullptr};
  frame_list* list = nullptr;  // which of that holder's
  // Where it was posted, by the worker whose deque it left.
  mailbox* box = nullptr;
  frame* older = nullptr;  // neighbors in that list
  frame* newer = nullptr;
  std::exception_ptr failure;
  view* views = nullptr;  // what the branch has added to reducers
  // In observed regions: what was noted of the branch, and the number of its beginning in the plan of who runs
  // it.
  void* notes = nullptr;
  std::uint64_t number = nowhere;
  color_set colors = all_colors;  // of the work below it
  outcome result = outcome::none;
  bool dealt = false;      // posted as part of a loop's deal; more of its kind may follow soon
  bool is_strand = false;  // no branch, but a strand that was left
  bool donated = false;    // to a certain worker
  bool kept = false;       // for the worker that it was donated to, unless that one cannot take it
  bool allocated = false;  // by the deque that the frame left
  bool resumes = false;    // no branch of the program: it lets a strand go on that has waited
  bool in_place = false;   // its own strand runs it, as a thief would
};

class frame {
 public:
  // Runs the branch on a worker that has claimed it, records the outcome in the frame's state, says that it
  // has finished, and returns the fiber that waits for it, if the caller must resume it. Nothing touches the
  // frame afterwards.
  using entry = fiber* (*)(frame&) noexcept;

  SENNIT_INLINE explicit frame(entry begin) noexcept : run_(begin) {}
  frame(const frame&) = delete;
  frame& operator=(const frame&) = delete;
  SENNIT_INLINE ~frame() {}

  fiber* run() noexcept { return run_(*this); }
  entry code() const noexcept { return run_; }
  // Precondition: the frame has left its owner's deque.
  stolen_state& stolen() noexcept { return *stolen_; }
  // Null: there was no memory for a state, and only the frame's strand can have the frame.
  stolen_state* state() noexcept { return stolen_; }
  void set_state(stolen_state* stolen) noexcept { stolen_ = stolen; }
  // Not initialized but in observed regions.
  whereabouts& where() noexcept { return where_; }

  // The push of the branch of a join: writes `content` into the slot at the tail, and keeps that slot. Returns the next slot.
  SENNIT_INLINE slot* enter(slot* tail, std::uintptr_t content) noexcept {
    std::construct_at(&slot_, tail);
    return fill(tail, content);
  }
  // Where enter() has put the frame; null once the frame has left its deque. A thief may write this while the strand reads
  // it. If the strand still reads the old slot, the strand is still on that deque, and the gate of pop is shut, or above that slot.
  SENNIT_INLINE slot* in_slot() const noexcept {
#if defined(__aarch64__) && !defined(__clang__) && !SENNIT_TSAN
    // GCC 12 spends an instruction on the address of an atomic object. A volatile load of an aligned word is one load, too.
    return *reinterpret_cast<slot* const volatile*>(&slot_);
#else
    return slot_.load(std::memory_order_relaxed);
#endif
  }
  // Called under the lock of the deque that the frame leaves.
  void leave_slot() noexcept { slot_.store(nullptr, std::memory_order_relaxed); }

 private:
  friend struct inspection;

  // Not initialized while the frame is its owner's alone.
  stolen_state* stolen_;
  whereabouts where_;
  union {
    std::atomic<slot*> slot_;
  };
  entry run_;  // beside the branch, so that one instruction of AArch64 writes both
};
static_assert(sizeof(frame) <= 48, "each fork that is not stolen pays for a frame on its stack");

// A frame that needs no memory to be stolen. Such are children of groups, pieces of loops, regions and strands. They have
// the state inside, because most of them are listed at once and would need it anyway.
class frame_with_state : public frame {
 public:
  SENNIT_INLINE explicit frame_with_state(entry begin) noexcept : frame(begin) {}
  SENNIT_INLINE ~frame_with_state() {}

  // The low bits of a slot that holds such a frame.
  static constexpr std::uintptr_t tag = 4;

  stolen_state& mark_stolen(region_state* region, fiber* opener = nullptr) noexcept {
    set_state(std::construct_at(&own_, region, opener));
    return own_;
  }

 private:
  union {
    stolen_state own_;
  };
};

}  // namespace sennit::detail
