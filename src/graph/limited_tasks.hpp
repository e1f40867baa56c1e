// The tasks of a run that have limits: which places they have, and which of them wait for one.
#pragma once

#include "graph/tasks_of_graph.hpp"
#include "region/waiting_strand.hpp"

#include <sennit/limit.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>

namespace sennit::detail {

class limited_tasks {
 public:
  explicit limited_tasks(const tasks_of_graph& all);
  limited_tasks(const limited_tasks&) = delete;
  limited_tasks& operator=(const limited_tasks&) = delete;
  // Precondition: no task runs. Gives back what tasks have that did not end.
  ~limited_tasks();

  // Returns true if the task has a place in all of its limits. Otherwise it waits, and is among those that
  // take_admitted() gives when it can try again.
  bool enter(const task_traits& t) noexcept;
  void leave(const task_traits& t) noexcept;

  // Whether a task can try again. A hint.
  bool any_admitted() const noexcept { return any_admitted_.load(std::memory_order_relaxed); }
  // Calls f with each of these tasks.
  template <class F>
  void take_admitted(F&& f) {
    waiting_task* taken = nullptr;
    {
      const std::lock_guard guard(lock_);
      taken = std::exchange(admitted_, nullptr);
      any_admitted_.store(false, std::memory_order_relaxed);
    }
    while (taken != nullptr) {
      // The task may wait again as soon as f knows of it.
      waiting_task& t = *std::exchange(taken, taken->next);
      f(t.number);
    }
  }
  // Called by one strand while no other is at work in the run: waits until a task can try again. Returns false
  // if no task waits.
  bool await_admitted();

 private:
  class waiting_task : public limit_waiter {
   public:
    waiting_task(limited_tasks& all, task_number n, const task_traits& t) noexcept
        : number(n), traits(t), all_(all) {}
    const task_number number;
    const task_traits& traits;
    std::size_t places = 0;  // it has, of those in its limits
    bool waits = false;      // for the next one, or has not tried again since it was told
    waiting_task* next = nullptr;

   private:
    void admitted() noexcept override { all_.admit(*this); }
    limited_tasks& all_;
  };

  static std::size_t count_of(const task_traits& t) noexcept;
  static limit& at(const task_traits& t, std::size_t i) noexcept;
  void admit(waiting_task& t) noexcept;

  std::deque<waiting_task> tasks_;  // by task_traits::limited
  std::atomic<bool> any_admitted_{false};
  std::atomic<std::size_t> waiting_{0};  // tasks that have no place yet
  std::mutex lock_;
  waiting_task* admitted_ = nullptr;   // under the lock
  waiting_strand* sleeper_ = nullptr;  // under the lock: in await_admitted()
};

}  // namespace sennit::detail
