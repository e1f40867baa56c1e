// SPDX-License-Identifier: Apache-2.0
// The parts of task_group that its template needs.
#pragma once

#include <sennit/detail/action.hpp>
#include <sennit/detail/calls.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/completion.hpp>
#include <sennit/detail/fork/fork_frame.hpp>
#include <sennit/detail/fork/forked_in_handler.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/fork/open_group.hpp>
#include <sennit/detail/group/block_pool.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/region.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

namespace sennit::detail {

class trace_cursor;
class fiber;
class group_state;
class unqueued_children;
class worker;

// A child of a group that a strand is in.
struct child_underway {
  const group_state* group;
  child_underway* outer;
};

// A rank in the serial order of a group's children.
struct group_link : spawned_child {
  group_link* previous = nullptr;
  group_link* next = nullptr;
  // What was thrown first by children that come between this one and the next, and ran at once; and once this
  // one has ended, what it threw itself.
  std::exception_ptr thrown;
  bool settled = false;  // a child that has ended, and `views_` and `thrown` say how
  bool merging = false;  // settled, and somebody adds to what it left
};

// A child's frame. Its group has it until its outcome is known and no other child's outcome depends on it.
class SENNIT_EXPORT group_member : public frame_with_state, public group_link {
 public:
  using call = void (*)(group_member&);
  using destroy = void (*)(group_member&) noexcept;
  struct deleter {
    void operator()(group_member* child) const noexcept { child->end_(*child); }
  };

  // `unqueued`: allocated singly.
  group_member(group_state& group, bool unqueued, entry run_elsewhere, call run_here, destroy end) noexcept
      : frame_with_state(run_elsewhere), group_(group), run_here_(run_here), end_(end), unqueued_(unqueued) {
    set_state(nullptr);  // group_state::take_back() asks whether the child has left the deque
  }

 protected:
  // What comes before and after the body where the child is not run by the group's own strand.
  void begin_elsewhere() noexcept;
  fiber* end_elsewhere() noexcept;
  group_state& group() noexcept { return group_; }
  // ORD[D3] acquire: the outcome; pairs with the release in end_elsewhere().
  bool has_ended() const noexcept { return ended_.load(std::memory_order_acquire); }
  bool unqueued() const noexcept { return unqueued_; }

 private:
  friend class group_state;
  friend class unqueued_children;
  friend class spawn_view;

  // Once it has ended: neither views nor an exception.
  bool leaves_nothing() const noexcept { return before_ == nullptr && views_ == nullptr && !thrown; }

  group_state& group_;
  call run_here_;
  destroy end_;
  child_underway underway_;  // elsewhere
  bool on_deque_ = false;    // pushed; otherwise listed at once
  const bool unqueued_;      // spawned by another strand, or below frames of this one: see unqueued_children
  bool continues_ = false;   // unqueued: its strand begins with the views before it
  std::atomic<bool> ended_{false};  // elsewhere
  // What the strand had added to reducers since the child before this one was spawned, and what this one
  // added.
  view* before_ = nullptr;
  view* views_ = nullptr;
  trace_cursor* counted_by_ = nullptr;  // null: it was not spawned in an observed region
};

// What becomes of a child that is spawned where some hundreds wait to be taken.
enum class when_many_wait {
  run_at_once,
  // It does not run within the spawn, as the caller may hold a lock that the child takes; but in regions that are recorded or
  // replayed, and where a strand of another runtime spawns.
  queue,
};

// How a spawn comes about.
enum class spawning {
  pushed,  // on the deque, by the group's own strand
  // In the list of a worker, by any other strand, or by this one where the deque has other frames on top.
  unqueued,
  at_once_in_order,  // not at all: the group's own strand calls the child
  at_once,           // any other does
};

class SENNIT_EXPORT group_state : public open_group {
 public:
  // `can_throw`: a cancellation can be thrown to the strand that makes the group.
  group_state(bool can_throw, when_many_wait further) noexcept;
  group_state(const group_state&) = delete;
  group_state& operator=(const group_state&) = delete;
  ~group_state();

  // What becomes of the next child. Throws as task_group::spawn().
  spawning admit();
  void* allocate(std::size_t bytes, std::size_t alignment) { return blocks_.allocate(bytes, alignment); }
  void free(void* block, std::size_t bytes, std::size_t alignment) noexcept {
    blocks_.free(block, bytes, alignment);
  }
  void push(group_member& child);
  void list_unqueued(std::unique_ptr<group_member, group_member::deleter> made);
  void run_in_order(action body);
  void run_at_once(action body);
  void wait();
  void end();

 private:
  friend class group_member;

  bool on_top() const noexcept;
  void anchor(worker& seat) noexcept;
  void open(fiber& strand) noexcept;
  void close() noexcept;
  spawning admit_when_full();
  spawning admit_unqueued();
  spawning admit_observed();
  spawning admit_beside(worker& here);
  spawning admit_from_outside();
  spawning admit_swept() noexcept;
  bool may_queue(const unqueued_children& all) const noexcept;
  void meet_gate(worker& here);
  void note_open() noexcept;
  bool in_order(const fiber& strand) const noexcept;
  unqueued_children& others();
  void note(std::exception_ptr thrown) noexcept;
  template <class Body>
  std::exception_ptr thrown_by(const Body& body) noexcept;
  void push_or_list(group_member& child);
  void begin_deque_anew() noexcept;
  void list(group_member& child, bool counted);
  static void note_counted(group_member& child) noexcept;
  // Whether a trace cursor must hear of its end.
  static bool is_counted(const group_member& child) noexcept;
  // In the chain of children that the strand has pushed.
  static group_member* pushed_before(const group_member& child) noexcept {
    return static_cast<group_member*>(child.previous);
  }
  group_member* newest_child() const noexcept {
    return static_cast<group_member*>(static_cast<group_link*>(newest));
  }
  // What was thrown by the newest child, once it has ended, or by children that ran at once since it was
  // pushed.
  std::exception_ptr& thrown_latest() noexcept {
    return newest != nullptr ? static_cast<group_link*>(newest)->thrown : thrown_first_;
  }

  void settle(group_member& child) noexcept;
  static bool let_go(group_member& child) noexcept;
  static bool may_merge(const group_member& earlier, const group_member& later) noexcept;
  static void keep(group_member*& kept, group_member& child, int& count) noexcept;
  group_member* take_newest_spawned() noexcept {
    if (newest == nullptr) return nullptr;
    group_member* const taken = newest_child();
    newest = taken->previous;
    return taken;
  }
  void sweep() noexcept;

  void check_waiter(worker* here) const;
  view* gather(const fiber& strand, std::uint64_t since) noexcept;
  void collect(view* latest) noexcept;
  void await_all(view* latest, trace_cursor* cursor) noexcept;
  view* latest_of(worker* here, unqueued_children* all) noexcept;
  bool await(view* latest, const unqueued_children* all, std::intptr_t finishes) noexcept;
  void admit_outside(worker& seat) noexcept;
  void add_kept(group_member& child) noexcept;
  void sleep(view* latest, std::intptr_t finishes) noexcept;
  bool take_back(group_member& child) noexcept;
  group_member* collect_pushed() noexcept;
  void run_newest(group_member& child) noexcept;
  void help(view* latest) noexcept;
  void run_here(group_member& child, std::exception_ptr& thrown) noexcept;
  void call_here(group_member& child);
  static void keep_first(std::exception_ptr& kept, std::exception_ptr thrown) noexcept;
  void add_in_order(group_member& child) noexcept;
  void add_in_order(view* list) noexcept;
  void extract_in_order(view*& list) noexcept;
  void add_in_order(group_link& ring) noexcept;
  void report();

  // Where the strand that made the group works, as long as its deque is as the group left it: see on_top().
  // Others compare, too.
  std::atomic<worker*> seat_{nullptr};
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<slot*> top_{nullptr};

  // In the runtime whose workers run the children, if the group's own strand pushes them.
  worker* home_ = nullptr;
  const fiber* maker_ = nullptr;  // that strand, and the child that it was in
  const child_underway* made_in_ = nullptr;
  const region_state* around_ = nullptr;  // the strand that made the group; only to be compared

  // The strand whose children are in the chain from `newest` on; null: there is nothing to wait for there.
  std::atomic<fiber*> strand_{nullptr};
  std::uint64_t first_order_ = 0;    // of the children in it
  std::exception_ptr thrown_first_;  // by children that ran at once before the oldest of them was pushed
  int room_;                         // how many more may be pushed before somebody looks how many have ended
  int at_once_ = 0;                  // how many are called before that
  int swept_in_vain_ = 0;
  std::intptr_t away_ = 0;  // that ran elsewhere, and left nothing behind

  // Counts that the waiter has from the start. Children that are taken from the deque are not expected; no
  // number of them brings the balance to zero before the waiter has given back its own.
  static constexpr std::intptr_t held = std::numeric_limits<std::intptr_t>::max() / 2;
  completion done_{held};             // of the children that run elsewhere
  std::atomic<bool> dropped_{false};  // a child was, by cancellation
  std::atomic<bool> open_{false};     // something was spawned since the last wait
  std::atomic<bool> waited_for_{false};
  const bool can_throw_;
  const when_many_wait further_;
  const int unwinding_;  // exceptions in flight when the group was made
  std::exception_ptr failure_;
  std::atomic<unqueued_children*> others_{nullptr};
  block_pool blocks_;
};

template <class F>
class group_child : public group_member {
 public:
  template <class G>
  group_child(group_state& group, bool unqueued, G&& f)
      : group_member(group, unqueued, &run_elsewhere, &run_here, &end), body_(std::forward<G>(f)) {}
  group_child(const group_child&) = delete;
  group_child& operator=(const group_child&) = delete;
  ~group_child() { end_body(); }

 private:
  static fiber* run_elsewhere(frame& base) noexcept {
    auto& self = static_cast<group_child&>(base);
    self.begin_elsewhere();
    record_outcome(self.stolen(), [&self] { self.origin_.run(self.body_); });
    self.end_body();
    return self.end_elsewhere();
  }
  static void run_here(group_member& base) {
    struct at_end {
      group_child& self;
      ~at_end() { self.end_body(); }
    } const guard{static_cast<group_child&>(base)};
    guard.self.origin_.run(guard.self.body_);
  }
  static void end(group_member& base) noexcept {
    auto& self = static_cast<group_child&>(base);
    if (self.unqueued()) {
      delete &self;
      return;
    }
    group_state& group = self.group();
    std::destroy_at(&self);
    group.free(&self, sizeof(group_child), alignof(group_child));
  }
  // The closure ends when it has run, its frame later.
  void end_body() noexcept {
    if (std::exchange(has_body_, false)) std::destroy_at(&body_);
  }

  bool has_body_ = true;
  [[no_unique_address]] forked_in_handler origin_;
  union {
    F body_;
  };
};

// The block of a child that is not made yet.
class block_for_child {
 public:
  block_for_child(group_state& group, std::size_t bytes, std::size_t alignment)
      : group_(group), bytes_(bytes), alignment_(alignment), block_(group.allocate(bytes, alignment)) {}
  block_for_child(const block_for_child&) = delete;
  block_for_child& operator=(const block_for_child&) = delete;
  ~block_for_child() {
    if (block_ != nullptr) group_.free(block_, bytes_, alignment_);
  }
  template <class Child, class F>
  Child& make(F&& f) {
    Child& made = *::new (block_) Child(group_, false, std::forward<F>(f));
    block_ = nullptr;
    return made;
  }

 private:
  group_state& group_;
  const std::size_t bytes_;
  const std::size_t alignment_;
  void* block_;
};

}  // namespace sennit::detail
