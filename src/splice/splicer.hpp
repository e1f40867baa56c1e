// SPDX-License-Identifier: Apache-2.0
// The splicer: walks the calls of the iterations together, at equal depth. docs/protocols/splices.md has the
// rules.
#pragma once

#include "splice/bytes_in_use.hpp"
#include "splice/earliest_failure.hpp"
#include "splice/early_stop.hpp"
#include "splice/part_index.hpp"

#include <sennit/detail/assert.hpp>
#include <sennit/detail/splice/block_plan.hpp>
#include <sennit/detail/splice/log.hpp>
#include <sennit/detail/splice/spliced_call.hpp>
#include <sennit/splice.hpp>

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace sennit::detail {

class splicer;
struct live_call;

// A call that has to end before another call may continue.
class obstacle {
 public:
  obstacle(live_call& call, bool whole) noexcept : call_(&call), sequence_(0), whole_(whole) {}
  // Only what follows the sequence that the call is in; the parts of the sequence are obstacles of their own.
  static obstacle after_sequence_of(live_call& call) noexcept;

  // Those parts before a position, of the sequence that the call is in, that interfere. They are looked for when the
  // question comes again, because they are many.
  static obstacle parts_of(live_call& call, std::uint32_t before) noexcept;

  live_call& call() const noexcept { return *call_; }
  // All of the call, whether or not it interferes.
  bool whole() const noexcept { return whole_ != 0; }
  // Whether the call is still in the sequence of after_sequence_of(). If not, this is an obstacle like others.
  bool only_afterwards() const noexcept;
  // For parts_of(): the position; otherwise 0.
  std::uint32_t parts_before() const noexcept { return before_; }
  // For parts_of(): whether the call is still in that sequence, or its parts that have failed are still there.
  bool has_parts() const noexcept;

 private:
  live_call* call_;
  std::uint32_t before_ = 0;
  std::uint32_t sequence_ : 31;  // the number of that sequence of the call; 0: none
  std::uint32_t whole_ : 1;
};
using obstacles = boost::container::small_vector<obstacle, 6>;

// A call that is open has parts under way. What the other states are is in the protocol's page.
enum class call_state : std::uint8_t {
  // The walk of its row goes on with it:
  fresh,        // between two of its constructs, or before the first
  open,         // its parts are being run
  handed_over,  // open, and a front has run some of its parts: the others may end before those at the same place
  // It has left its row, and goes on by itself:
  open_alone,  // as open; it is ready when its parts have ended
  alone,       // as fresh, while it goes on
  delayed,     // what it does next waits for an obstacle
  ready,       // its last obstacle has ended, or it will not continue
  // It is over:
  failed,  // an obstacle until its failure has been caught or its root has ended
  done,
};

// Of the sequence that a call has opened last, or is in.
struct parts_of_call {
  live_call* first = nullptr;  // those that have begun and are not done, in order
  live_call* last = nullptr;
  std::unique_ptr<part_index> index;  // null if there are few
  std::uint32_t begun = 0;
  std::uint32_t end = 0;       // where the sequence ends; too large if that is not known
  std::uint32_t left = 0;      // that have not ended; all that have not begun count as one
  std::uint32_t sequence = 0;  // the number of the sequence; 0: none
  std::uint32_t failed = 0;    // the part that threw the call's failure, the first part with a failure

  bool may_begin() const noexcept { return begun < end; }
};

// What comes before a call in the loop and is not over.
struct way_of_call {
  static constexpr std::uint32_t nothing = UINT32_MAX;

  obstacles before;      // of all that the call does
  obstacles blocked_by;  // of what it does next
  // `before` has no obstacles in iterations before this one; nothing: it has not been filled.
  std::uint32_t seen_from = nothing;

  bool is_known() const noexcept { return seen_from != nothing; }
};

// A call in a splicer.
struct live_call : spliced_call {
  splicer* owner = nullptr;  // only the owner reads and writes the members below
  live_call* around = nullptr;
  live_call* next = nullptr;  // among the parts of the call around it, or in the pool
  live_call* previous = nullptr;
  live_call* waiting = nullptr;  // the calls that this call delays
  // In the list of `waiting` calls, among the ready or stranded calls, or the first of the next list of calls.
  live_call* next_waiting = nullptr;
  live_call* thiefs_copy = nullptr;  // in the splicer of the thief that has taken this call
  std::size_t bytes = 0;             // that have been counted for the call
  std::uint32_t uses = 0;
  std::uint32_t depth = 0;  // number of surrounding calls
  call_state state = call_state::fresh;
  std::optional<arrival> at;  // what it has arrived at, and has not done
  parts_of_call parts;        // parts.cpp begins and ends them
  way_of_call way;            // obstacles.cpp finds it; a front leaves it where the walk can go on

  bool is_open() const noexcept { return state >= call_state::open && state <= call_state::open_alone; }
  bool has_left_row() const noexcept { return state >= call_state::open_alone && state <= call_state::ready; }
  bool over() const noexcept { return state >= call_state::failed; }
};

inline obstacle obstacle::after_sequence_of(live_call& call) noexcept {
  obstacle o(call, false);
  o.sequence_ = call.parts.sequence;
  return o;
}
inline obstacle obstacle::parts_of(live_call& call, std::uint32_t before) noexcept {
  obstacle o = after_sequence_of(call);
  o.before_ = before;
  return o;
}
inline bool obstacle::has_parts() const noexcept {
  return call_->parts.sequence == sequence_ && call_->parts.first != nullptr;
}
inline bool obstacle::only_afterwards() const noexcept {
  return sequence_ != 0 && before_ == 0 && call_->is_open() && call_->parts.sequence == sequence_;
}

// The part at a position; null if it has ended or has not begun.
inline live_call* part_at(const live_call& whole, std::uint32_t index) noexcept {
  if (whole.parts.index != nullptr) return whole.parts.index->at(index);
  live_call* part = whole.parts.first;
  while (part != nullptr && part->index < index) part = part->next;
  return part != nullptr && part->index == index ? part : nullptr;
}
// Calls use(part) for all parts at positions [from, to) that may interfere with the effects, and for some others, the
// last part first. It ends when use() returns true, and then returns true. Counts comparisons of several parts in
// `checks`.
template <class Use>
bool find_parts(const live_call& whole, const effects& fx, std::uint32_t from, std::uint32_t to,
                std::uint64_t& checks, Use&& use) {
  if (whole.parts.index != nullptr) return whole.parts.index->find(hulls(fx), from, to, checks, use);
  for (live_call* part = whole.parts.last; part != nullptr && part->index >= from; part = part->previous) {
    if (part->index < to && use(*part)) return true;
  }
  return false;
}

// Calls in the order in which they were added, linked by `next_waiting`. It needs no memory.
class call_queue {
 public:
  void push(live_call& c) noexcept {
    c.next_waiting = nullptr;
    *(first_ == nullptr ? &first_ : &last_->next_waiting) = &c;
    last_ = &c;
  }
  bool empty() const noexcept { return first_ == nullptr; }
  // Null if the queue is empty.
  live_call* pop() noexcept {
    live_call* const c = first_;
    if (c != nullptr) first_ = c->next_waiting;
    return c;
  }

 private:
  live_call* first_ = nullptr;
  live_call* last_ = nullptr;
};

// What all splicers of one splice share.
class whole_splice {
 public:
  whole_splice(const splicing& how, unsigned workers, block_site& slices) noexcept
      : how(how), workers(workers), slices(slices) {}

  // Memory for a few calls, in a list linked by `next`; and its return.
  live_call* more_calls();
  void spare(live_call* calls) noexcept;
  const splicing& how;
  const unsigned workers;  // workers that may take part
  std::vector<live_call*> roots;
  early_stop stop;
  // Of roots. Iterations after the one that has failed do not continue, as they would not have begun.
  earliest_failure failure;
  bytes_in_use bytes;
  std::atomic<std::int64_t> delayed{0};
  std::atomic<std::uint32_t> depth_of_steps{0};  // the deepest so far
  block_site& slices;  // of all groups of calls, where the library chooses their size

 private:
  static constexpr std::size_t calls_at_once = 32;

  std::mutex lock_;
  live_call* spare_ = nullptr;  // linked by the first calls of lists
  std::vector<std::unique_ptr<live_call[]>> chunks_;
};

// One strand's part of a splice. A thief that takes the rest of sequences has a splicer of its own. For the
// thief's splicer, the calls of other splicers are obstacles that do not end before the two meet again.
class splicer {
 public:
  // log: may be null. A row is forked at the first `cuts` levels where that is possible, so that the log has
  // strands for several workers.
  splicer(whole_splice& whole, splice_log* log, int cuts) noexcept : whole_(whole), log_(log), cuts_(cuts) {}
  splicer(const splicer&) = delete;
  splicer& operator=(const splicer&) = delete;

  live_call& make(live_call* around);
  // Runs all roots, and everything in them.
  void run();
  const splice_report& report() const noexcept { return report_; }

 private:
  using row =
      std::span<live_call* const>;  // calls at equal depth, one of each iteration, in the order of iterations
  using row_of = boost::container::small_vector<live_call*, 32>;
  struct stolen_range;
  class call_front;
  // The number of peers that are asked whether they cover a call.
  static constexpr std::size_t nearby = 4;
  static row before(const live_call& c, row peers) noexcept {
    std::size_t i = 0;
    while (i < peers.size() && peers[i] != &c) ++i;
    return peers.first(i);
  }
  static row all(const row_of& calls) noexcept { return {calls.data(), calls.size()}; }

  void walk(row calls);
  void walk_together(row calls);
  bool makes_a_front(row calls);
  void walk_all_parts(row whole);
  void walk_parts(row whole, std::uint32_t from, std::uint32_t to);
  bool walk_column(row whole, std::uint32_t index);
  bool may_fork(row whole, std::uint32_t from, std::uint32_t middle, std::uint32_t to);
  void fork(row whole, std::uint32_t from, std::uint32_t middle, std::uint32_t to);
  void steal_from(row whole, std::uint32_t from, stolen_range& taken, splice_log* log, int cuts);
  void merge(row whole, stolen_range& taken);
  void hold_obstacles(live_call& c) noexcept;
  void adopt(live_call& c, const splicer& from) noexcept;

  void go_on(live_call& c, row peers);
  void open(live_call& c);
  live_call* begin_part(live_call& c);
  bool try_part(live_call& c, live_call& part);
  bool leave_unspliced(live_call& c, live_call& part);
  std::uint32_t make_rest(live_call& c, live_call& part);
  void begin_rest(live_call& c);
  void add_part(live_call& c, live_call& part) noexcept;
  void remove_part(live_call& part) noexcept;
  void make_room_for_part(live_call& c, std::uint32_t position) {
    if (c.parts.index != nullptr || c.parts.left > few) make_room_in_index(c, position);
  }
  void make_room_in_index(live_call& c, std::uint32_t position);
  void end_part(live_call& around);
  bool is_past_limit(const live_call& c) const noexcept;
  void count_bytes(live_call& c) noexcept;
  void find_obstacles_of_roots(row roots);
  void find_obstacles(live_call& part, row earlier);
  bool is_free_as_a_whole(live_call& c);
  void do_step(live_call& c);
  bool is_free(live_call& c, row earlier, bool just_found);
  void refine(obstacles& all, const effects& fx);
  void add(obstacles& to, const effects& fx, obstacle o);
  void add_those(obstacles& to, const effects& fx, const obstacles& from);
  void add_roots_before(obstacles& to, const effects& fx, std::uint32_t iteration);
  void add_open(obstacles& to, const effects& fx, live_call& whole);
  void add_parts(obstacles& to, const effects& fx, live_call& whole, std::uint32_t before);
  live_call* last_obstacle(const effects& fx, obstacle o);
  bool check(const effects& a, const effects& b) {
    ++report_.checks;
    return a.interferes(b);
  }
  void wait(live_call& c);
  // What a call that waits will do next.
  static const effects& next_effects(const live_call& c) noexcept { return c.at ? *c.now : c.all; }
  void watch(live_call& c);
  void try_again(live_call& c);
  void wake(live_call& c) {
    if (c.waiting != nullptr) wake_waiting(c);
  }
  void wake_waiting(live_call& c);
  void wake_failed(live_call& c);
  void forgive(live_call& c) {
    if (c.parts.first != nullptr || c.parts.index != nullptr) forgive_parts(c);
  }
  void forgive_parts(live_call& c);
  void fail_part(live_call& around, const std::exception_ptr& failure, std::uint32_t part) noexcept;
  // Whether the call will not continue; this never changes again.
  bool is_void(const live_call& c) const noexcept {
    return whole_.stop.is_set() || c.iteration > whole_.failure.call() ||
           (failing_ && comes_after_failure(c));
  }
  static bool comes_after_failure(const live_call& c) noexcept;
  void finish(live_call& c);
  void settle() {
    if (!ready_.empty() && !settling_) continue_ready();
  }
  void continue_ready();
  void abandon(live_call& c);

  bool mine(const live_call& c) const noexcept { return c.owner == this; }
  void use(live_call& c) noexcept {
    if (mine(c)) ++c.uses;
  }
  void release(live_call& c) noexcept {
    if (!mine(c)) return;
    SENNIT_ASSERT(c.uses > 0);
    if (--c.uses == 0) recycle(c);
  }
  void recycle(live_call& c) noexcept;
  void clear(obstacles& all) noexcept {
    if (!all.empty() || all.capacity() > obstacles::static_capacity) release_all(all);
  }
  void release_all(obstacles& all) noexcept;
  std::size_t bytes_in_use() const noexcept {
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(whole_.bytes.now() + bytes_, 0));
  }
  void use_bytes(std::ptrdiff_t bytes) noexcept {
    bytes_ += bytes;
    if (bytes_ > at_once || bytes_ < -at_once) whole_.bytes.add(std::exchange(bytes_, 0));
  }

  whole_splice& whole_;
  splice_log* log_;
  int cuts_;
  splice_report report_{};
  live_call* free_ = nullptr;
  // So many parts are begun when their call opens, and are looked through one by one.
  static constexpr std::uint32_t few = 8;
  // If more parts of a call are obstacles, they are looked for again instead of being listed.
  static constexpr std::size_t most_listed = 8;
  static constexpr std::ptrdiff_t at_once = 16 * 1024;
  std::ptrdiff_t bytes_ = 0;  // in use, and not yet counted in whole_
  call_queue ready_;          // to be continued, independently of the walk
  call_queue stranded_;       // delayed by calls of other splicers
  bool lists_all_ = false;    // thieves need lists, as they cannot look for parts of other splicers
  bool settling_ = false;
  bool failing_ = false;  // whether a part has failed
};

}  // namespace sennit::detail
