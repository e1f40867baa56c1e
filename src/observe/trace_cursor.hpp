// SPDX-License-Identifier: Apache-2.0
// What is counted and noted of a strand whose region is observed: how schedules are recorded and followed.
// Others have no trace cursor, and pay nothing for it. docs/protocols/trace_cursors.md has the protocol.
#pragma once

#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/position.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/region.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace sennit::detail {

class schedule_hooks;
class unobserved_part;
class worker;

// Constructs are counted in serial order, at each level of nesting apart: one in the left branch of a fork,
// in a child of a group or in an iteration of a loop is a level deeper; one in a right branch is not. So a
// construct has the same coordinates however the region is scheduled.
struct cursor_level {
  std::uint64_t begun = 0;          // constructs
  std::uint64_t awaited = nowhere;  // the next of them that the hooks want to hear of
  const void* plan = nullptr;       // the hooks': what they follow from there on
  void* notes = nullptr;            // the hooks': what they have noted here
  const whereabouts* of = nullptr;  // the construct that is around; null: one that was counted elsewhere
};

// A part of an observed region whose strands are not observed.
struct hidden_region {
  region_state state;
  std::unique_ptr<hidden_region> kept_before;
};

class trace_cursor {
 public:
  explicit trace_cursor(schedule_hooks& by) noexcept : by_(&by) {}
  trace_cursor(const trace_cursor&) = delete;
  trace_cursor& operator=(const trace_cursor&) = delete;
  ~trace_cursor() = default;

  schedule_hooks& by() noexcept { return *by_; }
  // Where the strand is, the level around that, and the level that it has just left.
  cursor_level& around() noexcept { return top_[-1]; }
  cursor_level& level() noexcept { return *top_; }
  cursor_level& left() noexcept { return top_[1]; }

  // A construct begins, and the strand goes a level deeper. True: it was awaited.
  bool push(whereabouts& where) noexcept {
    if (!descend()) [[unlikely]] {
      where = {nowhere, nullptr, true};
      return false;
    }
    cursor_level& around = top_[-1];
    top_->of = &where;
    where = {around.begun, around.plan, false};
    return around.begun++ == around.awaited;
  }
  // A level deeper, into a construct that has been counted. False: there is no memory to count there.
  bool descend() noexcept {
    if (top_ + 1 == end_ || beyond_ != 0) [[unlikely]] {
      if (!grow()) {
        ++beyond_;
        return false;
      }
    }
    *++top_ = {};
    return true;
  }
  // Whether the strand is in that construct. It is not if the construct began while nobody heard of it.
  bool is_in(const whereabouts& where) const noexcept { return beyond_ != 0 || top_->of == &where; }
  // Whether it has just left that construct.
  bool has_left(const whereabouts& where) const noexcept { return beyond_ != 0 || top_[1].of == &where; }
  // Whether there was memory for all levels.
  bool is_complete() const noexcept { return beyond_ == 0; }
  // Nothing is allocated so many levels deeper. False: there is no memory for that.
  bool reserve(std::size_t levels) noexcept {
    while (static_cast<std::size_t>(end_ - top_) <= levels)
      if (!grow()) return false;
    return beyond_ == 0;
  }
  // The strand leaves a level. True: something has been noted there.
  bool pop() noexcept {
    if (beyond_ != 0) [[unlikely]] {
      --beyond_;
      return false;
    }
    return top_--->notes != nullptr;
  }
  // The usual cases of both. False: nothing has been done, as this is not one.
  SENNIT_INLINE bool push_plainly(whereabouts& where) noexcept {
    cursor_level* const around = top_;
    const std::uint64_t at = around->begun;
    if (around + 1 == end_ || at == around->awaited) [[unlikely]]
      return false;
    where = {at, around->plan, false};
    around->begun = at + 1;
    top_ = around + 1;
    around[1] = {};
    around[1].of = &where;
    return true;
  }
  SENNIT_INLINE bool pop_plainly(const whereabouts& where) noexcept {
    if (top_->of != &where || top_->notes != nullptr || beyond_ != 0) [[unlikely]]
      return false;
    --top_;
    return true;
  }

 private:
  bool grow() noexcept;

 public:
  // Children of the strand's groups are still in that region. Such a child ends before the strand does.
  void keep(std::unique_ptr<hidden_region> left) noexcept {
    left->kept_before = std::move(kept_);
    kept_ = std::move(left);
  }

  void* note = nullptr;  // the hooks', of the strand as a whole
  // Where the construct is in the program's code that the hooks are told of next; 0: not known. They take it away.
  std::uintptr_t site = 0;
  std::size_t children = 0;  // of groups, that were counted here and are not yet waited for

 private:
  schedule_hooks* by_;
  std::size_t beyond_ = 0;
  std::array<cursor_level, 24> first_{};
  std::unique_ptr<cursor_level[]> more_;
  std::unique_ptr<hidden_region> kept_;
  cursor_level* top_ = first_.data();
  cursor_level* end_ = first_.data() + first_.size() - 1;  // one is left, for left() beyond
};

// How long, and whether with the loss of its worker, a strand waited at the end of a construct. In
// nanoseconds.
struct pause {
  bool suspended;
  std::uint64_t begin;
  std::uint64_t end;
};

// The worker that must run a branch, and a number by which the hooks know when the branch may begin: on that
// worker, or elsewhere. Null: any worker may run it.
struct donee {
  worker* to = nullptr;
  std::uint64_t number = nowhere;
  // What the construct's branches are to be: a part of which the hooks hear nothing but its end. Null: they hear of it.
  unobserved_part* part = nullptr;
};

// A construct that begins, and what it belongs to: a child's or a wait's group.
struct construct {
  enum class kind : std::uint8_t { fork, loop, child, wait };
  kind what = kind::fork;
  const void* group = nullptr;
};

// What is told of a region's strands. Called by the strands, several at once, each on the worker that runs
// it.
class schedule_hooks {
 public:
  schedule_hooks() = default;
  schedule_hooks(const schedule_hooks&) = delete;
  schedule_hooks& operator=(const schedule_hooks&) = delete;

  // The strand begins, with the branch that the worker has claimed; null: with the region.
  virtual void begin(trace_cursor& cursor, frame* branch) noexcept = 0;
  // It ends. What is left in stolen().notes goes to joined().
  virtual void end(trace_cursor& cursor, frame* branch) noexcept = 0;
  // A construct that was awaited has begun.
  virtual donee reached(trace_cursor& cursor, whereabouts& where, construct begun) noexcept = 0;
  // Where the next construct, which cuts a loop of so many iterations, must cut it; 0: in the middle.
  virtual position planned_cut(trace_cursor&, position) noexcept { return 0; }
  // The strand goes into a construct that has been counted.
  virtual void follow(trace_cursor& cursor, const whereabouts& where) noexcept = 0;
  // A construct ended whose branch nobody else ran, with something noted in left(). `size`: of a loop; else
  // 0.
  virtual void kept(trace_cursor& cursor, const whereabouts& where, position size) noexcept = 0;
  // The strand has run something that is no part of the region, with something noted in left().
  virtual void dropped(trace_cursor& cursor) noexcept = 0;
  // The strand pops a branch that nobody else has. True: the strand is to run it here, as a thief would, so that its end is
  // heard of. Its strand is a level deeper from in_place_begins() to in_place_ends().
  virtual bool runs_in_place(trace_cursor&, const whereabouts&) noexcept { return false; }
  virtual void in_place_begins(trace_cursor&, const whereabouts&) noexcept {}
  virtual void in_place_ends(trace_cursor&, const whereabouts&) noexcept {}
  // In a part that is not observed: the strand has popped the fork, whose right branch it runs next. The fork has ended.
  virtual void unobserved_left_ends(trace_cursor&) noexcept {}
  virtual void unobserved_ends(trace_cursor&) noexcept {}
  // Whether such a part lasts so long by now that what is in it should be heard of. A fork of it, which began some time ago,
  // is counted as of now.
  virtual bool is_overdue(trace_cursor&) noexcept { return false; }
  // begins_late() is called for so many forks at most, under a lock: there nothing may be allocated or written.
  virtual void will_begin_late(trace_cursor&, std::size_t) noexcept {}
  virtual void begins_late(trace_cursor&, whereabouts&) noexcept {}
  // Between two constructs of a strand: the part that the strand is to be in from here on, as what comes is brief. Null: the
  // hooks go on to hear of it.
  virtual unobserved_part* leaves_alone(trace_cursor&) noexcept { return nullptr; }
  // Such a part has ended. Whether it lasts for long by now; whether the loop at that site, about which nothing else is known,
  // is to be heard of.
  virtual void hears_again(trace_cursor&) noexcept {}
  virtual bool has_left_alone_for_long(trace_cursor&) noexcept { return false; }
  virtual bool may_be_long(trace_cursor&, std::uintptr_t) noexcept { return true; }
  // A part of a loop begins that is not cut any further, and ends.
  virtual void leaf_begins(trace_cursor&, position, position) noexcept {}
  virtual void leaf_ends(trace_cursor&) noexcept {}
  // The strand begins to wait for that group, and may run children first.
  virtual void wait_begins(trace_cursor&, const void*) noexcept {}
  // The strand is about to wait for the branch of the construct that it has just left.
  virtual void waits(trace_cursor& cursor, const whereabouts& where) noexcept = 0;
  // The branch of the construct that the strand has just left ran elsewhere and has ended. May have the
  // strand go on on another worker.
  virtual void joined(trace_cursor& cursor, frame& branch, pause waited) noexcept = 0;
  // The strand has waited for the children of a group. And for each of those counted here that ran elsewhere.
  virtual void regrouped(trace_cursor& cursor, const whereabouts& where, pause waited) noexcept = 0;
  virtual void joined_child(trace_cursor& cursor, frame& child) noexcept = 0;
  // Whether a construct must be found again at its position in another run. Else nobody follows what is noted: strands may
  // wait wherever they end, and children belong to no trace cursor.
  virtual bool keeps_positions() const noexcept { return true; }
  // One that stands for all strands, and outlives all children, where nobody counts those of a strand; null: each counts its
  // own.
  virtual trace_cursor* common_cursor() noexcept { return nullptr; }
  // A thread or a strand without a trace cursor has spawned a child that a strand with one may run.
  virtual void spawned_unseen(whereabouts&, const void*) noexcept {}
  // Whether somebody wants to know all of it.
  virtual bool noted() const noexcept { return true; }
  // Whether nobody may take but what is donated.
  virtual bool strict() const noexcept = 0;
  // Whether the worker may begin with what was donated to it with this number.
  virtual bool may_begin(worker& by, std::uint64_t number) noexcept = 0;
  // The worker has looked at all that was donated to it, and may begin with none of it.
  virtual void none_may_begin(worker&) noexcept {}
  // Unless strict: when others may begin with it, if its worker is too busy. This may change from one call to the next.
  virtual std::uint64_t opens_ns(std::uint64_t) noexcept { return 0; }
  // The same for the latent frames of a strand that keeps them since that time. Called under the lock of a deque.
  virtual std::uint64_t frames_open_ns(std::uint64_t) noexcept { return 0; }

 protected:
  ~schedule_hooks() = default;
};

// The hooks of the region, or of one around it; null: none, or the region is hidden from them.
inline schedule_hooks* hooks_of(const region_state* region) noexcept {
  for (; region != nullptr; region = region->root ? nullptr : region->outer) {
    if (region->observed_by != nullptr) return region->hidden ? nullptr : region->observed_by;
  }
  return nullptr;
}

}  // namespace sennit::detail
