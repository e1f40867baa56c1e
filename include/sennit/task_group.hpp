// task_group: branches whose number is known only at run time.
#pragma once

#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/fork/group.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace sennit {

// Children that may run in parallel with the strand that spawns them and with one another.
//
// spawn() may be called by any strand, also by several at once: by the strand that made the group, by
// children, in branches of joins and in bodies of loops; and by threads that run none. wait() waits for all
// of them, for those that children spawn meanwhile, too. It is called by the strand that made the group, or,
// where another one used it first, by a strand that waits for that one. Whoever spawns but is no child of the
// group must have done so before wait() is called. A group that is destroyed with open children waits for
// them.
//
// What the program does against that ends it, with a message: a strand that ends while children that it
// pushed are open, a wait() by another strand meanwhile, or by a child for its own group. So does a
// region::run(), record(), replay() or design() whose function spawns and does not wait, even if the group is
// from outside. What was spawned before may be waited for there, too.
//
// A spawn may run its child at once, as the serial program does: where some hundreds of children wait to be
// taken already. So memory follows the children that are alive, not those that were spawned. What is spawned
// by a strand of another runtime always runs at once, and so does in an observed region (record(), replay(),
// design()) what is spawned by other strands than the one that has the group on its stack.
//
// Reducers get what children add in the serial order; but where one strand feeds several groups at a time
// that are not on its stack, in the order in which it waits for them.
//
// A group is neither copied nor moved. It may be anywhere: on the stack, where it is fastest, in a container,
// in an object on the heap. Outside any runtime children go to the default one. Cost: some twenty nanoseconds
// a group, and as much a child that its own strand spawns, less where it runs at once. Other spawns cost some
// hundred nanoseconds and an allocation, and less where their child runs at once.
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

  // Waits. Throws what wait() throws, unless the stack is being unwound already:
  // then what children threw is dropped.
  ~task_group() noexcept(false) { state_.end(); }

  // Adds a child: a copy of f, or f moved, called without arguments; what it returns is dropped. The
  // closure ends once it has run. What it refers to must last until wait() has returned.
  // Throws std::bad_alloc, what copying f throws, and sennit::cancelled in a cancelled region;
  // outside any runtime as runtime::default_runtime() and runtime::run(). The child does not run then.
  // Never throws what the child throws.
  //
  // Precondition: the caller holds no lock that the child takes, as the child may run here.
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

  // Returns when all children have ended, and throws what the first of them threw, in the order of the serial
  // program: that of spawning, where all that a child spawns comes before what was spawned after the child.
  // Children after one that threw may be dropped if they were not started.
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
