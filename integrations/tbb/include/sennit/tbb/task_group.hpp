// SPDX-License-Identifier: Apache-2.0
// task_group: tasks whose number is known only at run time.
#pragma once

#include <sennit/blocking.hpp>
#include <sennit/task_group.hpp>
#include <sennit/tbb/adders_and_waiter.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/setting.hpp>
#include <sennit/tbb/task_handle.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace tbb {
namespace on_sennit {

enum task_group_status { not_complete, complete, canceled };

// A group of Sennit allows no spawn by others than its children while somebody waits for it; one of oneTBB does. So there are two
// parts: while one is waited for, others add to the other one, and the strand that waits turns to that one next.
class task_group {
 public:
  task_group() : task_group(nullptr) {}
  explicit task_group(task_group_context& context) : task_group(&context) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  // Waits. Throws what a task threw, unless the stack is being unwound: then tasks that have not begun do not begin.
  ~task_group() noexcept(false) {
    if (!open_.load(std::memory_order_relaxed)) return;
    if (std::uncaught_exceptions() == unwinding_) {
      wait();
      return;
    }
    cancel();
    try {
      wait();
    } catch (...) {  // the exception that is under way has come first
    }
  }

  // If it throws, the task does not run.
  template <class F>
  void run(F&& f) {
    if (has_no_worker()) return add_late(handles::take(defer(std::forward<F>(f))));
    const adding here(*this);
    const setting in = setting_in(here.to());
    if (in.arena == nullptr) [[likely]] {
      here.to().tasks.spawn([this, in, f = std::forward<F>(f)]() mutable { run_noted(in, f); });
      return;
    }
    // The task may begin when the arena is gone.
    here.to().tasks.spawn(
        [this, in, owner = owner_of(in), f = std::forward<F>(f)]() mutable { run_noted(in, f); });
  }
  // Where there is no memory for that, the task runs when somebody waits.
  void run(task_handle&& h) {
    begun_task begun(*this, handles::take(std::move(h)));
    if (!has_no_worker()) {
      try {
        const adding here(*this);
        return spawn_in(here.to(), begun);
      } catch (...) {
        if (begun.task == nullptr) throw;
      }
    }
    add_late(std::move(begun.task));
  }

  // Returns a task that keeps wait() waiting until it has run, or its handle has ended.
  template <class F>
  task_handle defer(F&& f) {
    return task_handle(std::make_unique<deferred<std::decay_t<F>>>(*this, std::forward<F>(f)));
  }

  // Waits for all tasks, and for those that are added meanwhile. Then the group may be used again, also where it throws.
  task_group_status wait() {
    return wait_after([] {});
  }
  // The same, after a call of f.
  template <class F>
  task_group_status run_and_wait(const F& f) {
    return wait_after([&] { run_task(setting_in(first_), f); });
  }
  task_group_status run_and_wait(task_handle&& h) {
    begun_task begun(*this, handles::take(std::move(h)));
    return wait_after(begun);
  }

  void cancel() { context_.cancel_group_execution(); }

 private:
  friend class deferred_task;

  explicit task_group(task_group_context* given)
      : context_(given != nullptr ? *given : own_), first_(context_, scope_around()) {}

  struct part {
    part(task_group_context& context, const scope* around) : inside(context, around) {}

    const scope inside;  // of its tasks
    // In oneTBB a task never begins within run().
    sennit::task_group tasks{sennit::detail::when_many_wait::queue};
    // Under the lock, of those who add while somebody waits for the other part:
    unsigned adding = 0;  // so many are at it
    bool used = false;    // since somebody waited for this one
  };

  template <class F>
  class deferred : public deferred_task {
   public:
    template <class G>
    deferred(task_group& of, G&& f) : deferred_task(of), f_(std::forward<G>(f)) {}
    void run() override { f_(); }

   private:
    F f_;
  };
  // The call of a deferred task, which ends it.
  struct begun_task {
    begun_task(task_group& of, std::unique_ptr<deferred_task> given)
        : group(&of), in(of.setting_in(of.first_)), owner(owner_of(in)), task(std::move(given)) {}
    void operator()() {
      const std::unique_ptr<deferred_task> mine = std::move(task);
      group->run_noted(in, [&] { mine->run(); });
    }

    task_group* group;
    setting in;
    std::shared_ptr<const void> owner;  // of the arena
    std::unique_ptr<deferred_task> task;
  };

  // A group that is not on the stack may outlive the construct that it is made in.
  const scope* scope_around() const {
    constexpr std::uintptr_t near = 1 << 16;
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const auto mine = reinterpret_cast<std::uintptr_t>(this);
    return mine - here + near < 2 * near ? setting_here().inner : nullptr;
  }
  static setting setting_in(const part& of) {
    setting in = setting_here();
    in.inner = &of.inside;
    return in;
  }
  static std::shared_ptr<const void> owner_of(const setting& in) {
    return in.arena != nullptr ? owner_of_arena.load(std::memory_order_relaxed)(*in.arena) : nullptr;
  }

  // Sennit's group hands an exception to whom the strand that spawned the task is joined with. That may be another one than the
  // strand that waits.
  template <class F>
  void run_noted(const setting& in, F&& f) {
    try {
      run_task(in, f);
    } catch (...) {
      note(std::current_exception());
      throw;
    }
  }
  void note(std::exception_ptr thrown) {
    const std::lock_guard guard(lock_);
    if (thrown_ == nullptr) thrown_ = std::move(thrown);
    state_.mark_unusual();
  }

  // --- Adding.

  // While it lives, nobody waits for the part, or the caller is a task of the part.
  class adding {
   public:
    explicit adding(task_group& group) : group_(group), to_(&group.first_) {
      if (setting_here().inner == &group.first_.inside) {
        entered_ = as::task;
      } else if (group.state_.enter()) [[likely]] {
        entered_ = as::counted;
      } else {
        enter_beside_a_wait();
      }
      if (!group.open_.load(std::memory_order_relaxed)) group.open_.store(true, std::memory_order_relaxed);
    }
    adding(const adding&) = delete;
    adding& operator=(const adding&) = delete;
    ~adding() {
      if (entered_ == as::counted) {
        group_.state_.leave();
      } else if (entered_ == as::noted) [[unlikely]] {
        const std::lock_guard guard(group_.lock_);
        --to_->adding;
        group_.tell_waiter();
      }
    }
    part& to() const { return *to_; }

   private:
    enum class as { task, counted, noted };

    [[gnu::noinline]] void enter_beside_a_wait() {
      if (part* const mine = group_.part_around()) {
        to_ = mine;
        entered_ = as::task;
        return;
      }
      do {
        const std::lock_guard guard(group_.lock_);
        if (!group_.state_.mark_unusual()) continue;
        to_ = &group_.part_to_add_to();
        to_->used = true;
        ++to_->adding;
        entered_ = as::noted;
        return;
      } while (!group_.state_.enter());
      entered_ = as::counted;
    }

    task_group& group_;
    part* to_;
    as entered_;
  };

  // Of which the calling task is. Null: none.
  part* part_around() {
    const scope* const second = second_inside_.load(std::memory_order_relaxed);
    for (const scope* s = setting_here().inner; s != nullptr; s = s->outer) {
      if (s == &first_.inside) return &first_;
      if (s == second) return second_.get();
    }
    return nullptr;
  }
  // Under the lock, while somebody waits.
  part& part_to_add_to() {
    if (first_is_open_) return first_;
    if (second_ == nullptr) {
      second_ = std::make_unique<part>(context_, first_.inside.outer);
      second_inside_.store(&second_->inside, std::memory_order_relaxed);
    }
    return *second_;
  }

  // If it throws, the call remains where there was no memory for it.
  static void spawn_in(part& to, begun_task& begun) {
    begun.in.inner = &to.inside;
    to.tasks.spawn(std::move(begun));
  }

  // Only the strand that waits may begin its tasks.
  static bool has_no_worker() {
    return allowed_workers.load(std::memory_order_relaxed) != 0 && !sennit::detail::in_strand() &&
           default_workers_allowed() == 1 && default_workers() != 1;
  }
  void add_late(std::unique_ptr<deferred_task> task) {
    const std::lock_guard guard(lock_);
    late_.add(std::move(task));
    tell_waiter();
  }
  std::unique_ptr<deferred_task> take_late() {
    const std::lock_guard guard(lock_);
    return late_.take_oldest();
  }

  void add_handle() {
    const std::lock_guard guard(lock_);
    ++handles_;
    open_.store(true, std::memory_order_relaxed);
    state_.mark_unusual();
  }
  // The strand that waits takes the lock before it goes, so the group lasts until the lock is given back.
  void drop_handle() {
    const std::lock_guard guard(lock_);
    --handles_;
    tell_waiter();
  }
  // Under the lock.
  void tell_waiter() {
    changes_.fetch_add(1, std::memory_order_relaxed);
    changes_.notify_all();
  }

  // --- Waiting.

  struct ending {
    std::exception_ptr failure;
    bool cancelled = false;
  };

  // Nothing that throws comes between the beginning of a wait and its end.
  template <class F>
  task_group_status wait_after(F&& first) {
    state_.begin();
    ending how;
    bool begun = false;
    auto all = [&] {
      begun = true;
      keep_first(how.failure, first);
      wait_for_all(how);
    };
    try {
      in_runtime(all);
    } catch (...) {  // there is no runtime of the size that is allowed
    }
    if (!begun) all();
    if (how.failure != nullptr) std::rethrow_exception(how.failure);
    return how.cancelled ? canceled : complete;
  }

  void wait_for_all(ending& how) {
    for (;;) {
      const unsigned changes = changes_.load(std::memory_order_relaxed);
      begin_late(how);
      keep_first(how.failure, [&] { first_.tasks.wait(); });
      if (try_end(how)) return;
      if (wait_for_second(how)) continue;
      if (end(how)) return;
      sennit::blocking([&] { changes_.wait(changes, std::memory_order_relaxed); });
    }
  }
  // A task for which there is no memory, or no strand that could set it aside, runs here.
  void begin_late(ending& how) {
    if (!state_.is_unusual()) [[likely]]
      return;
    while (std::unique_ptr<deferred_task> task = take_late()) {
      begun_task begun(*this, std::move(task));
      if (sennit::detail::in_strand()) {
        try {
          spawn_in(first_, begun);
        } catch (...) {  // it is still there
        }
      }
      if (begun.task != nullptr) keep_first(how.failure, begun);
    }
  }
  // Waits for what was added to the second part meanwhile. False: nothing was.
  bool wait_for_second(ending& how) {
    {
      std::unique_lock guard(lock_);
      if (second_ == nullptr || !second_->used) return false;
      first_is_open_ = true;
      await_adding(guard, *second_);
    }
    keep_first(how.failure, [&] { second_->tasks.wait(); });
    std::unique_lock guard(lock_);
    first_is_open_ = false;
    await_adding(guard, first_);
    return true;
  }
  void await_adding(std::unique_lock<std::mutex>& guard, part& closed) {
    while (closed.adding != 0) {
      const unsigned changes = changes_.load(std::memory_order_relaxed);
      guard.unlock();
      sennit::blocking([&] { changes_.wait(changes, std::memory_order_relaxed); });
      guard.lock();
    }
    closed.used = false;
  }

  // Whether the wait is over. Most end here, without the lock.
  bool try_end(ending& how) {
    if (!state_.may_end()) return false;
    settle(how);
    return state_.try_end();
  }
  bool end(ending& how) {
    std::exception_ptr thrown;
    const std::lock_guard guard(lock_);
    if (handles_ != 0 || (second_ != nullptr && second_->used)) return false;
    settle(how);
    thrown.swap(thrown_);
    if (how.failure == nullptr) how.failure = thrown;
    state_.end();
    return true;
  }
  // What is added from here on may begin.
  void settle(ending& how) {
    how.cancelled |= first_.inside.cancelled();
    context_.reset();
    open_.store(false, std::memory_order_relaxed);
  }

  template <class F>
  static void keep_first(std::exception_ptr& failure, F&& f) {
    try {
      f();
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
  }

  const int unwinding_ = std::uncaught_exceptions();
  task_group_context own_;
  task_group_context& context_;
  part first_;
  adders_and_waiter state_;
  std::atomic<bool> open_{false};  // something was added since the last wait
  std::mutex lock_;                // of all below
  std::size_t handles_ = 0;        // deferred tasks that have not ended
  deferred_tasks late_;            // which the strand that waits begins
  std::exception_ptr thrown_;      // by the first task that threw since the last wait
  bool first_is_open_ = false;
  std::unique_ptr<part> second_;
  std::atomic<const scope*> second_inside_{nullptr};
  std::atomic<unsigned> changes_{0};  // of any that the strand that waits may wait for
};

inline void handles::run(task_handle&& h) {
  if (!h) (void)take(std::move(h));
  h.task_->group.run(std::move(h));
}

inline deferred_task::deferred_task(task_group& of) : group(of) { group.add_handle(); }
inline deferred_task::~deferred_task() { group.drop_handle(); }

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::canceled;
using on_sennit::complete;
using on_sennit::not_complete;
using on_sennit::task_group;
using on_sennit::task_group_status;
}  // namespace v1
}  // namespace tbb
