// SPDX-License-Identifier: Apache-2.0
// A deque and its owner, which is the thread that runs the test: it pushes and pops as strands do.
#pragma once

#include "deque/slots.hpp"
#include "deque/worker_frames.hpp"
#include "observe/trace_cursor.hpp"
#include "sleep/sleepers.hpp"
#include "system/reserve.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/loop/frame.hpp>
#include <sennit/join.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <new>

namespace sennit_test {

using namespace sennit::detail;

inline fiber* never_runs(frame&) noexcept { return nullptr; }

// A branch that nobody runs.
struct fork_in_test : frame {
  fork_in_test() noexcept : frame(&never_runs) { set_state(nullptr); }
  ~fork_in_test() {
    if (state() != nullptr) end_state(*this);
  }
};

// One that needs no memory to be stolen.
struct child_in_test : frame_with_state {
  child_in_test() noexcept : frame_with_state(&never_runs) {}
};

struct hooks_in_test final : schedule_hooks {
  explicit hooks_in_test(bool donates_all) noexcept : donates_all_(donates_all) {}
  void begin(trace_cursor&, frame*) noexcept override {}
  void end(trace_cursor&, frame*) noexcept override {}
  donee reached(trace_cursor&, whereabouts&, construct) noexcept override { return {}; }
  void follow(trace_cursor&, const whereabouts&) noexcept override {}
  void kept(trace_cursor&, const whereabouts&, position) noexcept override {}
  void dropped(trace_cursor&) noexcept override {}
  void waits(trace_cursor&, const whereabouts&) noexcept override {}
  void joined(trace_cursor&, frame&, sennit::detail::pause) noexcept override {}
  void regrouped(trace_cursor&, const whereabouts&, sennit::detail::pause) noexcept override {}
  void joined_child(trace_cursor&, frame&) noexcept override {}
  bool strict() const noexcept override { return donates_all_; }
  bool may_begin(worker&, std::uint64_t number) noexcept override { return number <= next_number; }

  std::uint64_t next_number = 0;

 private:
  const bool donates_all_;
};

constexpr std::uint64_t an_hour_ns = 3'600'000'000'000;

class owner {
 public:
  struct options {
    std::size_t slots = 16;
    bool fenced = false;
    unsigned lasting = 0;
    std::uint64_t beat_ns = 0;
  };

  owner() : owner(options{}) {}
  explicit owner(const options& o) : frames(o.slots, shared, o.fenced, o.lasting, o.beat_ns) {
    (void)membarrier_available();
    frames.attach(tls());
    inner.first = frames.bottom();
    frames.enter(&inner);
    // A new deque has its gate shut for sleepers.
    (void)frames.open_push_gate(asleep, false, memory);
  }
  owner(const owner&) = delete;
  owner& operator=(const owner&) = delete;
  ~owner() {
    if (attached_) leave(true);
  }

  void leave(bool for_good) {
    // What is left there has ended before the deque does.
    while (!frames.empty()) store_tail(load_tail() - 1);
    frames.leave();
    frames.detach(for_good);
    attached_ = false;
    tls().limit.store(nullptr, std::memory_order_relaxed);
    tls().limit_beneath.store(nullptr, std::memory_order_relaxed);
    leave_outside_slots();
  }

  static worker_tls& tls() noexcept { return current_tls(); }
  // True: it met the gate.
  static bool push(frame& f) noexcept { return !sennit::detail::push(f); }
  static bool push(loop_frame& l) noexcept {
    return push(reinterpret_cast<std::uintptr_t>(&l) | divisible::tag);
  }
  static bool push(frame_with_state& f) noexcept {
    return push(reinterpret_cast<std::uintptr_t>(&f) | frame_with_state::tag);
  }
  // The push and what the owner does at the gate.
  frame* push_and_answer(frame& f) noexcept { return push(f) ? answer(true) : nullptr; }
  frame* answer(bool pushed = false) noexcept { return frames.open_push_gate(asleep, pushed, memory).handed; }
  // True: the newest frame is still the owner's.
  bool pop() noexcept {
    handed = nullptr;
    met = false;
    slot* const tail = load_tail() - 1;
    store_tail(tail);
    return !pop_gate_shut(tail) || pop_at_gate();
  }
  // The same, of the branch of a join.
  bool pop(const frame& f) noexcept {
    handed = nullptr;
    met = false;
    if (sennit::detail::pop(f)) return true;
    if (load_tail() == nullptr) frames.lower_tail();
    return pop_at_gate();
  }
  static bool push_shut() noexcept { return tls().limit.load(std::memory_order_relaxed) == shut_limit; }
  static bool pop_shut() noexcept {
    return tls().head_gate.load(std::memory_order_relaxed) == shut_head_gate;
  }
  // The thief is the same thread.
  frame* steal(bool insist, const wanted& what) noexcept { return frames.steal(insist, what, memory); }
  // A thief that does not give in: until the owner has been silent for as long as a barrier takes.
  frame* steal_behind_a_barrier() noexcept {
    for (;;) {
      if (frame* const stolen = steal(true, {})) return stolen;
    }
  }

  reserve memory;
  barriers shared;
  sleepers asleep;
  region_state region;
  scope inner{&region, nullptr, nullptr};
  worker_frames frames;
  // Of the latest pop.
  frame* handed = nullptr;
  bool met = false;

 private:
  bool pop_at_gate() noexcept {
    met = true;
    const worker_frames::popped popped = frames.pop(memory);
    handed = popped.handed;
    return popped.mine;
  }

  static bool push(std::uintptr_t content) noexcept {
    slot* const tail = load_tail();
    tail->store(content, std::memory_order_relaxed);
    publish_tail(tail + 1);
    return push_gate_shut(tail + 1);
  }

  bool attached_ = true;
};

// A loop whose pieces nobody runs.
struct loop_in_test {
  static loop_piece* make(loop_state& whole, position first, position last) noexcept {
    return ::new (std::nothrow) loop_piece(whole, first, last);
  }
  static void work(loop_state&, loop_piece&) noexcept {}

  loop_in_test(position first, position last) : frame(whole, first, last, split_off) {}

  static constexpr loop_state::entries calls{&make, &work};
  loop_state whole{calls, false};
  loop_piece* split_off = nullptr;
  loop_frame frame;
};

}  // namespace sennit_test
