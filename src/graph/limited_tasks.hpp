// SPDX-License-Identifier: Apache-2.0
// The tasks of a run that have limits: which permits they have, and which of them wait for one.
#pragma once

#include "graph/tasks_of_graph.hpp"
#include "region/cancel_listener.hpp"

#include <sennit/detail/fork/completion.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/limit.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

namespace sennit::detail {

class view;
class worker;

// A task that was admitted has a permit that others may wait for. So it must not lie in a queue of a strand that
// waits itself: it goes on at once, on the strand that gave it the permit, or as a branch of its own.
// docs/protocols/graphs.md, "Limits".
class limited_tasks : private cancel_listener {
 public:
  explicit limited_tasks(const tasks_of_graph& all);
  limited_tasks(const limited_tasks&) = delete;
  limited_tasks& operator=(const limited_tasks&) = delete;

  // Returns true if the task has a permit in all of its limits. Otherwise it goes on later. Throws
  // std::bad_alloc.
  bool enter(const task_traits& t);
  // Returns a task that now goes on in the calling strand, or `nobody`.
  task_number leave(const task_traits& t) noexcept;

  // The task, which can go on or has failed, gives back its permits at once: tasks within a graph that this run
  // waits for may need them.
  void drop(const task_traits& t) noexcept;
  // No task that waits shall go on. Any strand of the run may call it.
  void stop() noexcept;
  bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

 protected:
  ~limited_tasks();
  // Returns when no task waits, and all branches have ended. The strand that began the run calls it once.
  void await_all() noexcept;

 private:
  class branch;
  // What counts while stop() is called for a cancelled region: it ends as a branch does, so that it can let the strand that
  // began the run go on.
  class told_branch : public frame_with_state {
   public:
    explicit told_branch(limited_tasks& all) noexcept : frame_with_state(&run_elsewhere), all_(all) {}

   private:
    static fiber* run_elsewhere(frame& base) noexcept;
    limited_tasks& all_;
  };
  class waiting_task final : public limit_waiter {
   public:
    waiting_task(limited_tasks& all, task_number n, const task_traits& t) noexcept;
    ~waiting_task();
    const task_number number;
    const task_traits& traits;
    std::size_t permits = 0;             // it has, of those in its limits
    std::atomic<limit*> waits{nullptr};  // there, or it has a permit there and has not gone on
    std::unique_ptr<branch> later;       // in which it goes on

   private:
    void admitted() noexcept override;
    limited_tasks& all_;
  };

  // Runs the task and what follows from it, on the calling strand and others.
  virtual void go_on(task_number n) noexcept = 0;
  // The region was cancelled, and maybe all strands of the run wait.
  void told() noexcept override;
  fiber* ended(frame& b) noexcept;
  void withdraw(waiting_task& t, limit& from) noexcept;
  static std::size_t count_of(const task_traits& t) noexcept;
  static limit& at(const task_traits& t, std::size_t i) noexcept;

  std::deque<waiting_task> tasks_;  // by task_traits::limited
  worker& seat_;                    // of the runtime
  region_state* const region_;
  std::atomic<bool> stopped_{false};
  std::atomic<std::intptr_t> open_{1};  // tasks that wait, branches, and the strand that began the run
  bool was_told_ = false;               // written while told() is called
  bool is_awaited_ = false;
  told_branch told_{*this};
  completion done_;
  std::mutex merging_;
  view* views_ = nullptr;  // what branches have added to reducers; under merging_
};

}  // namespace sennit::detail
