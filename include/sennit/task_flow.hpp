// SPDX-License-Identifier: Apache-2.0
// task_flow: tasks in serial order that say which data they use, and run in parallel where they may.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/flow_task.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/effects.hpp>
#include <sennit/graph.hpp>
#include <sennit/limit.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace sennit::graph {
struct flow_task_options;
}

namespace sennit::detail {

class flow_state;
struct flow_state_deleter {
  SENNIT_EXPORT void operator()(flow_state* state) const noexcept;
};

// What a flow's header reads of it.
class flow_front {
 public:
  // Whether tasks are run as they are submitted, as far as nothing has to be looked at first.
  SENNIT_INLINE bool runs_at_once() const noexcept {
    return at_once_ && !busy_.load(std::memory_order_relaxed) && !stopped_.load(std::memory_order_relaxed) &&
           !any_gate_shut();
  }

 protected:
  ~flow_front() = default;

  friend class flow_submission;
  friend class flow_task_at_once;
  // A call of the flow is underway.
  std::atomic<bool> busy_{false};
  std::atomic<bool> stopped_{false};
  bool at_once_ = false;      // since the last wait, if anything has been submitted
  std::uint64_t number_ = 0;  // of the latest submission, from 1
};

// A submission in which the task runs.
class flow_task_at_once {
 public:
  explicit flow_task_at_once(flow_front& flow) noexcept : flow_(flow), number_(++flow.number_) {
    flow_.busy_.store(true, std::memory_order_relaxed);
  }
  flow_task_at_once(const flow_task_at_once&) = delete;
  flow_task_at_once& operator=(const flow_task_at_once&) = delete;
  ~flow_task_at_once() { flow_.busy_.store(false, std::memory_order_relaxed); }

  template <class Body>
  SENNIT_INLINE void run(Body& body, const char* name) noexcept {
#if SENNIT_EXCEPTIONS
    try {
      static_cast<void>(body());
    } catch (...) {
      note_failure(name);
    }
#else
    static_cast<void>(body());
    static_cast<void>(name);
#endif
  }

 private:
  SENNIT_EXPORT SENNIT_COLD void note_failure(const char* name) noexcept;

  flow_front& flow_;
  std::uint64_t number_;
};

// A submission that takes a place for its task.
class SENNIT_EXPORT flow_submission {
 public:
  // `limited`: the task waits for permits, so that it is run by a submission only where all are.
  flow_submission(flow_front& flow, bool limited);
  flow_submission(const flow_submission&) = delete;
  flow_submission& operator=(const flow_submission&) = delete;
  ~flow_submission() { flow_.busy_.store(false, std::memory_order_relaxed); }

  // Where the closure goes; null if it is to be run or dropped at once.
  flow_task* place() const noexcept { return place_; }
  bool is_to_run() const noexcept { return to_run_; }
  // Orders the task after those that it depends on. The place has its closure.
  void submit(const effects& fx, const graph::flow_task_options& options);

 private:
  flow_front& flow_;
  flow_task* place_ = nullptr;
  bool to_run_ = false;
};

}  // namespace sennit::detail

namespace sennit::graph {

// How a task_flow works.
struct flow_options {
  // While so many tasks have been submitted and have not finished, submit() runs tasks. At least 1.
  std::uint32_t most_waiting = 4096;
  // wait() fills it with the tasks since the last wait(), each with all tasks that it had to wait for (sennit/graph_trace.hpp).
  // Cost: some 100 ns a task, and memory for all tasks.
  graph::trace* trace = nullptr;
};

// What submit() is told of a task, beside its data.
//
// Example:
//   #include <sennit/data_regions.hpp>
//
//   #include <vector>
//
//   // Each block is loaded, two at a time, and then changed. What was loaded is changed before more is loaded.
//   void change(std::vector<std::vector<double>>& blocks, void (*load)(std::vector<double>&)) {
//     sennit::limit two(2);
//     const sennit::graph::flow_options few{.most_waiting = 1000};
//     sennit::graph::task_flow flow(few);
//     const sennit::graph::flow_task_options loads{.name = "load", .within = two};
//     for (std::vector<double>& block : blocks) {
//       const sennit::effects all = sennit::writes(sennit::memory_range(&block, 1));
//       flow.submit(all, [&block, load] { load(block); }, loads);
//       flow.submit(all, [&block] { for (double& x : block) x += 1; }, {.name = "change", .priority = 1});
//     }
//     flow.wait();
//   }
struct flow_task_options {
  // In errors and traces. The text must last as long as the flow.
  const char* name = nullptr;
  // Of the tasks that are ready, those of the highest priority begin first; of equals, the latest that became ready. This
  // holds for tasks that were submitted since the last wait(), from the first one with another priority than 0 on. Such
  // tasks have no color. A strand that has just begun a task does not leave it for a one of higher priority. Where submit() runs
  // tasks before it returns, they run as they come. Cost: two short locks a task.
  int priority = 0;
  // The task is not begun before it has a permit within each of these. No strand, stack or worker waits meanwhile. In an
  // observed region, and where the runtime has one worker, submit() itself waits for the permits. The effect checker does not
  // use them. Limits outlive the next wait(). Cost: some 100 ns a task that has limits, some 500 ns where it has to wait.
  limits within{};
};

// Tasks are submitted in a serial order, with the data that they read, write, add to, or exclude each other on. Tasks run in
// parallel where this order cannot be told by their data: the result is that of the serial program, except for the order of
// what adds or excludes. Tasks begin while others are submitted.
//
// A task that reads a region waits for those that were submitted before it and write data of the region. A task that writes
// waits for those that read, too. Tasks that add() to the same region run in any order, and at the same time; tasks that
// excludes() it run in any order, one at a time.
//
// One strand or thread at a time submits. A task may have a flow of its own, but cannot submit to the flow that it belongs to. In
// an observed region, and where the runtime has one worker, submit() runs the task before it returns. If tasks
// take less time than a submission and no others are underway, submit() may run a task, too. A longer task then keeps the caller
// waiting.
//
// Example:
//   #include <sennit/data_regions.hpp>
//
//   #include <span>
//   #include <vector>
//
//   // Each block of `sums` from two blocks that were computed before.
//   void combine(std::vector<std::vector<double>>& blocks) {
//     sennit::graph::task_flow flow;
//     for (std::size_t b = 2; b < blocks.size(); ++b) {
//       flow.submit({sennit::reads(sennit::memory_range(blocks[b - 1]), sennit::memory_range(blocks[b / 2])),
//                    sennit::writes(sennit::memory_range(blocks[b]))},
//                   [&blocks, b] {
//                     for (std::size_t i = 0; i < blocks[b].size(); ++i) blocks[b][i] = blocks[b - 1][i] + blocks[b / 2][i];
//                   });
//     }
//     flow.wait();
//   }
class task_flow {
 public:
  // Throws std::invalid_argument for options out of bounds, and std::bad_alloc.
  SENNIT_EXPORT explicit task_flow(const flow_options& given = {});
  task_flow(const task_flow&) = delete;
  task_flow& operator=(const task_flow&) = delete;
  // Waits. Throws what wait() throws. If the stack is being unwound already, exceptions of tasks are dropped.
  SENNIT_EXPORT ~task_flow() noexcept(false);

  // Adds a task: a copy of f, or f moved, called without arguments. The result is dropped. The closure is destroyed once it has
  // run. What f refers to must last until wait() has returned. After a task has thrown, and in a cancelled region, the task is
  // dropped, until wait() has been called.
  //
  // Throws std::logic_error if another strand or thread is in a call of the flow, std::bad_alloc, and what copying f throws; the
  // task then does not run. Precondition: the caller holds no lock that a task takes, because tasks may run inside this call.
  template <class F>
    requires std::invocable<std::decay_t<F>&>
  void submit(const effects& fx, F&& f, const flow_task_options& options = {}) {
    using closure = std::decay_t<F>;
    if (!front_->runs_at_once()) {
      detail::flow_submission one(*front_, !options.within.empty());
      if (detail::flow_task* const place = one.place()) {
        place->template put<closure>(std::forward<F>(f));
        one.submit(fx, options);
      }
      if (!one.is_to_run()) return;
    }
    closure body(std::forward<F>(f));
    if (!options.within.empty()) [[unlikely]] {
      const limit::permit held(options.within);
      detail::flow_task_at_once(*front_).run(body, options.name);
      return;
    }
    detail::flow_task_at_once(*front_).run(body, options.name);
  }

  // The same, for a task with this name.
  template <class F>
    requires std::invocable<std::decay_t<F>&>
  void submit(const effects& fx, F&& f, const char* name) {
    submit(fx, std::forward<F>(f), flow_task_options{.name = name});
  }

  // Returns when all tasks have finished. If a task threw, no others began, and wait() throws a node_error that names it: by its
  // number, counted from 0, and by its name. Throws sennit::cancelled if the region was cancelled, and std::logic_error if
  // another strand or thread is in a call of the flow. The flow may be used again.
  SENNIT_EXPORT void wait();

 private:
  std::unique_ptr<detail::flow_state, detail::flow_state_deleter> state_;
  detail::flow_front* front_;
};

}  // namespace sennit::graph
