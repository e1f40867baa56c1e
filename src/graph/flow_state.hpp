// SPDX-License-Identifier: Apache-2.0
// A task flow: the places of its tasks, and the strands that run them. docs/protocols/graphs.md, "Task flows".
#pragma once

#include "graph/flow_checking.hpp"
#include "graph/flow_limits.hpp"
#include "graph/flow_queue.hpp"
#include "graph/flow_records.hpp"
#include "graph/flow_trace.hpp"
#include "graph/prioritized_tasks.hpp"
#include "policy/flow_pace.hpp"
#include "policy/small_tasks.hpp"
#include "trace/told_flow.hpp"

#include <sennit/detail/graph/flow_task.hpp>
#include <sennit/task_flow.hpp>
#include <sennit/task_group.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace sennit::detail {

class flow_state final : public flow_front, private tasks_to_check {
 public:
  explicit flow_state(const graph::flow_options& given);
  flow_state(const flow_state&) = delete;
  flow_state& operator=(const flow_state&) = delete;
  ~flow_state();

  // A call of the flow begins and ends. Throws if one is underway.
  void enter(const char* call);
  void leave() noexcept { busy_.store(false, std::memory_order_relaxed); }

  // Where the program is as it submits a task.
  void is_at(const void* code) noexcept { code_ = code; }
  // Whether tasks are run as they are submitted.
  bool at_once(bool limited);
  bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }
  // A place for the next task; null if the flow has stopped.
  flow_task* place();
  void submit(flow_task& task, const effects& fx, const graph::flow_task_options& options);
  // The place has no task.
  void give_back(flow_task& task) noexcept {
    task.successors.store(flow_task::finished(), std::memory_order_relaxed);
  }
  // Called in a catch handler.
  void note_failure(std::uint64_t number, const char* name) noexcept;
  void wait();
  int unwinding() const noexcept { return unwinding_; }

 private:
  friend class flow_limits;
  // What a strand that helps is: a child of the group, or a branch beside it.
  enum class helper_kind : bool { child, branch };
  // A task that the effect checker is to run.
  struct checked_task {
    effects fx;
    std::unique_ptr<flow_task> task;
  };

  // A strand that runs tasks, and what it has to do.
  struct strand {
    flow_queue queue;
    unsigned tasks = 0;                  // that it has run
    std::uint8_t color = no_flow_color;  // of its worker, as it began
    std::vector<node_note> notes;
    item_limits limits;        // of the task that is running, or is next
    bool is_admitted = false;  // the next one has waited for a permit, and has it
    bool is_branch = false;
    // A queue that it looks at, and since how many looks nothing has changed there.
    const flow_queue* watched = nullptr;
    std::uint32_t changes = 0;
    unsigned still = 0;
    bool used = false;  // under strands_lock_
    strand* next = nullptr;
  };

  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
  void fail(std::exception_ptr why) noexcept;
  void begin();
  void run_from_now_on_at_once() noexcept;
  void run_ready();
  bool goes_on_with_small_tasks() noexcept;
  void look_for_small_tasks();
  void fill_trace(bool failed);
  flow_task* place_to_check();
  void run_checked();
  std::uint32_t count() const noexcept override { return static_cast<std::uint32_t>(to_check_.size()); }
  const effects& effects_of(std::uint32_t i) const noexcept override { return to_check_[i].fx; }
  void run(std::uint32_t i) noexcept override;
  void begin_or_meet_gate();
  void heed_gates() noexcept;
  bool is_worth_sharing() const noexcept {
    return task_ns_.load(std::memory_order_relaxed) >= policy::flow_pace::ns_worth_sharing;
  }
  void invite(const strand& own) noexcept;
  void help_others(helper_kind kind, limited_work::waiting_item* admitted) noexcept;
  bool look_around(strand& own, flow_task*& next) noexcept;
  bool steal(strand& own) noexcept;
  bool post(flow_task& task, const strand& own) noexcept;
  bool take_posted(strand& own, bool of_others) noexcept;
  void use_colors();
  bool stands_still(strand& own, const flow_queue& queue) const noexcept;
  flow_task* begin_slowly(flow_task& given, strand& own) noexcept;
  bool enter_limits(flow_task& task, strand& own) noexcept;
  flow_task* leave_limits(flow_task* next, strand& own) noexcept;
  flow_task* take_admitted(limited_work::waiting_item& admitted, strand& own) noexcept;
  void drop_limits(strand& own) noexcept;
  void end_limits(strand& own) noexcept;
  void set_limits(flow_task& task, std::span<limit* const> within);
  flow_exclusion* take_exclusions(flow_task& task, strand& own) noexcept;
  void give_back_exclusions(const std::vector<flow_exclusion*>& all, std::size_t count, strand& own) noexcept;
  void call(flow_task& task) noexcept;
  void call_timed(flow_task& task, strand& own) noexcept;
  void call_traced(flow_task& task, strand& own) noexcept;
  void call_told(flow_task& task, strand& own) noexcept;
  flow_task* run(flow_task& task, strand& own) noexcept;
  void make_ready(flow_task& task, strand& own) noexcept;
  void fail_without_memory() noexcept;
  void order_by_priority(flow_task& task, int priority);
  const std::vector<flow_task*>& note(flow_task& task, const graph::flow_task_options& options,
                                      const effects& fx);
  void link(flow_task& task, const std::vector<flow_task*>& before) noexcept;
  strand* enlist() noexcept;
  void retire(strand& own) noexcept;
  flow_task* free_place() noexcept;
  bool add_places();
  void help_before_submitting();
  void finish_all();
  void drop_all() noexcept;

  const std::uint32_t most_waiting_;
  const int unwinding_ = std::uncaught_exceptions();  // where the flow was made
  // A helper is on offer, and no worker has begun it.
  std::atomic<bool> invited_{false};
  std::atomic<bool> submitting_{false};  // more may come
  std::atomic<std::uint32_t> task_ns_;   // what a task takes on average
  bool begun_ = false;                   // since the last wait
  bool prioritized_ = false;             // likewise; by the submitting strand
  // The submitting strand runs small tasks at once, and no others are underway.
  bool runs_small_ = false;
  std::uint64_t submitted_at_ns_ = 0;  // the latest of them
  std::uint32_t until_look_ = policy::small_tasks::tasks_between_looks;
  policy::small_tasks small_tasks_;
  std::atomic<bool> sorts_{false};  // some tasks have colors, or priorities
  std::uint64_t first_ = 0;         // the number before the first task of this round
  // The places, in blocks that never move.
  std::vector<std::unique_ptr<flow_task[]>> blocks_;
  std::vector<flow_task*> places_;
  std::size_t next_place_ = 0;
  std::vector<checked_task> to_check_;
  std::unique_ptr<flow_trace> trace_;
  std::unique_ptr<told_flow> told_;           // for the trace of the program
  const void* code_ = nullptr;                // where the program submits the first task
  std::vector<std::uint64_t> traced_before_;  // of the task that is submitted
  bool runs_ready_ = false;                   // with a trace: each task as it is submitted
  unsigned colors_ = 1;                       // NUMA nodes
  std::unique_ptr<flow_queue[]> posted_;      // for each color, if there are several
  prioritized_tasks<flow_task*> by_priority_{1};
  flow_task first_by_priority_;  // in queues: stands for whichever has the highest priority then
  std::optional<flow_limits> limits_{std::in_place, *this};  // until the next wait
  flow_records records_;
  strand submitter_;
  std::atomic<strand*> strands_;  // all that there have been
  std::mutex strands_lock_;
  std::mutex failure_lock_;
  std::exception_ptr failure_;
  task_group helpers_;
};

}  // namespace sennit::detail
