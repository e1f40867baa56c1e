// The parts of task_group that its template needs.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/completion.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/fork_frame.hpp>
#include <sennit/detail/frame.hpp>
#include <sennit/detail/in_handler.hpp>
#include <sennit/detail/words.hpp>
#include <sennit/region.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <memory_resource>
#include <utility>

namespace sennit::detail {

class course;
class group_state;
class worker;

// A child's frame. Its group has it in one of two lists until its outcome is known.
class group_member : public frame {
 public:
  using call = void (*)(group_member&);
  using destroy = void (*)(group_member&) noexcept;

  group_member(group_state& group, entry run_elsewhere, call run_here, destroy end)
      : frame(run_elsewhere), group_(group), run_here_(run_here), end_(end) {}

 protected:
  group_state& group() noexcept { return group_; }

 private:
  friend class group_state;

  group_state& group_;
  call run_here_;
  destroy end_;
  group_member* previous_ = nullptr;
  std::uint64_t order_ = 0;  // of spawning
  bool on_deque_ = false;    // pushed; otherwise listed at once
  bool ran_here_ = false;
  // What the strand had added to reducers since the child before this one was spawned, and what this one added if it
  // ran here.
  view* before_ = nullptr;
  view* views_ = nullptr;
  course* counted_by_ = nullptr;  // null: it was not spawned in an observed region
};

class SENNIT_EXPORT group_state {
 public:
  // `can_throw`: a cancellation can be thrown to the strand that makes the group.
  explicit group_state(bool can_throw) noexcept;
  group_state(const group_state&) = delete;
  group_state& operator=(const group_state&) = delete;
  ~group_state() = default;

  void* allocate(std::size_t bytes, std::size_t alignment) { return arena_.allocate(bytes, alignment); }
  void spawn(group_member& child);
  void wait();
  void end();
  completion& done() noexcept { return done_; }

 private:
  bool on_top() const noexcept;
  void push_or_list(group_member& child);
  void list(group_member& child, bool counted);
  static void note_counted(group_member& child) noexcept;
  void collect() noexcept;
  bool take_back(group_member& child) noexcept;
  void run_here(group_member& child) noexcept;
  void call_here(group_member& child);
  void record(group_member& child) noexcept;
  void keep_earliest(std::exception_ptr failure, std::uint64_t order) noexcept;
  void report();

  // The strand that the group belongs to, as long as its deque is as the group left it: see on_top().
  worker* place_ = nullptr;
  std::uint64_t epoch_ = 0;
  slot* top_ = nullptr;

  group_member* newest_ = nullptr;  // spawned, not collected
  std::uint64_t spawned_ = 0;
  completion done_;  // of the children that run elsewhere
  std::exception_ptr failure_;
  std::uint64_t failed_ = 0;  // the order of the child that threw it
  bool dropped_ = false;      // a child was dropped by cancellation
  const bool can_throw_;
  const int unwinding_;       // exceptions in flight when the group was made
  worker* lender_ = nullptr;  // whose list holds the children of a group made outside any runtime
  region_state outside_;      // and their region
  // The first children need no allocation.
  alignas(std::max_align_t) std::byte nearby_[384];
  std::pmr::monotonic_buffer_resource arena_{nearby_, sizeof nearby_};
};

template <class F>
class group_child : public group_member {
 public:
  template <class G>
  group_child(group_state& group, G&& f)
      : group_member(group, &run_elsewhere, &run_here, &end), body_(std::forward<G>(f)) {}

 private:
  static fiber* run_elsewhere(frame& base) noexcept {
    auto& self = static_cast<group_child&>(base);
    record_outcome(self.away(), [&self] { self.place_.run(self.body_); });
    leave_branch(self);
    return self.group().done().finish();
  }
  static void run_here(group_member& base) {
    auto& self = static_cast<group_child&>(base);
    self.place_.run(self.body_);
  }
  static void end(group_member& base) noexcept { std::destroy_at(&static_cast<group_child&>(base)); }

  F body_;
  [[no_unique_address]] fork_place place_;
};

}  // namespace sennit::detail
