// SPDX-License-Identifier: Apache-2.0
// task_group: branches whose number is known only at run time.
#pragma once

#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/group/group.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace sennit {

// Children that may run in parallel with the strand that spawns them, and with one another.
//
// Any strand may call spawn(), and several may at once: the strand that made the group, its children,
// branches of joins, and bodies of loops. So may threads that run no strand. wait() waits for all children,
// also for those that children spawn meanwhile. The strand that made the group calls wait(). If another
// strand used the group first, a strand that waits for that strand may call wait(), too. A caller of spawn()
// that is no child of the group must have returned from it before wait() is called. The destructor of a
// group waits for its open children.
//
// Three mistakes end the program with a message. A strand ends while children that it pushed are open.
// Another strand calls wait() during a wait(). A child calls wait() of its own group, up to
// 8 groups further in, or 256 in the checked variant. A fourth mistake is
// the function of a region::run(), record(), replay() or design() that spawns and does not wait, even if the
// group is from outside the function. Such a function may wait for what was spawned before it.
//
// A spawn may run its child at once, as the serial program does: it does so when some hundreds of children
// already wait to be taken. So memory grows with the children that are alive, not with the number of spawns.
// A child spawned by a strand of another runtime always runs at once. In an observed region (record(),
// replay(), design()) a child also runs at once if it is spawned by a strand other than the one that has the
// group on its stack.
//
// Reducers receive what children add in the serial order. One case differs: a strand feeds several groups at
// a time that are not on its stack. Reducers then receive the groups' values in the order in which the
// strand waits for the groups.
//
// A group is neither copied nor moved. It may be anywhere: in a container, in an object on the heap, or on
// the stack, where it is fastest. Outside any runtime, children run in the default runtime. Cost: some
// twenty nanoseconds for a group. The same for each child that the group's own strand spawns, and less if
// the child runs at once. Other spawns cost some hundred nanoseconds and an allocation, and less if their
// child runs at once.
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
  task_group() : task_group(detail::when_many_wait::run_at_once) {}
  // For integrations, whose users expect no child to run within spawn().
  explicit task_group(detail::when_many_wait further) : state_(SENNIT_EXCEPTIONS, further) {}
  // Compilers show these lines to users who try to copy a group.
  task_group(const task_group&) = delete;  // children refer to their group: pass the group by reference
  task_group& operator=(const task_group&) = delete;  // the same

  // Waits. Throws what wait() throws. If the stack is being unwound already, exceptions of children are
  // dropped.
  ~task_group() noexcept(false) { state_.end(); }

  // Adds a child: a copy of f, or f moved, called without arguments. The result is dropped. The closure is
  // destroyed once it has run. What f refers to must last until wait() has returned.
  //
  // Throws std::bad_alloc, what copying f throws, and sennit::cancelled in a cancelled region; outside any
  // runtime also what runtime::default_runtime() and runtime::run() throw. The child does not run if spawn()
  // throws. Never throws the exception of the child.
  //
  // Precondition: the caller holds no lock that the child takes, because the child may run inside this call.
  template <class F>
    requires std::invocable<std::decay_t<F>&>
  void spawn(F&& f SENNIT_WHERE) {
    SENNIT_SITE("task_group::spawn");
    static_assert(std::constructible_from<std::decay_t<F>, F>,
                  "task_group::spawn: the child cannot be copied; hand it over, as in spawn(std::move(f))");
    using child = detail::group_child<std::decay_t<F>>;
    switch (state_.admit()) {
      case detail::spawning::pushed: {
        detail::block_for_child block(state_, sizeof(child), alignof(child));
        state_.push(block.template make<child>(std::forward<F>(f)));
        break;
      }
      case detail::spawning::unqueued: {
        state_.list_unqueued(std::unique_ptr<child, detail::group_member::deleter>(
            new child(state_, true, std::forward<F>(f))));
        break;
      }
      case detail::spawning::at_once_in_order: {
        std::decay_t<F> body(std::forward<F>(f));
        state_.run_in_order(body);
        break;
      }
      case detail::spawning::at_once: {
        std::decay_t<F> body(std::forward<F>(f));
        state_.run_at_once(body);
        break;
      }
    }
  }

  template <class... F>
  void spawn(const F&...) {
    static_assert(
        detail::never<F...>,
        "task_group::spawn: a child is one function that is called without arguments; capture what it "
        "needs, as in spawn([&, i] { f(i); })");
  }

  // Returns when all children have ended. Throws the exception of the first child that threw, in the order
  // of the serial program. In that order, everything that a child spawns comes before what is spawned after
  // the child. Later children that have not been started may be dropped. Throws sennit::cancelled if
  // children were dropped because their region was cancelled. The group may be used again.
  //
  // Precondition: the caller holds no lock, because the strand may change threads here.
#if SENNIT_CHECKED
  void wait(std::source_location where = std::source_location::current()) {
    SENNIT_SITE("task_group::wait");
    state_.wait();
  }
#else
  void wait() { state_.wait(); }
#endif

 private:
  detail::group_state state_;
};

}  // namespace sennit
