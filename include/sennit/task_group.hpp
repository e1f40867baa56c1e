// task_group: branches whose number is known only at run time.
#pragma once

#include <sennit/detail/group.hpp>

#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace sennit {

// Children that may run in parallel with the strand that spawns them and with one another.
//   sennit::task_group group;
//   for (node& child : children) group.spawn([&] { visit(child); });
//   group.wait();
//
// spawn() and wait() are called by the strand that made the group, not by its children.
// A group cannot outlive its scope: it is neither copied nor moved, and its destructor waits.
// Children's closures live in the group's arena: a few fit into the group itself, more are allocated,
// in growing pieces. Cost of a spawn: some ten nanoseconds.
class task_group {
 public:
  task_group() = default;
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  void* operator new(std::size_t) = delete;
  void* operator new[](std::size_t) = delete;

  // Waits. Throws what wait() throws, unless the stack is being unwound already:
  // then what children threw is dropped.
  ~task_group() noexcept(false) { state_.end(); }

  // Adds a child. Throws std::bad_alloc, and sennit::cancelled in a cancelled region;
  // the child does not run then.
  template <class F>
    requires std::invocable<std::decay_t<F>&>
  void spawn(F&& f) {
    using child = detail::group_child<std::decay_t<F>>;
    void* const place = state_.allocate(sizeof(child), alignof(child));
    state_.spawn(*::new (place) child(state_, std::forward<F>(f)));
  }

  // Returns when all children spawned so far have ended, and throws what the first of them,
  // in the order of spawning, threw. Children after one that threw are dropped if they were not started.
  void wait() { state_.wait(); }

 private:
  detail::group_state state_;
};

}  // namespace sennit
