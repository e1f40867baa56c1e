#include "graph/flow_state.hpp"

#include "fork/answer.hpp"
#include "policy/flow_pace.hpp"
#include "system/failure.hpp"
#include "system/nanoseconds.hpp"
#include "system/relax.hpp"
#include "worker/worker.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/detail/calls.hpp>
#include <sennit/detail/graph/node.hpp>
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

flow_state::flow_state(const graph::flow_options& given)
    : most_waiting_(given.most_waiting), task_ns_(flow_pace::ns_worth_sharing), strands_(&submitter_) {
  if (most_waiting_ == 0) {
    fail_with(std::invalid_argument("sennit: task_flow: most_waiting is 0, and must be at least 1: so many "
                                    "tasks may be submitted and not finished"));
  }
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

bool flow_state::at_once() {
  // In an observed region the gates are always shut.
  if (!begun_ || any_gate_shut()) [[unlikely]]
    begin_or_meet_gate();
  return at_once_;
}

void flow_state::begin_or_meet_gate() {
  const bool observed = current_tls().cursor != nullptr;
  if (!begun_) {
    begun_ = true;
    first_ = number_;
    at_once_ = checks_tasks == nullptr && in_strand() && (observed || worker_count() == 1);
    submitting_.store(true, std::memory_order_relaxed);
  } else if (observed && !at_once_ && checks_tasks == nullptr) {
    // What was submitted before the observed region comes first.
    finish_all();
    at_once_ = true;
  }
  if (number_ % flow_pace::tasks_between_gates == 0) heed_gates();
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
    if (next == nullptr && steal(submitter_)) next = submitter_.queue.take_oldest();
    if (next == nullptr) {
      // Others run what the rest waits for.
      if (flow_task* const free = free_place(); free != nullptr) {
        next_place_ = next_place_ == 0 ? places_.size() - 1 : next_place_ - 1;
        return;
      }
      invite();
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
  }
}

void flow_state::submit(flow_task& task, const effects& fx, const char* name) {
  task.number = ++number_;
  task.name = name;
  if (checks_tasks != nullptr) [[unlikely]] {
    // A closure may change itself.
    to_check_.back().fx = fx;
    to_check_.back().fx += effects(writes(memory_range(&task, 1)));
    return;
  }
  const std::vector<flow_task*>& before = records_.find_predecessors(fx, task);
  if (before.size() > flow_task::edges_inside) {
    if (task.more == nullptr) task.more = std::make_unique<flow_task_more>();
    task.more->edges.resize(before.size() - flow_task::edges_inside);
  }
  records_.note(task);
  link(task, before);
}

void flow_state::link(flow_task& task, const std::vector<flow_task*>& before) {
  // From now on the place is taken.
  task.successors.store(nullptr, std::memory_order_relaxed);
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
    // ORD[D24] release: the edge, and how many predecessors the task waits for; acquire, on failure: as above. Model:
    // models/graph.pml.
    while (
        edge.next != flow_task::finished() &&
        !list.compare_exchange_weak(edge.next, &edge, std::memory_order_release, std::memory_order_acquire)) {
    }
    if (edge.next == flow_task::finished()) ++done;
  }
  if (done != 0 && count_down(task.waiting, done)) make_ready(task, submitter_);
}

void flow_state::make_ready(flow_task& task, strand& own) noexcept {
#if SENNIT_EXCEPTIONS
  if (!own.queue.add(&task)) return fail(std::make_exception_ptr(std::bad_alloc()));
#else
  if (!own.queue.add(&task)) fail_for_memory();
#endif
  invite();
}

// --- Running.

// Runs the task. Returns one that has become ready by that, if there is one.
flow_task* flow_state::run(flow_task& task, strand& own) noexcept {
  if (task.excludes && !take_exclusions(task, own)) [[unlikely]]
    return nullptr;
  if (own.tasks++ % flow_pace::tasks_for_a_timed_one == 0) {
    call_timed(task);
  } else {
    call(task);
  }
  if (task.excludes) [[unlikely]]
    give_back_exclusions(task.more->exclusions, task.more->exclusions.size(), own);
  // ORD[D24] acq_rel: release: what the task did, for those that find it finished; and that its closure is gone, for the one
  // that gets its place. Acquire: the edges, and what their tasks wait for. Model: models/graph.pml.
  flow_edge* edge = task.successors.exchange(flow_task::finished(), std::memory_order_acq_rel);
  flow_task* next = nullptr;
  while (edge != nullptr) {
    flow_task& after = *edge->to;
    edge = edge->next;  // it belongs to a task that may run, and finish, as soon as it is counted down
    if (!count_down(after.waiting, 1)) continue;
    if (next == nullptr) {
      next = &after;
    } else {
      make_ready(after, own);
    }
  }
  if (any_gate_shut() && (own.tasks % flow_pace::tasks_between_gates == 0 || is_worth_sharing()))
    heed_gates();
  return next;
}

// Returns false if the task waits for an exclusion. Then another strand may have it already.
bool flow_state::take_exclusions(flow_task& task, strand& own) noexcept {
  const std::vector<flow_exclusion*>& all = task.more->exclusions;
  for (;;) {
    std::size_t taken = 0;
    while (taken < all.size() && all[taken]->take()) ++taken;
    if (taken == all.size()) return true;
    // Before the task waits: afterwards it may run, and give its place to another.
    give_back_exclusions(all, taken, own);
    if (all[taken]->wait(task)) return false;
  }
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

void flow_state::call_timed(flow_task& task) noexcept {
  const std::uint64_t begun = now_ns();
  call(task);
  const auto took =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(now_ns() - begun, flow_pace::longest_ns));
  const std::uint32_t before = task_ns_.load(std::memory_order_relaxed);
  task_ns_.store(before - before / 4 + took / 4, std::memory_order_relaxed);
}

// Puts a strand on offer, if none is.
void flow_state::invite() noexcept {
  if (invited_.load(std::memory_order_relaxed) || invited_.exchange(true, std::memory_order_relaxed)) return;
#if SENNIT_EXCEPTIONS
  try {
    helpers_.spawn([this] { help_others(); });
  } catch (...) {
    fail(std::current_exception());
  }
#else
  helpers_.spawn([this] { help_others(); });
#endif
}

void flow_state::help_others() noexcept {
  invited_.store(false, std::memory_order_relaxed);
  strand* const own = enlist();
  if (own == nullptr) return;
  flow_task* next = nullptr;
  while (!stopped() && look_around(*own, next)) next = run(*next, *own);
  retire(*own);
}

// Finds the next task. Returns false if there has been none for a while.
bool flow_state::look_around(strand& own, flow_task*& next) noexcept {
  if (next != nullptr) return true;
  next = own.queue.take_newest();
  for (unsigned rounds = 0; next == nullptr && !stopped(); ++rounds) {
    if (steal(own)) {
      next = own.queue.take_newest();
      if (!own.queue.empty()) invite();
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
  if (!to_check_.empty()) [[unlikely]]
    run_checked();
  if (!at_once_) finish_all();
  begun_ = at_once_ = false;
  const bool failed = stopped();
  stopped_.store(false, std::memory_order_relaxed);
  if (!failed) return;
  drop_all();
#if SENNIT_EXCEPTIONS
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
#endif
  throw_cancelled();
}

void flow_state::finish_all() {
  for (flow_task* next = submitter_.queue.take_oldest(); next != nullptr && !stopped();) {
    next = run(*next, submitter_);
    if (next == nullptr) next = submitter_.queue.take_oldest();
  }
#if SENNIT_EXCEPTIONS
  try {
    helpers_.wait();
  } catch (...) {
    fail(std::current_exception());
  }
#else
  helpers_.wait();
#endif
  invited_.store(false, std::memory_order_relaxed);
}

// After all strands have ended.
void flow_state::drop_all() noexcept {
  for (strand* s = strands_.load(std::memory_order_relaxed); s != nullptr; s = s->next) s->queue.clear();
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
  const auto named = [&](const char* thrown) {
    std::throw_with_nested(graph::node_error("sennit: task " + std::to_string(number - first_ - 1) +
                                             (name != nullptr ? std::string(" (") + name + ")" : "") +
                                             " of a flow: " + thrown));
  };
  try {
    try {
      throw;
    } catch (const sennit::cancelled&) {
      stop();
    } catch (const std::exception& thrown) {
      named(thrown.what());
    } catch (...) {
      named("something that is no std::exception");
    }
  } catch (...) {
    fail(std::current_exception());
  }
#else
  static_cast<void>(number);
  static_cast<void>(name);
#endif
}

// --- What the header calls.

void flow_state_deleter::operator()(flow_state* state) const noexcept { delete state; }

flow_submission::flow_submission(flow_front& front) : flow_(front) {
  auto& flow = static_cast<flow_state&>(front);
  flow.enter("submit");
#if SENNIT_EXCEPTIONS
  try {
    if (flow.at_once()) {
      to_run_ = !flow.stopped();
    } else {
      place_ = flow.place();
    }
  } catch (...) {
    flow.leave();
    throw;
  }
#else
  if (flow.at_once()) {
    to_run_ = !flow.stopped();
  } else {
    place_ = flow.place();
  }
#endif
}

void flow_submission::submit(const effects& fx, const char* name) {
  auto& flow = static_cast<flow_state&>(flow_);
#if SENNIT_EXCEPTIONS
  try {
    flow.submit(*place_, fx, name);
  } catch (...) {
    place_->call(*place_, flow_call::drop);
    place_->call = nullptr;
    throw;
  }
#else
  flow.submit(*place_, fx, name);
#endif
}

void flow_task_at_once::note_failure(const char* name) noexcept {
  static_cast<flow_state&>(flow_).note_failure(number_, name);
}

}  // namespace sennit::detail

namespace sennit::graph {

task_flow::task_flow(const flow_options& given)
    : state_(new detail::flow_state(given)), front_(state_.get()) {}

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
