// task_group: tasks whose number is known only at run time.
#pragma once

#include <sennit/blocking.hpp>
#include <sennit/task_group.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/setting.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace tbb {
namespace on_sennit {

enum task_group_status { not_complete, complete, canceled };

class task_group;

// A task that runs once it is handed to a group, or to an arena.
class deferred_task {
 public:
  deferred_task(const deferred_task&) = delete;
  deferred_task& operator=(const deferred_task&) = delete;
  virtual ~deferred_task();
  virtual void run() = 0;

  task_group& group;

 protected:
  explicit deferred_task(task_group& of);
};

class task_handle {
 public:
  task_handle() = default;

  explicit operator bool() const noexcept { return task_ != nullptr; }
  friend bool operator==(const task_handle& h, std::nullptr_t) noexcept { return h.task_ == nullptr; }

 private:
  friend class task_group;
  friend struct handles;
  explicit task_handle(std::unique_ptr<deferred_task> task) : task_(std::move(task)) {}

  std::unique_ptr<deferred_task> task_;
};

// What arenas need of handles.
struct handles {
  static std::unique_ptr<deferred_task> take(task_handle&& h) {
    if (h.task_ == nullptr) throw std::runtime_error("tbb: the task_handle is empty; run a task once only");
    return std::move(h.task_);
  }
  // In the group that made it.
  static void run(task_handle&& h);
};

class task_group {
 public:
  task_group() : task_group(nullptr) {}
  explicit task_group(task_group_context& context) : task_group(&context) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  // Waits. Throws what a task threw, unless the stack is being unwound: then tasks that have not begun do not begin.
  ~task_group() noexcept(false) {
    if (!open_.load(std::memory_order_relaxed) && left_.load() == 0) return;
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

  template <class F>
  void run(F&& f) {
    const setting in = setting_of_tasks();
    if (in.arena == nullptr) [[likely]]
      return add([in, f = std::forward<F>(f)]() mutable { run_task(in, f); });
    // The task may begin when the arena is gone.
    add([in, owner = owner_of_arena.load(std::memory_order_relaxed)(*in.arena),
         f = std::forward<F>(f)]() mutable {
      const around_construct around;  // no thread goes on in an arena that is gone
      run_task(in, f);
    });
  }
  void run(task_handle&& h) {
    run([task = std::shared_ptr<deferred_task>(handles::take(std::move(h)))]() mutable {
      run_and_end(std::move(task));
    });
  }

  // Returns a task that keeps wait() waiting until it has run, or its handle has ended.
  template <class F>
  task_handle defer(F&& f) {
    return task_handle(std::make_unique<deferred<std::decay_t<F>>>(*this, std::forward<F>(f)));
  }

  // Waits for all tasks, and for those that they run meanwhile.
  task_group_status wait() {
    return wait_after([] {});
  }
  // The same, after a call of f.
  template <class F>
  task_group_status run_and_wait(const F& f) {
    return wait_after([&] { run_task(setting_of_tasks(), f); });
  }
  task_group_status run_and_wait(task_handle&& h) {
    std::shared_ptr<deferred_task> task = handles::take(std::move(h));
    return wait_after([&] { run_and_end(std::move(task)); });
  }

  void cancel() { context_.cancel_group_execution(); }

 private:
  friend class deferred_task;

  explicit task_group(task_group_context* given)
      : context_(given != nullptr ? *given : own_), scope_(context_, scope_around()) {}

  template <class F>
  class deferred : public deferred_task {
   public:
    template <class G>
    deferred(task_group& of, G&& f) : deferred_task(of), f_(std::forward<G>(f)) {}
    void run() override { run_task(group.setting_of_tasks(), f_); }

   private:
    F f_;
  };

  // A group that is not on the stack may outlive the construct that it is made in.
  const scope* scope_around() const {
    constexpr std::uintptr_t near = 1 << 16;
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const auto mine = reinterpret_cast<std::uintptr_t>(this);
    return mine - here + near < 2 * near ? setting_here().inner : nullptr;
  }
  setting setting_of_tasks() const {
    setting in = setting_here();
    in.inner = &scope_;
    return in;
  }

  // A task of the group, or within one.
  bool from_inside() const {
    const scope* s = setting_here().inner;
    while (s != nullptr && s != &scope_) s = s->outer;
    return s != nullptr;
  }

  template <class F>
  void add(F&& task) {
    const around_construct around;
    if (!open_.load(std::memory_order_relaxed)) open_.store(true, std::memory_order_relaxed);
    if (has_no_worker() || (waiting_.load() != nobody && !from_inside())) {
      const std::lock_guard guard(lock_);
      // std::function copies what it calls.
      late_.push_back([task = std::make_shared<std::decay_t<F>>(std::forward<F>(task))] { (*task)(); });
      left_.fetch_add(1);
      changes_.fetch_add(1);
      changes_.notify_all();
    } else {
      tasks_.spawn(std::forward<F>(task));
    }
  }
  // Only the strand that waits may begin its tasks.
  static bool has_no_worker() {
    return allowed_workers.load(std::memory_order_relaxed) != 0 && !sennit::detail::in_strand() &&
           default_workers_allowed() == 1 && default_workers() != 1;
  }

  static void run_and_end(std::shared_ptr<deferred_task> task) { task->run(); }

  template <class F>
  task_group_status wait_after(F&& first) {
    const around_construct around;
    take_turn();
    std::exception_ptr failure;
    in_runtime([&] {
      keep_first(failure, first);
      for (;;) {
        const unsigned changes = changes_.load();
        keep_first(failure, [&] { run_late(); });
        keep_first(failure, [&] { tasks_.wait(); });
        if (left_.load() == 0) break;
        sennit::blocking([&] { changes_.wait(changes); });
      }
      if (had_handles_.load()) {
        const std::lock_guard guard(lock_);
        had_handles_.store(false);
      }
    });
    const bool cancelled = scope_.cancelled();
    context_.reset();
    open_.store(false, std::memory_order_relaxed);
    if (waiting_.exchange(nobody) == others) waiting_.notify_all();
    if (failure != nullptr) std::rethrow_exception(failure);
    return cancelled ? canceled : complete;
  }

  // Strands may wait for the group one after the other.
  void take_turn() {
    turn expected = nobody;
    if (waiting_.compare_exchange_strong(expected, somebody)) return;
    while (waiting_.exchange(others) != nobody) sennit::blocking([&] { waiting_.wait(others); });
  }

  template <class F>
  static void keep_first(std::exception_ptr& failure, F&& f) {
    try {
      f();
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
  }
  void run_late() {
    if (left_.load() == 0) return;
    std::vector<std::function<void()>> late;
    {
      const std::lock_guard guard(lock_);
      late.swap(late_);
      left_.fetch_sub(late.size());
    }
    for (auto& task : late) tasks_.spawn(std::move(task));
  }
  void add_handle() {
    open_.store(true);
    had_handles_.store(true);
    left_.fetch_add(1);
  }
  // The strand that waits takes the lock before it goes, so the group lasts until the lock is given back.
  void drop_handle() {
    const std::lock_guard guard(lock_);
    left_.fetch_sub(1);
    changes_.fetch_add(1);
    changes_.notify_all();
  }

  enum turn : int { nobody, somebody, others };  // waits; `others`: that one, and more who want to

  const int unwinding_ = std::uncaught_exceptions();
  task_group_context own_;
  task_group_context& context_;
  const scope scope_;
  std::mutex lock_;
  std::vector<std::function<void()>> late_;  // under the lock; the strand that waits adds them to the tasks
  std::atomic<std::size_t> left_{0};         // so many, and handles
  std::atomic<unsigned> changes_{0};         // of that number
  std::atomic<bool> had_handles_{false};
  std::atomic<bool> open_{false};  // something was added since the last wait
  std::atomic<turn> waiting_{nobody};
  // In oneTBB a task never begins within run().
  sennit::task_group tasks_{sennit::detail::when_many_wait::queue};
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
using on_sennit::task_handle;
}  // namespace v1
}  // namespace tbb
