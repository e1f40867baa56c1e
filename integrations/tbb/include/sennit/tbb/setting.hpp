// SPDX-License-Identifier: Apache-2.0
// Where a strand is in the constructs of oneTBB: in whose context, and in which arena.
#pragma once

#include <sennit/detail/worker_tls.hpp>
#include <sennit/tbb/first.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

namespace tbb {
namespace on_sennit {

class arena_record;
struct attach {};
struct scope;

// How many contexts are cancelled. Where there is none, nobody looks at the contexts around a task.
inline constinit std::atomic<int> cancelled_contexts{0};

// Cancels the tasks of the constructs that it is given to: those that have not begun do not begin.
class task_group_context {
 public:
  enum kind_type { isolated, bound };
  enum traits_type { fp_settings = 1, concurrent_wait = 2, default_traits = 0 };

  task_group_context(kind_type kind = bound, std::uintptr_t traits = default_traits)
      : kind_(kind), traits_(traits) {}
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;
  ~task_group_context() { reset(); }

  // False: somebody has done so before.
  bool cancel_group_execution() {
    cancelled_contexts.fetch_add(1);
    if (!cancelled_.exchange(true)) return true;
    cancelled_contexts.fetch_sub(1);
    return false;
  }
  bool is_group_execution_cancelled() const;
  // Precondition: no construct uses it.
  void reset() {
    if (!cancelled_.load()) return;
    cancelled_.store(false);
    cancelled_contexts.fetch_sub(1);
  }
  // Sennit's regions capture the settings of floating-point arithmetic.
  void capture_fp_settings() {}
  std::uintptr_t traits() const { return traits_; }

 private:
  friend struct scope;
  const kind_type kind_;
  const std::uintptr_t traits_;
  std::atomic<bool> cancelled_{false};
};

// A construct, or a group, with its context, in the one around it.
struct scope {
  scope(task_group_context& of, const scope* around)
      : context(of), outer(of.kind_ == task_group_context::bound ? around : nullptr) {}

  bool cancelled() const {
    return cancelled_contexts.load(std::memory_order_relaxed) != 0 && any_around_cancelled();
  }
  // This one, or one around it.
  [[gnu::noinline]] bool any_around_cancelled() const {
    for (const scope* s = this; s != nullptr; s = s->outer) {
      if (s->context.cancelled_.load(std::memory_order_relaxed)) return true;
    }
    return false;
  }

  task_group_context& context;
  const scope* const outer;
};

// What keeps an arena's record until it is dropped. Arenas set it, which are in another header.
inline constinit std::atomic<std::shared_ptr<const void> (*)(const arena_record&)> owner_of_arena{nullptr};

struct setting {
  const scope* inner = nullptr;
  arena_record* arena = nullptr;
  int index = -1;  // where it is isolated: what current_thread_index() returned before
  bool enqueued = false;

  bool cancelled() const { return inner != nullptr && inner->cancelled(); }
  bool outside() const { return inner == nullptr && arena == nullptr; }
};

inline constexpr setting no_setting{};

// That of the calling strand. It goes with the strand to other threads, in whatever construct that happens.
inline const setting& setting_here() {
  const void* const here = sennit::detail::current_tls().setting;
  return here != nullptr ? *static_cast<const setting*>(here) : no_setting;
}

// The calling strand is in that setting until this ends.
class in_setting {
 public:
  explicit in_setting(const setting& in)
      : mine_(in), before_(std::exchange(sennit::detail::current_tls().setting, &mine_)) {}
  in_setting(const in_setting&) = delete;
  in_setting& operator=(const in_setting&) = delete;
  ~in_setting() { sennit::detail::current_tls().setting = before_; }

 private:
  const setting mine_;
  const void* const before_;
};

inline bool task_group_context::is_group_execution_cancelled() const {
  if (cancelled_.load(std::memory_order_relaxed)) return true;
  for (const scope* s = setting_here().inner; s != nullptr; s = s->outer) {
    if (&s->context == this) return s->cancelled();
  }
  return false;
}

// How many objects observe. In another header: they learn that the calling thread has come to work in the setting.
inline constinit std::atomic<int> observers{0};
void tell_observers(const setting& in);

// Whether a global_control says that an exception that leaves a task ends the program.
inline constinit std::atomic<bool> ends_on_exception{false};

// Each task calls it: f in the setting of its construct, unless that has been cancelled. An exception cancels it.
template <class F>
void run_task(const setting& in, F&& f) {
  if (in.cancelled()) [[unlikely]]
    return;
  const in_setting here(in);
  if (observers.load(std::memory_order_relaxed) != 0) [[unlikely]]
    tell_observers(in);
  try {
    f();
  } catch (...) {
    if (ends_on_exception.load()) std::terminate();
    if (in.inner != nullptr) in.inner->context.cancel_group_execution();
    throw;
  }
}

// Whether the context of the calling task has been cancelled.
inline bool is_current_task_group_canceling() { return setting_here().cancelled(); }

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::is_current_task_group_canceling;
using on_sennit::task_group_context;
}  // namespace v1
}  // namespace tbb
