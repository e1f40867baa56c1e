// SPDX-License-Identifier: Apache-2.0
// The end of a task flow's tasks: waiting, failures, the trace, and the effect checker.
#include "fork/answer.hpp"
#include "graph/flow_state.hpp"
#include "policy/flow_pace.hpp"
#include "system/nanoseconds.hpp"

#include <sennit/detail/graph/node_failure.hpp>

#include <exception>
#include <mutex>
#include <string>
#include <utility>

namespace sennit::detail {

using policy::flow_pace;

// --- Under the effect checker.

flow_task* flow_state::place_to_check() {
  if (to_check_.size() == flow_pace::tasks_checked_together) run_checked();
  if (stopped()) return nullptr;
  to_check_.push_back({{}, std::make_unique<flow_task>()});
  return to_check_.back().task.get();
}

void flow_state::run_checked() {
#if SENNIT_EXCEPTIONS
  try {
    checks_tasks(*this);
  } catch (...) {
    fail(std::current_exception());
  }
#else
  checks_tasks(*this);
#endif
  for (const checked_task& t : to_check_) {
    if (t.task->call != nullptr) t.task->call(*t.task, flow_call::drop);
  }
  to_check_.clear();
}

void flow_state::run(std::uint32_t i) noexcept {
  flow_task& task = *to_check_[i].task;
  if (stopped() || task.call == nullptr) return;
  call(task);
  task.call = nullptr;
}

// --- Waiting.

void flow_state::wait() {
  submitting_.store(false, std::memory_order_relaxed);
  const std::uint64_t begun = told_ != nullptr ? now_ns() : 0;
  if (!to_check_.empty()) [[unlikely]]
    run_checked();
  if (!at_once_) finish_all();
  if (told_ != nullptr) [[unlikely]] {
    records_.note_found(nullptr);
    told_->end(begun);
    told_ = nullptr;
  }
  if (trace_ != nullptr && begun_) fill_trace(stopped());
  const bool failed = stopped();
  begun_ = at_once_ = runs_ready_ = runs_small_ = prioritized_ = false;
  stopped_.store(false, std::memory_order_relaxed);
  if (!failed) return;
  drop_all();
#if SENNIT_EXCEPTIONS
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
#endif
  throw_cancelled();
}

void flow_state::finish_all() {
  run_ready();
#if SENNIT_EXCEPTIONS
  try {
    helpers_.wait();
  } catch (...) {
    fail(std::current_exception());
  }
#else
  helpers_.wait();
#endif
  end_limits(submitter_);
  limits_->await_all();
  limits_.emplace(*this);
  invited_.store(false, std::memory_order_relaxed);
}

// `failed`: the wait throws another exception, which a failure of the trace must not hide.
void flow_state::fill_trace(bool failed) {
  records_.note_found(nullptr);
  std::vector<node_note> notes;
  const auto fill = [&] {
    for (strand* s = strands_.load(std::memory_order_relaxed); s != nullptr; s = s->next)
      notes.insert(notes.end(), s->notes.begin(), s->notes.end());
    trace_->fill(std::move(notes));
  };
#if SENNIT_EXCEPTIONS
  try {
    fill();
  } catch (...) {
    trace_->clear();
    if (!failed) fail(std::current_exception());
  }
#else
  static_cast<void>(failed);
  fill();
#endif
  for (strand* s = strands_.load(std::memory_order_relaxed); s != nullptr; s = s->next) s->notes.clear();
}

// After all strands have ended.
void flow_state::drop_all() noexcept {
  for (strand* s = strands_.load(std::memory_order_relaxed); s != nullptr; s = s->next) s->queue.clear();
  by_priority_.clear();
  for (unsigned c = 0; posted_ != nullptr && c < colors_; ++c) posted_[c].clear();
  for (flow_task* const task : places_) {
    if (task->successors.load(std::memory_order_relaxed) == flow_task::finished()) continue;
    task->call(*task, flow_call::drop);
    give_back(*task);
  }
  records_.clear_exclusions();
}

void flow_state::fail(std::exception_ptr why) noexcept {
  const std::lock_guard guard(failure_lock_);
  if (failure_ == nullptr) failure_ = std::move(why);
  stop();
}

void flow_state::note_failure(std::uint64_t number, const char* name) noexcept {
#if SENNIT_EXCEPTIONS
  try {
    rethrow_as_node_error("task " + std::to_string(number - first_ - 1) +
                          (name != nullptr ? std::string(" (") + name + ")" : "") + " of a flow");
  } catch (const sennit::cancelled&) {
    stop();
  } catch (...) {
    fail(std::current_exception());
  }
#else
  static_cast<void>(number);
  static_cast<void>(name);
#endif
}

}  // namespace sennit::detail

namespace sennit::graph {

task_flow::~task_flow() noexcept(false) {
#if SENNIT_EXCEPTIONS
  try {
    wait();
  } catch (...) {
    if (std::uncaught_exceptions() <= state_->unwinding()) throw;
  }
#else
  wait();
#endif
}

void task_flow::wait() {
  state_->enter("wait");
  struct leaving {
    detail::flow_state& flow;
    ~leaving() { flow.leave(); }
  } const last{*state_};
  state_->wait();
}

}  // namespace sennit::graph
