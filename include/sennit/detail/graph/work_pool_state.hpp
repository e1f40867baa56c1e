// SPDX-License-Identifier: Apache-2.0
// What all kinds of work pools have in common: who is at work, and how the work ends. docs/protocols/graphs.md, "Work pools".
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/completion.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/telling.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

namespace sennit::detail {

class worker;

// The common state of the strands of one work pool. docs/protocols/graphs.md, "Work pools".
class SENNIT_EXPORT work_pool_state : public divided_work {
 public:
  // Ends the work with this exception, unless another exception has ended it. Any strand of the work pool
  // may call it.
  void fail(std::exception_ptr why) noexcept;
  bool stopped() const noexcept { return (state_.load(std::memory_order_relaxed) & is_stopped) != 0; }
  // Whether a strand has to look up after an item: the work has stopped, or a trace tells of the items.
  bool looks_up() const noexcept { return state_.load(std::memory_order_relaxed) != 0; }
  // Before the work begins: its items are nodes of that graph. Null: nobody hears of them.
  void tell_to(told_graph* of) noexcept {
    told_ = of;
    if (of != nullptr) [[unlikely]]
      state_.fetch_or(is_told_bit, std::memory_order_relaxed);
  }
  bool is_told() const noexcept { return (state_.load(std::memory_order_relaxed) & is_told_bit) != 0; }
  // After a node was computed, which took the time since `since_ns`: describe(told_node&) says which one.
  template <class Describe>
  SENNIT_COLD void tell(std::uint64_t& since_ns, const Describe& describe) noexcept {
    const std::uint64_t ended_ns = told_now_ns();
    bool goes_on = true;
#if SENNIT_EXCEPTIONS
    try {
      told_node node;
      describe(node);
      goes_on = tell_node(*told_, node, since_ns, ended_ns);
    } catch (...) {  // the node is not told
    }
#else
    told_node node;
    describe(node);
    goes_on = tell_node(*told_, node, since_ns, ended_ns);
#endif
    if (!goes_on) state_.fetch_and(static_cast<std::uint8_t>(~is_told_bit), std::memory_order_relaxed);
    since_ns = told_now_ns();
  }
  // Whether the calling strand is the only one at work, and there are no parts. It knows then what the others did.
  bool is_alone() const noexcept {
    // ORD[D23] acquire: what the others did; pairs with the release in leave().
    return at_work_.load(std::memory_order_acquire) == 1;
  }
  // Precondition: the work has stopped. Throws the exception that ended it, or cancelled.
  [[noreturn]] SENNIT_COLD void throw_failure();

 protected:
  // `can_throw`: the strand that begins the work may throw cancelled. `begin_part`: runs a part of a local queue.
  work_pool_state(bool can_throw, frame::entry begin_part) noexcept
      : divided_work(queues), can_throw_(can_throw), run_part_(begin_part) {}
  ~work_pool_state() = default;

  // Whether the work has stopped. It stops also when the region is cancelled.
  SENNIT_COLD bool cancelled() noexcept;
  // The strand has met a shut gate: those who want work get some. Afterwards the strand may be on another worker.
  SENNIT_COLD void answer() noexcept;
  // A worker of one of these colors that waits for work; null if there is none. The worker is not returned
  // again before it has had work.
  SENNIT_COLD static worker* claim_idle(color_kind of, color_set colors) noexcept;
  // Colors of workers that wait for work, as far as is known.
  static const std::atomic<color_set>& idle_colors(color_kind of) noexcept;
  static color_set color_of(const worker& w, color_kind of) noexcept;
  // The color of the worker that runs the call; all colors in an observed region.
  static color_set own_color(color_kind of) noexcept;
  // The workers of that one's color, or of the calling one's, as the colors of frames.
  static color_set bits_of_neighbors(worker* w, color_kind of) noexcept;
  // The strand leaves, for want of items: see policy::ns_for_own_color().
  SENNIT_COLD static void ran_out(double patience, std::uint64_t own, std::uint64_t items,
                                  std::uint64_t took_ns) noexcept;
  static std::uint64_t now_ns() noexcept;
  // Tells stacks apart. A strand keeps its stack wherever it goes on.
  SENNIT_COLD static const void* stack_here() noexcept;
  // Waits a little, and longer for a larger number of failed attempts.
  SENNIT_COLD static void pause_for_others(unsigned attempt) noexcept;
  // Donates the frame to that worker. Other workers may take it only while that worker is busy.
  SENNIT_COLD void donate(queue_part& part, color_set colors, worker& to) noexcept;
  // The same. `kept`: others may take it only if that worker cannot.
  SENNIT_COLD void donate_for(frame_with_state& part, worker& to, bool kept) noexcept;
  // After await_all(): the strand that began the work begins again.
  SENNIT_COLD void begin_again() noexcept;
  // The strand has a part back: nobody is going to run it.
  void took_back() noexcept { at_work_.fetch_sub(1, std::memory_order_relaxed); }
  frame::entry run_part() const noexcept { return run_part_; }
  // Calls it. What it throws ends the work.
  template <class Part>
  void call_or_fail(const Part& part) noexcept {
#if SENNIT_EXCEPTIONS
    try {
      part();
    } catch (...) {
      fail(std::current_exception());
    }
#else
    part();
#endif
  }
  // One more strand of a Pool, which is a kind of work pool, begins with the items of a part.
  template <class Pool>
  static fiber* run_part_of(frame& base) noexcept {
    auto& part = static_cast<queue_part&>(base);
    auto& whole = static_cast<Pool&>(part.whole());
    if (!whole.stopped()) whole.attend([&](auto& own) { own.begin_part(part.range()); });
    fiber* const waiter = whole.leave(part);
    part.let_go();
    return waiter;
  }
  // Called when the strand that claimed the part has ended.
  SENNIT_COLD fiber* leave(frame& part) noexcept;
  // Called by the strand that began the work: returns when all parts have ended.
  SENNIT_COLD void await_all() noexcept;

 private:
  friend class queue_positions;
  friend class limited_in_pool;
  template <class, class>
  friend class pool_session;
  static constexpr entries queues{&queue_positions::take_part, &queue_positions::exhausted};

  static constexpr std::uint8_t is_stopped = 1;
  static constexpr std::uint8_t is_told_bit = 2;
  void stop() noexcept { state_.fetch_or(is_stopped, std::memory_order_relaxed); }
  friend class posted_work;
  // One more strand, for what is posted; null if there is no memory, or if nobody is at work any more.
  frame* join(const posted_work& run, worker& by) noexcept;
  // A part that counts as unfinished from now on; null without memory. The strand whose queue is cut is at work.
  queue_part* cut(const item_range& range) noexcept;

  const bool can_throw_;
  const frame::entry run_part_;
  alignas(64) std::atomic<std::intptr_t> at_work_{1};
  std::atomic<std::uint8_t> state_{0};
  completion done_;
  std::mutex merging_;
  view* views_ = nullptr;  // what parts have added to reducers; under merging_
  std::exception_ptr failure_;
  told_graph* told_ = nullptr;
};

}  // namespace sennit::detail
