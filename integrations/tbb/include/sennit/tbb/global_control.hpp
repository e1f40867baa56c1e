// SPDX-License-Identifier: Apache-2.0
// global_control: limits for the whole program while it lives.
#pragma once

#include <sennit/tbb/entering.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <utility>

namespace tbb {
namespace on_sennit {

class global_control {
 public:
  // Of these, Sennit obeys max_allowed_parallelism: for constructs that begin outside all others.
  enum parameter {
    max_allowed_parallelism,
    thread_stack_size,
    terminate_on_exception,
    scheduler_handle,
    parameter_max
  };

  global_control(parameter of, std::size_t value) : of_(of), value_(value) {
    if (of == max_allowed_parallelism && value == 0)
      throw std::invalid_argument("tbb::global_control: max_allowed_parallelism is 0; give at least 1");
    all().add(of, value);
  }
  global_control(const global_control&) = delete;
  global_control& operator=(const global_control&) = delete;
  ~global_control() { all().remove(of_, value_); }

  static std::size_t active_value(parameter of) { return all().active(of); }

 private:
  class values {
   public:
    void add(parameter of, std::size_t value) {
      const std::lock_guard guard(lock_);
      set_[of].insert(value);
      publish(of);
    }
    void remove(parameter of, std::size_t value) {
      const std::lock_guard guard(lock_);
      set_[of].erase(set_[of].find(value));
      publish(of);
    }
    std::size_t active(parameter of) {
      const std::lock_guard guard(lock_);
      const auto& set = set_[of];
      if (set.empty()) return initial(of);
      return of == max_allowed_parallelism ? *set.begin() : *set.rbegin();
    }

   private:
    static std::size_t initial(parameter of) {
      if (of == max_allowed_parallelism) return default_workers();
      return of == thread_stack_size ? std::size_t{4} << 20 : 0;
    }
    void publish(parameter of) {
      const auto& set = set_[of];
      if (of == terminate_on_exception) ends_on_exception.store(!set.empty() && *set.rbegin() != 0);
      if (of != max_allowed_parallelism) return;
      const std::size_t least = set.empty() ? 0 : std::min<std::size_t>(*set.begin(), 1u << 20);
      allowed_workers.store(static_cast<unsigned>(least));
    }

    std::mutex lock_;
    std::map<parameter, std::multiset<std::size_t>> set_;
  };
  static values& all() {
    static values of_program;
    return of_program;
  }

  const parameter of_;
  const std::size_t value_;
};

// Sennit's runtimes end by themselves, at exit. So a handle keeps nothing alive, and there is nothing to wait for.
class task_scheduler_handle {
 public:
  task_scheduler_handle() = default;
  task_scheduler_handle(attach) : attached_(true) {}
  task_scheduler_handle(task_scheduler_handle&& other) noexcept
      : attached_(std::exchange(other.attached_, false)) {}
  task_scheduler_handle& operator=(task_scheduler_handle&& other) noexcept {
    std::swap(attached_, other.attached_);
    return *this;
  }
  explicit operator bool() const noexcept { return attached_; }
  void release() noexcept { attached_ = false; }

 private:
  bool attached_ = false;
};

// False within a construct, whose workers cannot end.
inline bool finalize(task_scheduler_handle& handle, const std::nothrow_t&) noexcept {
  handle.release();
  return setting_here().outside();
}
inline void finalize(task_scheduler_handle& handle) {
  if (!finalize(handle, std::nothrow))
    throw std::runtime_error("tbb::finalize: called within a parallel construct");
}

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::attach;
using on_sennit::finalize;
using on_sennit::global_control;
using on_sennit::task_scheduler_handle;
}  // namespace v1
}  // namespace tbb
