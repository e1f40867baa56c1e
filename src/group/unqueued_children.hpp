// SPDX-License-Identifier: Apache-2.0
// Children of a group that were not pushed by its own strand, in their serial order. docs/protocols/join.md
// has the rules.
#pragma once

#include "system/brief_lock.hpp"
#include "system/parker.hpp"

#include <sennit/detail/fork/completion.hpp>
#include <sennit/detail/fork/view.hpp>
#include <sennit/detail/group/group.hpp>
#include <sennit/region.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace sennit::detail {

class spawn_view;

// What a group needs once there are such children.
class unqueued_children : public reducer_base {
 public:
  // `home`: in the runtime whose workers run the children; null: not known yet.
  static unqueued_children* make(worker* home);
  unqueued_children();
  ~unqueued_children();
  // The group ends, after all children. Views may be left with strands.
  void let_go() noexcept;

  // Whether a further child may wait to be taken.
  bool has_room() const noexcept { return unstarted_.load(std::memory_order_relaxed) < most_unstarted; }
  // The worker in whose list children of such a caller go: `here`, or, for a thread that runs no strand
  // (null), any. Null: the caller's runtime is another one.
  worker* seat_for(worker* here);
  bool at_home(worker& here) const noexcept;
  // Whether the children run in the default runtime.
  bool in_default() const noexcept;

  // The region of children that are spawned by threads without a strand.
  const region_state& outside() const noexcept { return outside_; }
  region_state& outside() noexcept { return outside_; }

  // The calling strand's view. Throws std::bad_alloc.
  spawn_view& view_here();
  void add(group_member& child, spawn_view& spawned, worker& seat) noexcept;
  void add_from_outside(group_member& child, worker& seat) noexcept;
  // What a child threw that ran at once, after all that the strand has spawned.
  void note(spawn_view& spawned, std::exception_ptr thrown) noexcept;
  void note_outside(std::exception_ptr thrown) noexcept;
  // In the calling strand's view. Without memory for that, after the children that threads have spawned which
  // run no strand.
  void note_here(std::exception_ptr thrown) noexcept;

  // Around the child's body, in its strand, which has no views before: the child goes on with those that come
  // before it. It has thrown `how`, if anything. Its children take its rank, and what has ended right beside
  // it becomes one with it.
  void begin(group_member& child) noexcept;
  void close(group_member& child, std::exception_ptr how) noexcept;
  // The child has ended, and its strand has left these views. It may be gone afterwards, and so may the group.
  // Returns the fiber to resume, as completion::finish().
  fiber* finished(group_member& child, view* left, completion& done) noexcept;

  // A thread that waits for the children, and that nobody can resume as a strand.
  struct waiting_thread {
    std::intptr_t awaited;  // finishes
    parker call;
  };
  // False: they have all ended. Otherwise the thread is called when the last of them ends, or there may be
  // something to claim. It calls withdraw() then, before it ends the record.
  bool announce(waiting_thread& thread, const completion& done) noexcept;
  void withdraw() noexcept;

  // The newest of these children that nobody has begun, claimed; null: none.
  group_member* claim_newest(view* spawned) noexcept;
  // Takes children of the group out of a list of views. Null: there are none.
  std::unique_ptr<spawn_view> extract(view*& list) const noexcept;
  // Takes views out of the list whose children, of other groups, have all been spawned before those of
  // `spawned`.
  static view* take_earlier(view*& list, spawn_view& spawned) noexcept;
  // The oldest child, which has ended, and is the caller's then. Null: there is none. `thrown`: what comes
  // before it.
  group_member* take_oldest(group_link& list, std::exception_ptr& thrown) noexcept;
  group_link& stray_list() noexcept { return strays_; }
  // All children have ended: a seat that was borrowed goes back, and the next of them may have their home
  // elsewhere.
  void settle_home(worker* home) noexcept;
  // Ends views, of any groups, whose children have all ended and left nothing.
  static void prune(view*& list) noexcept;
  // Gives the strand the views that ended threads have left.
  void recall() noexcept;
  // Before the calling thread waits for children that others have begun: in a child of fork(2) those others
  // do not exist, and the program ends with a message.
  void insist_on_threads() const noexcept;
  // Around fork(2): no thread is among the links of any group.
  static void hold_for_fork() noexcept;
  static void let_go_after_fork() noexcept;

 private:
  friend class spawn_view;
  static constexpr int most_unstarted = 256;

  static group_member& member(group_link& link) noexcept { return static_cast<group_member&>(link); }
  static void link_before(group_link& at, group_link& added) noexcept;
  static void unlink(group_link& gone) noexcept;
  static void splice_before(group_link& at, group_link& list) noexcept;
  static void put_before(group_member& child) noexcept;
  group_member* insert_children(group_member& child, spawn_view& below) noexcept;
  static bool may_take_in(const group_link& link) noexcept;
  void merge_later(group_member& earlier) noexcept;
  bool take_in_neighbor(group_member& child) noexcept;
  static group_member* unlink_later(group_member& child, bool empty) noexcept;
  static group_member* unlink_earlier(group_member& child) noexcept;
  fiber* finish(completion& done) noexcept;

  std::shared_ptr<unqueued_children> self_;  // the group's share
  brief_lock& lock_;                   // of all links below views of the group; other groups may have it, too
  waiting_thread* waiting_ = nullptr;  // under the lock
  std::atomic<int> unstarted_{0};
  std::atomic<worker*> home_{nullptr};
  std::atomic<worker*> lender_{nullptr};
  region_state outside_;  // of children that are spawned by threads without a strand
  group_link strays_;     // those children
};

// Those that one strand has spawned. The strand's views are put in serial order wherever strands join, and so
// are these.
class spawn_view : public view {
 public:
  spawn_view(unqueued_children& all, const std::shared_ptr<reducer_base>& whole) noexcept;
  ~spawn_view() override;
  void append(view& right) noexcept override;
  bool holds_children() const noexcept override { return true; }
  child_ranks* children() noexcept override;
  bool put_before(view* earlier) noexcept override;
  bool any_open(const region_state& region) const noexcept override;
  bool hand_to_thread() noexcept override;
  // It goes to another list, of which it is earlier than all.
  void comes_first() noexcept { ranks_ = {}; }
  group_link& list() noexcept { return list_; }
  bool empty() const noexcept { return list_.next == &list_; }
  bool holds_nothing() const noexcept;
  bool failed() const noexcept { return failed_; }

 private:
  friend class unqueued_children;
  unqueued_children& all_;
  group_link list_;  // a ring; under the lock
  child_ranks ranks_;
  bool failed_ = false;  // a child that ran at once threw: what the strand spawns comes after
};

}  // namespace sennit::detail
