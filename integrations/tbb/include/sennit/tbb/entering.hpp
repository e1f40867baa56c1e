// SPDX-License-Identifier: Apache-2.0
// How a construct begins: in which runtime, and in which setting.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/runtime.hpp>
#include <sennit/tbb/observer.hpp>
#include <sennit/tbb/setting.hpp>
#include <sennit/worker.hpp>

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tbb {
namespace on_sennit {

// Runtimes of other sizes than the default one, for arenas and limits. They are kept for the next one who needs such a size, and
// until the end of the program, as groups may have children there.
class runtimes {
 public:
  static runtimes& all() {
    static runtimes kept;
    return kept;
  }

  class loan {
   public:
    explicit loan(unsigned workers) : workers_(workers), runtime_(all().take(workers)) {}
    loan(const loan&) = delete;
    loan& operator=(const loan&) = delete;
    ~loan() { all().give_back(workers_, std::move(runtime_)); }
    sennit::runtime& operator*() const { return *runtime_; }

   private:
    const unsigned workers_;
    std::unique_ptr<sennit::runtime> runtime_;
  };

 private:
  std::unique_ptr<sennit::runtime> take(unsigned workers) {
    {
      const std::lock_guard guard(lock_);
      of_size& all = sizes_[workers];
      if (!all.idle.empty()) {
        std::unique_ptr<sennit::runtime> taken = std::move(all.idle.back());
        all.idle.pop_back();
        return taken;
      }
      all.idle.reserve(all.made + 1);
      ++all.made;
    }
    return std::make_unique<sennit::runtime>(workers);
  }
  // There is room for all that were made.
  void give_back(unsigned workers, std::unique_ptr<sennit::runtime> returned) noexcept {
    const std::lock_guard guard(lock_);
    sizes_.find(workers)->second.idle.push_back(std::move(returned));
  }

  struct of_size {
    std::vector<std::unique_ptr<sennit::runtime>> idle;
    std::size_t made = 0;
  };
  std::mutex lock_;
  std::map<unsigned, of_size> sizes_;
};

// The workers of the default runtime.
inline unsigned default_workers() {
  static const unsigned workers = sennit::runtime::default_runtime().workers();
  return workers;
}
// The least number that a global_control allows; 0: there is none.
inline constinit std::atomic<unsigned> allowed_workers{0};

inline unsigned default_workers_allowed() {
  const unsigned allowed = allowed_workers.load(std::memory_order_relaxed);
  return allowed == 0 || allowed > default_workers() ? default_workers() : allowed;
}

// Precondition of the parallel algorithms that ask: their construct has begun.
inline std::size_t workers_here() {
  return sennit::detail::in_strand() ? sennit::worker_count() : default_workers_allowed();
}

// Runs f where constructs of the calling thread run.
template <class F>
void in_runtime(F&& f) {
  if (allowed_workers.load(std::memory_order_relaxed) != 0 && !sennit::detail::in_strand()) {
    const unsigned workers = default_workers_allowed();
    if (workers != default_workers()) {
      const runtimes::loan limited(workers);
      const setting outside = setting_here();
      auto inside = [&] {
        const in_setting here(outside);
        f();
      };
      sennit::detail::run_implied_region(*limited, inside);
      return;
    }
  }
  f();
}

// Runs f(setting) as a construct in the context, or, for null, in one of its own.
template <class F>
void construct(task_group_context* given, F&& f) {
  task_group_context own;
  task_group_context& context = given != nullptr ? *given : own;
  const setting outside = setting_here();
  const scope inside(context, outside.inner);
  setting in = outside;
  in.inner = &inside;
  if (in.cancelled()) return;
  const in_setting here(in);
  const tells_exit at_end(outside);
  try {
    in_runtime([&] { f(std::as_const(in)); });
  } catch (...) {
    context.cancel_group_execution();
    throw;
  }
  if (given != nullptr && in.cancelled()) given->cancel_group_execution();
}

}  // namespace on_sennit
}  // namespace tbb
