// SPDX-License-Identifier: Apache-2.0
// The strands of a task flow: what they run, and how they get it.
#include "graph/flow_state.hpp"
#include "policy/flow_pace.hpp"
#include "system/nanoseconds.hpp"
#include "system/relax.hpp"

#include <sennit/detail/colors.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>

namespace sennit::detail {

using policy::flow_pace;

// Runs the task. Returns one that has become ready by that, if there is one.
flow_task* flow_state::run(flow_task& given, strand& own) noexcept {
  flow_task* const begun = given.begins_slowly ? begin_slowly(given, own) : &given;
  if (begun == nullptr) [[unlikely]]
    return nullptr;
  flow_task& task = *begun;
  if (own.tasks++ % flow_pace::tasks_for_a_timed_one == 0 || trace_ != nullptr || told_ != nullptr) {
    call_timed(task, own);
  } else {
    call(task);
  }
  const bool began_slowly = task.begins_slowly;
  if (began_slowly) [[unlikely]]
    give_back_exclusions(task.more->exclusions, task.more->exclusions.size(), own);
  // ORD[D24] acq_rel: release: what the task did, for those that find it finished; and that its closure is gone, for the one
  // that gets its place. Acquire: the edges, and what their tasks wait for. Model: models/graph.pml.
  flow_edge* edge = task.successors.exchange(flow_task::finished(), std::memory_order_acq_rel);
  flow_task* next = nullptr;
  while (edge != nullptr) {
    flow_task& after = *edge->to;
    edge = edge->next;  // it belongs to a task that may run, and finish, as soon as it is counted down
    if (!count_down(after.waiting, 1)) continue;
    if (next == nullptr && (after.color == no_flow_color || after.color == own.color)) {
      next = &after;
    } else {
      make_ready(after, own);
    }
  }
  if (any_gate_shut() && (own.tasks % flow_pace::tasks_between_gates == 0 || is_worth_sharing()))
    heed_gates();
  return began_slowly ? leave_limits(next, own) : next;
}

// The task that is to run: the one of the highest priority, if the given one stands for it. Null: it waits for a permit or an
// exclusion. Then another strand may have it already.
flow_task* flow_state::begin_slowly(flow_task& given, strand& own) noexcept {
  flow_task& task = &given == &first_by_priority_ ? *by_priority_.take(0) : given;
  if (!task.begins_slowly) return &task;
  for (;;) {
    // A task that waits has no exclusion, and nothing but permits of limits that come first. So no tasks wait in a circle.
    if (!enter_limits(task, own)) return nullptr;
    flow_exclusion* const missing = take_exclusions(task, own);
    if (missing == nullptr) return &task;
    drop_limits(own);
    if (missing->wait(task)) return nullptr;
  }
}

// Takes all, and returns null; or none, and returns one that another task has.
flow_exclusion* flow_state::take_exclusions(flow_task& task, strand& own) noexcept {
  const std::vector<flow_exclusion*>& all = task.more->exclusions;
  std::size_t taken = 0;
  while (taken < all.size() && all[taken]->take()) ++taken;
  if (taken == all.size()) return nullptr;
  // Before the task waits: afterwards it may run, and give its place to another.
  give_back_exclusions(all, taken, own);
  return all[taken];
}

void flow_state::give_back_exclusions(const std::vector<flow_exclusion*>& all, std::size_t count,
                                      strand& own) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (flow_task* const woken = all[i]->give_back()) make_ready(*woken, own);
  }
}

void flow_state::call(flow_task& task) noexcept {
#if SENNIT_EXCEPTIONS
  try {
    task.call(task, flow_call::run);
  } catch (...) {
    note_failure(task.number, task.name);
  }
#else
  task.call(task, flow_call::run);
#endif
}

void flow_state::call_timed(flow_task& task, strand& own) noexcept {
  const std::uint64_t begun = now_ns();
  if (told_ != nullptr) {
    call_told(task, own);
  } else if (trace_ != nullptr) {
    call_traced(task, own);
  } else {
    call(task);
  }
  const auto took =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(now_ns() - begun, flow_pace::longest_ns));
  const std::uint32_t before = task_ns_.load(std::memory_order_relaxed);
  task_ns_.store(before - before / 4 + took / 4, std::memory_order_relaxed);
}

void flow_state::call_told(flow_task& task, strand& own) noexcept {
  const std::uint64_t number = task.number;
  const std::uint64_t begun = now_ns();
  traced_body* const body = told_->task_begins();
  if (trace_ != nullptr) {
    call_traced(task, own);
  } else {
    call(task);
  }
  told_->task_ends(number, body, begun);
}

void flow_state::call_traced(flow_task& task, strand& own) noexcept {
  const node_note note = trace_->begin_task(task.number);
  call(task);
#if SENNIT_EXCEPTIONS
  try {
    trace_->end_task(note, own.notes);
  } catch (...) {
    fail(std::current_exception());
  }
#else
  trace_->end_task(note, own.notes);
#endif
}

// Puts a strand on offer, if none is.
void flow_state::invite(const strand& own) noexcept {
  if (invited_.load(std::memory_order_relaxed) || invited_.exchange(true, std::memory_order_relaxed)) return;
  if (own.is_branch) [[unlikely]] {
    // Without memory, this strand does all by itself.
    if (!limits_->add_helper()) invited_.store(false, std::memory_order_relaxed);
    return;
  }
  const auto spawn = [this] { helpers_.spawn([this] { help_others(helper_kind::child, nullptr); }); };
#if SENNIT_EXCEPTIONS
  try {
    spawn();
  } catch (...) {
    fail(std::current_exception());
  }
#else
  spawn();
#endif
}

// `admitted`: the strand begins with this task.
void flow_state::help_others(helper_kind kind, limited_work::waiting_item* admitted) noexcept {
  if (admitted == nullptr) invited_.store(false, std::memory_order_relaxed);
  strand* const own = enlist();
  if (own == nullptr) {
    if (admitted == nullptr) return;
    // Its permits must not be lost.
    item_limits its;
    limits_->take(*admitted, its);
    limits_->drop(its);
    fail_without_memory();
    return limits_->stop();
  }
  own->is_branch = kind == helper_kind::branch;
  if (colors_ > 1) own->color = static_cast<std::uint8_t>(color_here(color_kind::nodes));
  flow_task* next = admitted != nullptr ? take_admitted(*admitted, *own) : nullptr;
  while (!stopped() && look_around(*own, next)) next = run(*next, *own);
  end_limits(*own);
  retire(*own);
}

// Finds the next task. Returns false if there has been none for a while.
bool flow_state::look_around(strand& own, flow_task*& next) noexcept {
  if (next != nullptr) return true;
  next = own.queue.take_newest();
  for (unsigned rounds = 0; next == nullptr && !stopped(); ++rounds) {
    // What is posted for others is left to them for a while.
    const bool last =
        rounds == flow_pace::rounds_without_tasks || !submitting_.load(std::memory_order_relaxed);
    if (take_posted(own, false) || steal(own) ||
        ((last || rounds >= flow_pace::rounds_for_others) && take_posted(own, true))) {
      next = own.queue.take_newest();
      if (!own.queue.empty()) invite(own);
      continue;
    }
    if (rounds == flow_pace::rounds_without_tasks || !submitting_.load(std::memory_order_relaxed))
      return false;
    for (unsigned i = 0; i < flow_pace::spins; ++i) relax();
    heed_gates();
  }
  return next != nullptr;
}

bool flow_state::steal(strand& own) noexcept {
  const bool worth_it = is_worth_sharing();
  // ORD[D61] acquire: the strands in the list; pairs with the release in enlist().
  for (strand* s = strands_.load(std::memory_order_acquire); s != nullptr; s = s->next) {
    if (s == &own || s->queue.empty()) continue;
    if ((worth_it || stands_still(own, s->queue)) && own.queue.take_half(s->queue)) return true;
  }
  return false;
}

// Leaves the task to workers of its color. Returns false if it is for the calling strand.
bool flow_state::post(flow_task& task, const strand& own) noexcept {
  if (colors_ == 1 || task.color == no_flow_color || task.color == own.color || !is_worth_sharing())
    return false;
  if (!posted_[task.color].add(&task)) return false;
  invite(own);
  return true;
}

// `of_others`: also what is posted for other colors.
bool flow_state::take_posted(strand& own, bool of_others) noexcept {
  if (colors_ == 1) return false;
  if (own.color != no_flow_color && own.queue.take_half(posted_[own.color])) return true;
  for (unsigned c = 0; of_others && c < colors_; ++c) {
    if (own.queue.take_half(posted_[c])) return true;
  }
  return false;
}

// Whether the strand of that queue has been in a task for a while, or does something else. Otherwise small tasks are left to it:
// to hand a task over takes longer than to run it.
bool flow_state::stands_still(strand& own, const flow_queue& queue) const noexcept {
  const std::uint32_t changes = queue.changes();
  if (own.watched != &queue || own.changes != changes) {
    own.watched = &queue;
    own.changes = changes;
    own.still = 0;
    return false;
  }
  return ++own.still >= flow_pace::looks_at_a_still_queue;
}

flow_state::strand* flow_state::enlist() noexcept {
  const std::lock_guard guard(strands_lock_);
  strand* s = strands_.load(std::memory_order_relaxed);
  while (s != nullptr && (s->used || s == &submitter_)) s = s->next;
  if (s == nullptr) {
    s = new (std::nothrow) strand;
    if (s == nullptr) return nullptr;
    s->next = strands_.load(std::memory_order_relaxed);
    // ORD[D61] release: the strand, for those that look for tasks; pairs with the acquire in steal().
    strands_.store(s, std::memory_order_release);
  }
  s->used = true;
  return s;
}

void flow_state::retire(strand& own) noexcept {
  const std::lock_guard guard(strands_lock_);
  own.used = false;
}

}  // namespace sennit::detail
