// The parts of task_group that its template needs.
#pragma once

#include <sennit/detail/fork_frame.hpp>
#include <sennit/detail/frame.hpp>
#include <sennit/detail/words.hpp>
#include <sennit/region.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory_resource>
#include <utility>

namespace sennit::detail {

class group_state;

// A child's frame. It stays in the group's list until wait() has seen its outcome.
class group_member : public frame {
 public:
  group_member(group_state& group, entry run_elsewhere, void (*call)(group_member&), void (*destroy)(group_member&) noexcept)
      : frame(run_elsewhere), group_(group), call_(call), destroy_(destroy) {}

 protected:
  group_state& group() noexcept { return group_; }

 private:
  friend class group_state;
  group_state& group_;
  void (*call_)(group_member&);
  void (*destroy_)(group_member&) noexcept;
  group_member* previous_ = nullptr;  // spawned just before
  bool settled_ = false;              // run or dropped by the group's own strand
};

class group_state {
 public:
  group_state() noexcept;
  group_state(const group_state&) = delete;
  group_state& operator=(const group_state&) = delete;
  ~group_state() = default;

  void* allocate(std::size_t bytes, std::size_t alignment) { return arena_.allocate(bytes, alignment); }
  void spawn(group_member& child);
  void wait();
  void end();
  completion& done() noexcept { return done_; }

 private:
  void settle_children() noexcept;
  void settle(group_member& child, bool call) noexcept;
  void wait_in_strand();

  // Children are on the deque, newest on top, exactly while the calling strand's fiber has not been suspended since
  // and tail is where the group left it.
  bool on_top() const noexcept;

  fiber* fiber_;
  std::uint64_t suspensions_;  // of that fiber
  slot* top_;                  // tail as this group left it
  std::size_t on_deque_ = 0;
  std::intptr_t away_ = 0;     // children not settled by this strand
  group_member* newest_ = nullptr;
  group_member* failed_ = nullptr;  // the earliest child that threw here
  std::exception_ptr failure_;
  bool dropped_ = false;       // some child was dropped by cancellation
  int unwinding_;              // exceptions in flight when the group was made
  completion done_;
  region_state outside_;       // the children's region, where the group was made outside any
  std::pmr::monotonic_buffer_resource arena_;
};

template <class F>
class group_child : public group_member {
 public:
  template <class G>
  group_child(group_state& group, G&& f)
      : group_member(group, &run_elsewhere, &call, &destroy), body_(std::forward<G>(f)) {}

 private:
  static fiber* run_elsewhere(frame& base) noexcept {
    auto& self = static_cast<group_child&>(base);
    record_outcome(self.away(), [&self] { std::invoke(self.body_); });
    return self.group().done().finish();
  }
  static void call(group_member& base) { std::invoke(static_cast<group_child&>(base).body_); }
  static void destroy(group_member& base) noexcept { std::destroy_at(&static_cast<group_child&>(base)); }

  F body_;
};

}  // namespace sennit::detail
