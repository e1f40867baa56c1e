// SPDX-License-Identifier: Apache-2.0
// Submitting tasks to a flow.
#include "graph/flow_state.hpp"

#include "fork/answer.hpp"
#include "policy/flow_pace.hpp"
#include "system/nanoseconds.hpp"
#include "system/relax.hpp"
#include "worker/worker.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/detail/calls.hpp>
#include <sennit/detail/colors.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/loop/observed.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/region.hpp>
#include <sennit/worker.hpp>

#include <sched.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace sennit::detail {

using policy::flow_pace;

flow_edge flow_task::end_of_lists{};
constinit tasks_checker* checks_tasks = nullptr;
constinit node_of_address* asks_for_node = nullptr;

flow_state::flow_state(const graph::flow_options& given)
    : most_waiting_(given.most_waiting), task_ns_(flow_pace::ns_worth_sharing), strands_(&submitter_) {
  if (most_waiting_ == 0) {
    fail_with(std::invalid_argument("sennit: task_flow: most_waiting is 0, and must be at least 1: so many "
                                    "tasks may be submitted and not finished"));
  }
  first_by_priority_.begins_slowly = true;
  if (given.trace != nullptr) trace_ = std::make_unique<flow_trace>(*given.trace);
}

flow_state::~flow_state() {
  strand* s = strands_.load(std::memory_order_relaxed);
  while (s != &submitter_) {
    strand* const next = s->next;
    delete s;
    s = next;
  }
}

void flow_state::enter(const char* call) {
  if (busy_.exchange(true, std::memory_order_relaxed)) {
    detail::fail<std::logic_error>(std::string("sennit: task_flow::") + call +
                                   "() while another strand or thread is in a call of the same flow: one at "
                                   "a time submits and waits; a task that has "
                                   "tasks of its own needs a flow of its own");
  }
}

// --- Submitting.

bool flow_state::at_once(bool limited) {
  // In an observed region the gates are always shut.
  if (!begun_ || any_gate_shut()) [[unlikely]]
    begin_or_meet_gate();
  return at_once_ || (runs_small_ && !limited && goes_on_with_small_tasks());
}

bool flow_state::goes_on_with_small_tasks() noexcept {
  const std::uint64_t now = now_ns();
  runs_small_ = small_tasks_.goes_on(now - std::exchange(submitted_at_ns_, now));
  return runs_small_;
}

// Tasks are run at once only while no others are underway, because then each of them has nothing to wait for.
void flow_state::look_for_small_tasks() {
  until_look_ = policy::small_tasks::tasks_between_looks;
  if (trace_ != nullptr || told_ != nullptr ||
      !small_tasks_.may_begin(task_ns_.load(std::memory_order_relaxed)))
    return;
  run_ready();
  for (const flow_task* const task : places_) {
    // ORD[D60] acquire: what the task did, for those that are run at once; pairs with the exchange in run().
    if (task->successors.load(std::memory_order_acquire) != flow_task::finished()) return;
  }
  runs_small_ = true;
  submitted_at_ns_ = now_ns();
}

void flow_state::begin_or_meet_gate() {
  const bool observed = current_tls().cursor != nullptr && in_recorded_region();
  if (!begun_) begin();
  if (observed && !at_once_ && !runs_ready_ && checks_tasks == nullptr) {
    // What was submitted before the observed region comes first.
    finish_all();
    run_from_now_on_at_once();
  }
  if (number_ % flow_pace::tasks_between_gates == 0) heed_gates();
}

void flow_state::begin() {
  use_colors();
  begun_ = true;
  first_ = number_;
  submitting_.store(true, std::memory_order_relaxed);
  if (trace_ != nullptr) {
    trace_->begin(first_);
    records_.note_found(&traced_before_);
  }
  if (checks_tasks == nullptr) told_ = told_flow::begin(code_, first_);
  if (told_ != nullptr) [[unlikely]]
    records_.note_found(&traced_before_);
  // Under a trace they run in the wait, as with several workers: so it is known what they take.
  if (checks_tasks == nullptr && told_ == nullptr && in_strand() && worker_count() == 1)
    run_from_now_on_at_once();
}

// Only where there are several NUMA nodes.
void flow_state::use_colors() {
  const unsigned count = color_count(color_kind::nodes);
  const unsigned colors = count <= most_colors ? count : 1;
  if (colors > 1) posted_ = std::make_unique<flow_queue[]>(colors);
  colors_ = colors;
  if (colors_ > 1) {
    submitter_.color = in_strand() ? static_cast<std::uint8_t>(color_here(color_kind::nodes)) : no_flow_color;
  }
  sorts_.store(colors_ > 1, std::memory_order_relaxed);
  records_.color_by_nodes(colors_);
}

void flow_state::run_from_now_on_at_once() noexcept {
  at_once_ = trace_ == nullptr && told_ == nullptr;
  runs_ready_ = !at_once_;
}

// The region may be cancelled, or others may wait for what this worker has.
void flow_state::heed_gates() noexcept {
  worker* const w = worker::current();
  if (w == nullptr || !any_gate_shut()) return;
  if (detail::stopped(*w)) {
    stop();
  } else if (current_tls().cursor == nullptr) {
    static_cast<void>(answer_gates(*w, false));
  }
}

flow_task* flow_state::place() {
  if (checks_tasks != nullptr) [[unlikely]]
    return place_to_check();
  for (;;) {
    if (stopped()) return nullptr;
    if (flow_task* const free = free_place()) return free;
    if (add_places()) continue;
    help_before_submitting();
  }
}

// The next place whose task has finished: tasks mostly finish in the order in which they were submitted.
flow_task* flow_state::free_place() noexcept {
  const std::size_t count = places_.size();
  const std::size_t looks = std::min<std::size_t>(count, flow_pace::places_looked_at);
  for (std::size_t i = 0; i < looks; ++i) {
    flow_task* const task = places_[next_place_];
    if (++next_place_ == count) next_place_ = 0;
    // ORD[D60] acquire: who ran the task has left the place; pairs with the exchange in run().
    if (task->successors.load(std::memory_order_acquire) == flow_task::finished()) return task;
  }
  return nullptr;
}

bool flow_state::add_places() {
  const std::size_t have = places_.size();
  if (have >= most_waiting_) return false;
  const std::size_t more = std::min<std::size_t>(std::max<std::size_t>(have, 16), most_waiting_ - have);
  places_.reserve(have + more);
  blocks_.push_back(std::make_unique<flow_task[]>(more));
  for (std::size_t i = 0; i < more; ++i) places_.push_back(&blocks_.back()[i]);
  next_place_ = have;
  return true;
}

// So many tasks wait that this strand helps before it submits another one.
void flow_state::help_before_submitting() {
  unsigned idle = 0;
  for (unsigned i = 0; i < flow_pace::tasks_in_a_row; ++i) {
    if (stopped()) return;
    flow_task* next = submitter_.queue.take_oldest();
    if (next == nullptr && (steal(submitter_) || take_posted(submitter_, true)))
      next = submitter_.queue.take_oldest();
    if (next == nullptr) {
      // Others run what the rest waits for.
      if (flow_task* const free = free_place(); free != nullptr) {
        next_place_ = next_place_ == 0 ? places_.size() - 1 : next_place_ - 1;
        return;
      }
      invite(submitter_);
      heed_gates();
      if (++idle % flow_pace::spins == 0) {
        sched_yield();
      } else {
        relax();
      }
      i = 0;
      continue;
    }
    while (next != nullptr && !stopped()) {
      next = run(*next, submitter_);
      ++i;
    }
    if (stopped()) [[unlikely]]
      end_limits(submitter_);
  }
}

void flow_state::submit(flow_task& task, const effects& fx, const graph::flow_task_options& options) {
  task.number = ++number_;
  task.name = options.name;
  if (checks_tasks != nullptr) [[unlikely]] {
    // A closure may change itself.
    to_check_.back().fx = fx;
    to_check_.back().fx += effects(writes(memory_range(&task, 1)));
    return;
  }
  traced_before_.clear();
  // From now on the place is taken.
  task.successors.store(nullptr, std::memory_order_relaxed);
#if SENNIT_EXCEPTIONS
  std::exception_ptr failure;
  try {
    const std::vector<flow_task*>& before = note(task, options, fx);
    link(task, before);
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure != nullptr) [[unlikely]] {
    // Records may lack tasks that have not finished.
    give_back(task);
    finish_all();
    std::rethrow_exception(failure);
  }
#else
  const std::vector<flow_task*>& before = note(task, options, fx);
  link(task, before);
#endif
  submitter_.queue.note_progress();
  if (runs_ready_) [[unlikely]]
    run_ready();
  if (--until_look_ == 0) [[unlikely]]
    look_for_small_tasks();
}

const std::vector<flow_task*>& flow_state::note(flow_task& task, const graph::flow_task_options& options,
                                                const effects& fx) {
  const std::vector<flow_task*>& before = records_.note(fx, task);
  if (trace_ != nullptr) [[unlikely]]
    trace_->note_submission(task.number, options.name, traced_before_);
  if (told_ != nullptr) [[unlikely]]
    told_->note_submission(task.number, options.name, traced_before_, fx);
  if (options.priority != 0 || prioritized_) [[unlikely]]
    order_by_priority(task, options.priority);
  if (!options.within.empty()) [[unlikely]] {
    set_limits(task, options.within.all());
  } else if (task.begins_slowly) [[unlikely]] {
    task.more->limits.clear();
  }
  if (before.size() > flow_task::edges_inside) [[unlikely]] {
    if (task.more == nullptr) task.more = std::make_unique<flow_task_more>();
    task.more->edges.resize(before.size() - flow_task::edges_inside);
  }
  return before;
}

void flow_state::run_ready() {
  flow_task* next = submitter_.queue.take_oldest();
  if (next == nullptr && take_posted(submitter_, true)) next = submitter_.queue.take_oldest();
  while (next != nullptr && !stopped()) {
    next = run(*next, submitter_);
    if (next == nullptr) next = submitter_.queue.take_oldest();
    if (next == nullptr && take_posted(submitter_, true)) next = submitter_.queue.take_oldest();
  }
  if (stopped()) [[unlikely]]
    end_limits(submitter_);
}

void flow_state::link(flow_task& task, const std::vector<flow_task*>& before) noexcept {
  if (before.empty()) return make_ready(task, submitter_);
  const auto count = static_cast<std::uint32_t>(before.size());
  // Before anybody can count it down.
  std::atomic_ref(task.waiting).store(count, std::memory_order_relaxed);
  std::uint32_t done = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    flow_edge& edge =
        i < flow_task::edges_inside ? task.edges[i] : task.more->edges[i - flow_task::edges_inside];
    edge.to = &task;
    std::atomic<flow_edge*>& list = before[i]->successors;
    // ORD[D24] acquire: what the task did, if it has finished; pairs with the exchange in run().
    edge.next = list.load(std::memory_order_acquire);
    while (edge.next != flow_task::finished()) {
      // ORD[D24] release: the edge, and how many predecessors the task waits for; acquire, on failure: as above. Model:
      // models/graph.pml.
      if (list.compare_exchange_weak(edge.next, &edge, std::memory_order_release, std::memory_order_acquire))
        break;
    }
    if (edge.next == flow_task::finished()) ++done;
  }
  if (done != 0 && count_down(task.waiting, done)) make_ready(task, submitter_);
}

void flow_state::make_ready(flow_task& task, strand& own) noexcept {
  flow_task* item = &task;
  if (sorts_.load(std::memory_order_relaxed)) {
    if (task.color == by_priority) {
      if (!attempt<std::bad_alloc>([&] { by_priority_.add(0, &task, task.more->priority); }))
        return fail_without_memory();
      item = &first_by_priority_;
    } else if (post(task, own)) {
      return;
    }
  }
  if (!own.queue.add(item)) return fail_without_memory();
  invite(own);
}

void flow_state::fail_without_memory() noexcept {
#if SENNIT_EXCEPTIONS
  fail(std::make_exception_ptr(std::bad_alloc()));
#else
  fail_for_memory();
#endif
}

// Before others know of the task. Throws std::bad_alloc.
void flow_state::order_by_priority(flow_task& task, int priority) {
  if (task.more == nullptr) task.more = std::make_unique<flow_task_more>();
  task.more->priority = priority;
  task.color = by_priority;
  prioritized_ = true;
  sorts_.store(true, std::memory_order_relaxed);
}

// --- What the header calls.

void flow_state_deleter::operator()(flow_state* state) const noexcept { delete state; }

flow_submission::flow_submission(flow_front& front, bool limited) : flow_(front) {
  auto& flow = static_cast<flow_state&>(front);
  flow.enter("submit");
  flow.is_at(__builtin_return_address(0));
#if SENNIT_EXCEPTIONS
  try {
    if (flow.at_once(limited)) {
      to_run_ = !flow.stopped();
    } else {
      place_ = flow.place();
    }
  } catch (...) {
    flow.leave();
    throw;
  }
#else
  if (flow.at_once(limited)) {
    to_run_ = !flow.stopped();
  } else {
    place_ = flow.place();
  }
#endif
}

void flow_submission::submit(const effects& fx, const graph::flow_task_options& options) {
  auto& flow = static_cast<flow_state&>(flow_);
#if SENNIT_EXCEPTIONS
  try {
    flow.submit(*place_, fx, options);
  } catch (...) {
    place_->call(*place_, flow_call::drop);
    place_->call = nullptr;
    throw;
  }
#else
  flow.submit(*place_, fx, options);
#endif
}

void flow_task_at_once::note_failure(const char* name) noexcept {
  static_cast<flow_state&>(flow_).note_failure(number_, name);
}

}  // namespace sennit::detail

namespace sennit::graph {

task_flow::task_flow(const flow_options& given)
    : state_(new detail::flow_state(given)), front_(state_.get()) {}

}  // namespace sennit::graph
