// SPDX-License-Identifier: Apache-2.0
// What strands at work on the same loop share, and what thieves see of it. Protocol: docs/protocols/loops.md.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/completion.hpp>
#include <sennit/detail/fork/divisible.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/loop/middle.hpp>
#include <sennit/detail/position.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/partition.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <new>

namespace sennit {}

namespace sennit::detail {

class worker;

class loop_state;

// Iterations cut off a loop, for another strand to work on.
class SENNIT_EXPORT loop_piece : public frame_with_state {
 public:
  loop_piece(loop_state& whole, position first, position last) noexcept;
  virtual ~loop_piece() = default;

  // Pieces are made under the lock of a deque: from memory that the thread had before.
  static void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept;
  static void operator delete(void* memory) noexcept { ::operator delete(memory); }
  static void operator delete(void* memory, const std::nothrow_t&) noexcept { ::operator delete(memory); }
  static void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept;
  static void operator delete(void* memory, std::align_val_t) noexcept {
    ::operator delete(static_cast<void**>(memory)[-1]);
  }
  static void operator delete(void* memory, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    operator delete(memory, alignment);
  }

  loop_state& whole() noexcept { return whole_; }
  position first() const noexcept { return first_; }
  position last() const noexcept { return last_; }
  loop_piece* next() const noexcept { return next_; }  // of those of the same loop

 private:
  friend class loop_frame;
  friend class loop_state;
  static fiber* run_elsewhere(frame& base) noexcept;
  void part(loop_piece*& split_off) noexcept {
    split_off_before_ = split_off;
    split_off = this;
  }

  loop_state& whole_;
  const position first_;
  const position last_;
  loop_piece* next_ = nullptr;
  loop_piece* split_off_before_ = nullptr;  // by the same strand
};

// What a strand adds to reducers while it runs a piece taken back: others may have what comes before.
class SENNIT_EXPORT separate_views {
 public:
  explicit separate_views(loop_piece& piece) noexcept;
  separate_views(const separate_views&) = delete;
  separate_views& operator=(const separate_views&) = delete;
  ~separate_views();

 private:
  loop_piece& piece_;
  view* const before_;
};

// One loop, on the stack of the function that began it.
class SENNIT_EXPORT loop_state : public divided_work {
 public:
  // Makes a piece; null without memory.
  using maker = loop_piece* (*)(loop_state&, position first, position last) noexcept;
  // Works on a piece, and records how that ended.
  using workman = void (*)(loop_state&, loop_piece&) noexcept;

  struct entries : divided_work::entries {
    constexpr entries(maker make_piece, workman work_on) noexcept;

    maker make;
    workman work;
  };

  // `can_throw`: a cancellation can be thrown to the strand that begins the loop.
  loop_state(const entries& of, bool can_throw) noexcept;
  ~loop_state();

  // A piece that counts as unfinished from now on; null without memory. From any strand at work on the loop.
  loop_piece* cut(position first, position last) noexcept;
  // The strand that begins the loop calls it: deals [first, last) out to workers that wait, in parts of at
  // least `least`, and returns the end of what is left for the strand, which has a lead.
  SENNIT_COLD position deal(position first, position last, position least, position lead,
                            loop_piece*& split_off) noexcept;
  // The same, in parts of the sizes that `by` says.
  SENNIT_COLD position deal(position first, position last, position least, const partition_view& by,
                            loop_piece*& split_off) noexcept;
  void work_on(loop_piece& piece) noexcept { own_entries().work(*this, piece); }
  completion& done() noexcept { return done_; }
  bool can_throw() const noexcept { return can_throw_; }
  // All pieces ever cut, once nobody works on the loop; after wait() in the order of the iterations.
  loop_piece* pieces() const noexcept { return pieces_.load(std::memory_order_relaxed); }

  // The chunk that ends at `end` threw. The lowest exception counts.
  SENNIT_COLD void failed(position end, std::exception_ptr failure) noexcept;
  void dropped() noexcept { dropped_.store(true, std::memory_order_relaxed); }
  // Whether an iteration below `from` threw, or the region is cancelled: then what comes after need not run.
  bool pointless(position from) const noexcept {
    return failed_at_.load(std::memory_order_relaxed) <= from || dropped_.load(std::memory_order_relaxed);
  }

  // Whether the pieces have all ended, or do in the time that it takes to ask for one back. Before wait().
  SENNIT_COLD bool over_soon() const noexcept;
  // The strand that began the loop calls it when it has finished its own part: waits for the pieces.
  SENNIT_COLD void wait() noexcept;
  // After that: throws what the lowest iteration that threw threw, or cancelled.
  void rethrow() {
    if (failure_ || dropped_.load(std::memory_order_relaxed)) throw_failure();
  }

 private:
  [[noreturn]] SENNIT_COLD void throw_failure();
  // Cuts [begin, last) off for a worker that waits. False: there is no memory.
  bool hand(worker& from, worker& to, position begin, position& last, loop_piece*& split_off) noexcept;
  static loop_piece* in_order(loop_piece* list) noexcept;
  const entries& own_entries() const noexcept { return static_cast<const entries&>(entries_); }

  const bool can_throw_;
  completion done_{1};  // one count for the strand that began the loop, one for each piece
  std::atomic<loop_piece*> pieces_{nullptr};
  std::atomic<position> failed_at_{~position{0}};
  std::atomic<bool> recording_{false};  // guards failure_
  std::atomic<bool> dropped_{false};
  std::exception_ptr failure_;
};

// The iterations that a strand has taken on and not claimed yet. Lives on its stack; in its worker's deque
// once exposed.
class SENNIT_EXPORT loop_frame : public divisible {
 public:
  // `split_off`: the pieces that the strand has split off.
  loop_frame(loop_state& whole, position first, position last, loop_piece*& split_off) noexcept
      : divisible(whole), start_(first), gate_(last), end_(last), split_off_(split_off) {}
  ~loop_frame() = default;

  // --- The owner.
  // Puts the frame in the deque. False: it is not there (no strand, or no room).
  SENNIT_INLINE bool expose() noexcept {
    gate_.store(gate_.load(std::memory_order_relaxed) & load_loop_mask(), std::memory_order_relaxed);
    tls_place tls = find_tls();
    slot* const tail = load_tail(tls);
    slot* const next = fill(tail, reinterpret_cast<std::uintptr_t>(this) | tag);
    publish_tail(next, tls);
    return !push_gate_shut(next, tls) || expose_shut();
  }
  // Takes it from there, wherever it is by now.
  SENNIT_INLINE void retire() noexcept {
    tls_place tls = find_tls();
    slot* const tail = load_tail(tls) - 1;
    store_tail(tail, tls);
    if (pop_gate_shut(tail, tls)) return retire_shut();
    acquire_pop_gate();
  }
  // Claims [from, to): returns the end of what the caller must run, `from` if nothing is left.
  SENNIT_INLINE position claim(position from, position to) noexcept {
    publish_start(start_, to);
    if (any_gate_shut() || to > end_seen(gate_)) [[unlikely]]
      return meet(from, to);
    return to;
  }
  SENNIT_INLINE position claim_as_in_thesis(position from, position to) noexcept {
    publish_start(start_, to);
#if SENNIT_TSAN  // knows no fences
    // ORD[D15] seq_cst: needless, see publish_start(). It is what the thesis pays.
    start_.fetch_add(0, std::memory_order_seq_cst);
#else
    // ORD[D15] seq_cst: needless, see publish_start(). It is what the thesis pays.
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    if (any_gate_shut() || to > end_seen(gate_)) [[unlikely]]
      return meet(from, to);
    return to;
  }
  // Whether nothing is left from `at` on. In the fence variant only a claim can tell.
  SENNIT_INLINE bool over(position at) const noexcept {
    const position gate = gate_.load(std::memory_order_relaxed);
    return at >= gate && gate != 0;
  }
  // A hint.
  position left(position at) const noexcept {
    const position end = end_.load(std::memory_order_relaxed);
    return end > at ? end - at : 0;
  }
  // The end of the latest claim.
  position claimed() const noexcept { return start_.load(std::memory_order_relaxed); }
  position end() const noexcept { return end_.load(std::memory_order_relaxed); }
  // Whether the strand must stop: its region is cancelled.
  bool stopped() const noexcept { return stopped_; }
  // Whether the last claim took the slow path. Asked once a claim.
  SENNIT_INLINE bool served() noexcept {
    if (!served_) [[likely]]
      return false;
    served_ = false;
    return true;
  }
  // Claims all that is left, to drop it.
  SENNIT_COLD void abandon() noexcept;
  // The latest of the pieces that the strand has split off and nobody has taken; null: there is none.
  SENNIT_INLINE static loop_piece* take_back(loop_piece*& split_off) noexcept {
    return split_off == nullptr ? nullptr : take_split_off(split_off);
  }
  // The fewest iterations that are worth the price of a steal, as far as is known.
  void worth(position iterations) noexcept { least_ = iterations; }

  // --- Under the lock of the deque, by the owner, or by a thief while the owner cannot retire the frame.
  static taken_part take_part(divisible& work, parting how) noexcept;
  static bool exhausted(const divisible& work) noexcept;
  // What nobody has claimed. A thief reads `start` only once: even an owner that is kept from claiming may
  // raise it yet.
  struct rest {
    position start;
    position end;
    bool none() const noexcept { return start >= end; }
    position middle() const noexcept { return middle_of(start, end); }
  };
  rest look() const noexcept {
    return {start_.load(std::memory_order_relaxed), end_.load(std::memory_order_relaxed)};
  }
  bool worth_cutting(rest left) const noexcept { return left.start + least_ <= left.end; }
  // The part from `middle` on, as a piece; null without memory. By the owner, or a thief that keeps it from
  // claiming. Precondition: there is a rest, and `middle` lies in it.
  loop_piece* cut(rest left, position middle) noexcept;
  // The same by a thief that does not keep the owner from claiming: null also if the owner was faster.
  loop_piece* cut_fenced(rest left, position middle) noexcept;

 private:
  loop_state& whole() noexcept { return static_cast<loop_state&>(whole_); }
  SENNIT_COLD static loop_piece* take_split_off(loop_piece*& split_off) noexcept;
  SENNIT_COLD bool expose_shut() noexcept;
  SENNIT_COLD void retire_shut() noexcept;
  // Not "cold": each loop ends by way of it, and what always leads to a cold call is taken for cold, too.
  [[gnu::noinline]] position meet(position from, position to) noexcept;

  std::atomic<position> start_;
  std::atomic<position> gate_;  // end_, or zero for good in the fence variant
  std::atomic<position> end_;
  position least_ = 1;
  loop_piece*& split_off_;  // latest first
  bool stopped_ = false;
  bool served_ = false;
  bool exposed_ = true;  // or will be; false where there was no room: the owner must not retire it
};

constexpr loop_state::entries::entries(maker make_piece, workman work_on) noexcept
    : divided_work::entries{&loop_frame::take_part, &loop_frame::exhausted},
      make(make_piece),
      work(work_on) {}

}  // namespace sennit::detail
