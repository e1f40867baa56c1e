// SPDX-License-Identifier: Apache-2.0
// task_arena: work with workers of its own; this_task_arena.
#pragma once

#include <sennit/blocking.hpp>
#include <sennit/runtime.hpp>
#include <sennit/tbb/enqueued.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/observer.hpp>
#include <sennit/tbb/setting.hpp>
#include <sennit/tbb/task_group.hpp>
#include <sennit/worker.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace tbb {
namespace on_sennit {

using numa_node_id = int;
using core_type_id = int;

// Sennit places the workers of all runtimes alike: see SENNIT_PIN. So only the number counts.
struct constraints {
  constraints& set_numa_id(numa_node_id id) {
    numa_id = id;
    return *this;
  }
  constraints& set_max_concurrency(int most) {
    max_concurrency = most;
    return *this;
  }
  constraints& set_core_type(core_type_id id) {
    core_type = id;
    return *this;
  }
  constraints& set_max_threads_per_core(int most) {
    max_threads_per_core = most;
    return *this;
  }

  numa_node_id numa_id = -1;
  int max_concurrency = -1;
  core_type_id core_type = -1;
  int max_threads_per_core = -1;
};

inline std::vector<numa_node_id> numa_nodes() { return {-1}; }
inline std::vector<core_type_id> core_types() { return {-1}; }
inline int default_concurrency(numa_node_id = -1) { return static_cast<int>(default_workers()); }
inline int default_concurrency(constraints c) {
  return c.max_concurrency > 0 ? c.max_concurrency : default_concurrency();
}

// The result of f, which run(body) calls.
template <class Result, class Run, class F>
Result result_within(const Run& run, F&& f) {
  if constexpr (std::is_void_v<Result>) {
    run([&] { f(); });
  } else if constexpr (std::is_reference_v<Result>) {
    std::remove_reference_t<Result>* value = nullptr;
    run([&] { value = std::addressof(f()); });
    return static_cast<Result>(*value);
  } else {
    std::optional<Result> value;
    run([&] { value.emplace(f()); });
    return *std::move(value);
  }
}

// What copies of a task_arena, and tasks in it, share.
class arena_record : public std::enable_shared_from_this<arena_record> {
 public:
  arena_record(int most, unsigned reserved)
      : most_(most),
        workers_(std::max(most - static_cast<int>(std::min(reserved, static_cast<unsigned>(most))), 0)),
        places_(most),
        queue_(std::max(workers_, 1)) {
    owner_of_arena.store(
        [](const arena_record& a) -> std::shared_ptr<const void> { return a.shared_from_this(); },
        std::memory_order_relaxed);
  }

  // An enqueued task has a thread even where all places are reserved.
  int max_concurrency(bool enqueued) const { return enqueued && workers_ == 0 ? most_ + 1 : most_; }

  // Runs f in the arena's runtime. As many callers as the arena has places are in it at a time; others wait.
  template <class F>
  void run(const setting& in, F&& f) {
    const place mine(*this);
    auto inside = [&] {
      const in_setting here(in);
      f();
    };
    sennit::detail::run_implied_region(runtime(), inside);
  }
  template <class F>
  void enqueue(F&& f) {
    // std::function copies what it calls.
    queue_.add([self = shared_from_this(), f = std::make_shared<std::decay_t<F>>(std::forward<F>(f))] {
      task_group_context own;
      const scope alone(own, nullptr);
      const setting in{.inner = &alone, .arena = self.get(), .enqueued = true};
      auto task = [&] { run_task(in, *f); };
      sennit::detail::run_implied_region(self->runtime(), task);
      observer_list::all().left(self.get(), true);
    });
  }

 private:
  class place {
   public:
    explicit place(arena_record& of) : of_(of) {
      int free = of_.places_.load();
      for (;;) {
        if (free == 0) {
          sennit::blocking([&] { of_.places_.wait(0); });
          free = of_.places_.load();
        } else if (of_.places_.compare_exchange_weak(free, free - 1)) {
          return;
        }
      }
    }
    place(const place&) = delete;
    place& operator=(const place&) = delete;
    ~place() {
      of_.places_.fetch_add(1);
      of_.places_.notify_one();
    }

   private:
    arena_record& of_;
  };

  sennit::runtime& runtime() {
    const unsigned allowed = allowed_workers.load();
    const unsigned most = sennit::runtime_options::most_workers;
    const unsigned wanted = std::min({static_cast<unsigned>(most_), allowed != 0 ? allowed : most, most});
    if (wanted == default_workers()) return sennit::runtime::default_runtime();
    const std::lock_guard guard(lock_);
    if (!own_) own_.emplace(wanted);
    return **own_;
  }

  const int most_;
  const int workers_;
  std::atomic<int> places_;
  std::mutex lock_;
  std::optional<runtimes::loan> own_;
  enqueued_tasks queue_;
};

// Where isolated work runs: in a runtime that no other strand enters meanwhile. The first in the program has as many workers as
// the default runtime; others, which come while it is at work, have only the calling thread.
class isolation {
 public:
  isolation() : runtime_(turn_.first ? default_workers() : 1) {}
  isolation(const isolation&) = delete;
  isolation& operator=(const isolation&) = delete;
  sennit::runtime& runtime() const { return *runtime_; }

 private:
  struct turn {
    turn() : first(!busy().exchange(true)) {}
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() {
      if (first) busy().store(false);
    }
    static std::atomic<bool>& busy() {
      static constinit std::atomic<bool> of_program{false};
      return of_program;
    }

    const bool first;
  };

  const turn turn_;
  const runtimes::loan runtime_;
};

class task_arena {
 public:
  static constexpr int automatic = -1;
  static constexpr int not_initialized = -2;
  // Tasks of all priorities run in the order in which they come.
  enum class priority : int { low = 1, normal = 2, high = 3 };
  using constraints = on_sennit::constraints;
  using attach = on_sennit::attach;

  task_arena(int most = automatic, unsigned reserved = 1, priority = priority::normal)
      : most_(most), reserved_(reserved) {}
  task_arena(const constraints& c, unsigned reserved = 1, priority = priority::normal)
      : task_arena(c.max_concurrency, reserved) {}
  // The same settings, but another arena.
  task_arena(const task_arena& other) : task_arena(other.most_, other.reserved_) {}
  // The arena of the calling task.
  explicit task_arena(attach) { initialize(attach()); }

  void initialize() { (void)record(); }
  void initialize(int most, unsigned reserved = 1, priority = priority::normal) {
    if (is_active()) return;
    most_ = most;
    reserved_ = reserved;
    initialize();
  }
  void initialize(const constraints& c, unsigned reserved = 1, priority = priority::normal) {
    initialize(c.max_concurrency, reserved);
  }
  void initialize(attach) {
    const std::lock_guard guard(lock_);
    if (record_ != nullptr) return;
    arena_record* const here = setting_here().arena;
    if (here != nullptr) {
      record_ = here->shared_from_this();
    } else {
      make();
    }
    active_.store(true);
  }
  // The arena is made anew when it is next used. Its tasks go on.
  void terminate() {
    const std::lock_guard guard(lock_);
    record_ = nullptr;
    active_.store(false);
  }
  bool is_active() const { return active_.load(); }
  int max_concurrency() const {
    return most_ > 1 ? most_ : most_ == automatic ? static_cast<int>(default_workers()) : 1;
  }

  // Runs f in the arena and returns its result.
  template <class F>
  auto execute(F&& f) -> decltype(f()) {
    const std::shared_ptr<arena_record> in = record();
    const setting& outside = setting_here();
    if (outside.arena == in.get()) return f();
    const tells_exit at_end(outside, in.get());
    setting inside;
    inside.arena = in.get();
    return result_within<decltype(f())>([&](auto body) { in->run(inside, [&] { run_task(inside, body); }); },
                                        f);
  }
  // Has f run in the arena, by another thread, whether anybody waits for it or not.
  template <class F>
  void enqueue(F&& f) {
    record()->enqueue(std::forward<F>(f));
  }
  // The task runs where the other tasks of its group run.
  void enqueue(task_handle&& h) { handles::run(std::move(h)); }

 private:
  friend class task_scheduler_observer;
  friend struct arenas;

  std::shared_ptr<arena_record> record() {
    const std::lock_guard guard(lock_);
    if (record_ == nullptr) make();
    active_.store(true);
    return record_;
  }
  void make() { record_ = std::make_shared<arena_record>(max_concurrency(), reserved_); }

  int most_ = automatic;
  unsigned reserved_ = 1;
  std::mutex lock_;
  std::shared_ptr<arena_record> record_;
  std::atomic<bool> active_{false};
};

inline task_scheduler_observer::task_scheduler_observer(task_arena& arena) : arena_(arena.record().get()) {}

// The arena of constructs that are in no other.
inline arena_record& default_arena() {
  static const auto made = std::make_shared<arena_record>(static_cast<int>(default_workers()), 1);
  return *made;
}

inline int max_concurrency() {
  const setting& here = setting_here();
  return here.arena != nullptr ? here.arena->max_concurrency(here.enqueued)
                               : static_cast<int>(default_workers());
}

// Below max_concurrency(), and no two threads have the same at a time, as long as one thread of the program is in the arena.
// Throws std::runtime_error where there is no such number.
inline int current_thread_index() {
  const setting& here = setting_here();
  if (here.outside()) return task_arena::not_initialized;
  const int index = static_cast<int>(sennit::worker_index());
  if (here.index >= 0) {
    if (index == 0) return here.index;
  } else if (index < max_concurrency()) {
    return index;
  }
  throw std::runtime_error(
      "tbb::this_task_arena::current_thread_index: there are more threads in the arena than its "
      "max_concurrency; give each "
      "thread of the program a task_arena of its own, or use enumerable_thread_specific");
}

// Runs f so that the calling thread runs no other tasks meanwhile, and returns its result.
template <class F>
auto isolate(F&& f) -> decltype(f()) {
  if (!sennit::detail::in_strand()) return f();
  using result = decltype(f());
  setting in = setting_here();
  in.index = in.index < 0 ? static_cast<int>(sennit::worker_index()) : in.index;
  const isolation alone;
  return result_within<result>(
      [&](auto inside) { sennit::detail::run_implied_region(alone.runtime(), inside); },
      [&]() -> result {
        const in_setting here(in);
        return f();
      });
}

template <class F>
void enqueue(F&& f) {
  arena_record* const here = setting_here().arena;
  (here != nullptr ? *here : default_arena()).enqueue(std::forward<F>(f));
}
inline void enqueue(task_handle&& h) { handles::run(std::move(h)); }

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::attach;
using on_sennit::core_type_id;
using on_sennit::numa_node_id;
using on_sennit::task_arena;
namespace info {
using on_sennit::core_types;
using on_sennit::default_concurrency;
using on_sennit::numa_nodes;
}  // namespace info
namespace this_task_arena {
using on_sennit::current_thread_index;
using on_sennit::enqueue;
using on_sennit::isolate;
using on_sennit::max_concurrency;
}  // namespace this_task_arena
}  // namespace v1
}  // namespace tbb
