// task_group: branches whose number is known only at run time.
#pragma once

#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/group.hpp>

#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace sennit {

// Children that may run in parallel with the strand that spawns them and with one another.
//
// spawn() and wait() are called by the strand that made the group, not by its children. What is spawned in
// the function of a region::run(), record(), replay() or design() is waited for there, even if the group is
// from outside: the last three end the program otherwise, with a message. What was spawned before may be
// waited for there, too.
// A group cannot outlive its scope: it is neither copied nor moved nor made by `new`,
// and its destructor waits. Outside any runtime children go to the default one. Children's closures
// live in the group's arena: a few fit into the group itself, more are allocated, in growing pieces.
// Cost: some twenty nanoseconds a group, and as much a child.
//
// Example:
//   #include <vector>
//
//   struct node {
//     std::vector<node> children;
//   };
//
//   void visit(const node& n) {
//     sennit::task_group group;
//     for (const node& child : n.children) group.spawn([&child] { visit(child); });
//     group.wait();
//   }
class task_group {
 public:
  task_group() = default;
  // What the compiler shows to those who try.
  task_group(const task_group&) = delete;             // its children refer to it: pass it by reference
  task_group& operator=(const task_group&) = delete;  // the same
  void* operator new(std::size_t) = delete;
  void* operator new[](std::size_t) = delete;

  // Waits. Throws what wait() throws, unless the stack is being unwound already:
  // then what children threw is dropped.
  ~task_group() noexcept(false) { state_.end(); }

  // Adds a child: a copy of f, or f moved, called without arguments; what it returns is dropped.
  // What it refers to must last until wait() has returned. A child may spawn in groups of its own.
  // Throws std::bad_alloc, what copying f throws, and sennit::cancelled in a cancelled region;
  // outside any runtime as runtime::default_runtime() and runtime::run(). The child does not run then.
  template <class F>
    requires std::invocable<std::decay_t<F>&>
  void spawn(F&& f SENNIT_WHERE) {
    SENNIT_SITE("task_group::spawn");
    static_assert(std::constructible_from<std::decay_t<F>, F>,
                  "task_group::spawn: the child cannot be copied; hand it over, as in spawn(std::move(f))");
    using child = detail::group_child<std::decay_t<F>>;
    void* const place = state_.allocate(sizeof(child), alignof(child));
    state_.spawn(*::new (place) child(state_, std::forward<F>(f)));
  }

  template <class... F>
  void spawn(const F&...) {
    static_assert(
        detail::never<F...>,
        "task_group::spawn: a child is one function that is called without arguments; capture what it "
        "needs, as in spawn([&, i] { f(i); })");
  }

  // Returns when all children spawned so far have ended, and throws what the first of them,
  // in the order of spawning, threw. Children after one that threw are dropped if they were not started.
  // Throws sennit::cancelled if children were dropped because their region was cancelled.
  // The group may be used again.
  //
  // Precondition: the caller holds no lock; the strand may change threads here.
#if SENNIT_CHECKED
  void wait(std::source_location where = std::source_location::current()) {
    SENNIT_SITE("task_group::wait");
    state_.wait();
  }
#else
  void wait() { state_.wait(); }
#endif

 private:
  detail::group_state state_{SENNIT_EXCEPTIONS};
};

}  // namespace sennit
