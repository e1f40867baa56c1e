// SPDX-License-Identifier: Apache-2.0
#include "graph/tasks_of_graph.hpp"

#include "graph/longest_path.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/node_failure.hpp>
#include <sennit/graph.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

namespace sennit::detail {

tasks_of_graph::~tasks_of_graph() {
  for (auto e = ends_.rbegin(); e != ends_.rend(); ++e) e->end(e->body);
}

void tasks_of_graph::refuse_while_running() const {
  if (runs_->is_running())
    fail<std::logic_error>("sennit: a task_graph cannot be changed while it runs; wait for the run to end");
}

void* tasks_of_graph::allocate(std::size_t bytes, std::size_t alignment) {
  refuse_while_running();
  return memory_.allocate(bytes, alignment);
}

void tasks_of_graph::add(task_code code, void (*end)(void*) noexcept, bool chooses) {
  // Whatever fails, no task is left that chooses and does not say so.
  const auto n = static_cast<task_number>(size());
#if SENNIT_EXCEPTIONS
  try {
    if (chooses) prepare_traits(n);
    order_.add();
    codes_.push_back(code);
    if (end != nullptr) ends_.push_back({end, code.body});
  } catch (...) {
    // The graph has one task more, which does nothing.
    codes_.resize(order_.size(), {[](void*, chosen_successors*) {}, nullptr});
    if (end != nullptr) end(code.body);
    throw;
  }
#else
  if (chooses) prepare_traits(n);
  order_.add();
  codes_.push_back(code);
  if (end != nullptr) ends_.push_back({end, code.body});
#endif
  if (!chooses) return;
  traits_[n]->chooses = true;
  has_choices_ = true;
  checked_ = false;
}

// --- Graphs within graphs.

bool tasks_of_graph::contains(const tasks_of_graph& other) const noexcept {
  if (this == &other) return true;
  for (const auto& t : traits_) {
    if (t != nullptr && t->inner != nullptr && t->inner->contains(other)) return true;
  }
  return false;
}

void tasks_of_graph::add_graph(std::shared_ptr<tasks_of_graph> inner) {
  refuse_while_running();
  if (inner->contains(*this))
    fail<std::invalid_argument>("sennit: a task_graph cannot be a task of itself, nor of a graph within it");
  tasks_of_graph* const runs = inner.get();
  add({[](void* body, chosen_successors*) { static_cast<tasks_of_graph*>(body)->run_within(); }, runs},
      nullptr, false);
  task_traits& t = traits(static_cast<task_number>(size() - 1));
  t.inner = std::move(inner);
  t.limited = limited_count_++;
  has_graphs_ = true;
  checked_ = false;
}

void tasks_of_graph::run_within() {
  const run_queue::turn turn(*runs_);
  if (!within_async_.load(std::memory_order_relaxed)) return run_here(1, nullptr, nullptr);
  auto body = [this] { run_here(1, nullptr, nullptr); };
  runs_->run_apart_from_others(body);
}

void tasks_of_graph::async_begins() noexcept {
  if (!has_graphs_) return;
  for (const auto& t : traits_) {
    if (t == nullptr || t->inner == nullptr) continue;
    // Relaxed: the run of that graph begins after this.
    t->inner->within_async_.store(true, std::memory_order_relaxed);
    t->inner->async_begins();
  }
}

// A task that has limits and runs a graph keeps its permits while tasks of that graph wait for theirs. If these
// come later in the order of limits, nobody waits in a circle.
void tasks_of_graph::refuse_limits_within(const tasks_of_graph& inner, task_number outer) const {
  const limit& last = *traits_[outer]->limits.back();
  for (task_number n = 0; n < inner.size(); ++n) {
    const task_traits* const t = inner.find_traits(n);
    if (t == nullptr) continue;
    if (!t->limits.empty() && t->limits.front()->order() <= last.order()) {
      fail<std::logic_error>(
          "sennit: the task " + text_of(outer) +
          " keeps its permit within a limit while the graph that it runs has the task " + inner.text_of(n) +
          " wait for the same limit or an earlier one, so both could wait for ever; make the "
          "inner task's limit after the outer one's");
    }
    if (t->inner != nullptr) refuse_limits_within(*t->inner, outer);
  }
}

// --- What few tasks have.

void tasks_of_graph::prepare_traits(task_number n) {
  if (traits_.size() <= n) traits_.resize(n + 1);
  if (traits_[n] == nullptr) traits_[n] = std::make_unique<task_traits>();
}
task_traits& tasks_of_graph::traits(task_number n) {
  refuse_while_running();
  prepare_traits(n);
  return *traits_[n];
}

void tasks_of_graph::set_priority(task_number n, int priority) {
  traits(n).priority = priority;
  has_priorities_ = true;
}

void tasks_of_graph::set_color(task_number n, unsigned color) {
  traits(n).color = color;
  has_colors_ = true;
}

void tasks_of_graph::set_limit(task_number n, limit& l) {
  task_traits& t = traits(n);
  const auto earlier = [](const limit* a, const limit* b) { return a->order() < b->order(); };
  const auto at = std::lower_bound(t.limits.begin(), t.limits.end(), &l, earlier);
  if (at != t.limits.end() && *at == &l) return;
  const bool first = t.limits.empty() && t.inner == nullptr;
  t.limits.insert(at, &l);
  if (first) t.limited = limited_count_++;
  checked_ = false;
}

limit& tasks_of_graph::own_limit() {
  refuse_while_running();
  return own_limits_.emplace_back(1);
}

void tasks_of_graph::set_coloring(const graph::coloring& c) {
  refuse_while_running();
  check_patience(c.patience);
  coloring_ = c;
}

// --- Order.

void tasks_of_graph::order(task_number before, task_number after) {
  refuse_while_running();
  const task_traits* const first = find_traits(before);
  if (first != nullptr && first->chooses) {
    traits(after).chosen = true;
    traits(before).choices.push_back(after);
    ++choice_count_;
  } else {
    if (before == after) fail_with(graph::cycle_error<std::string>({name_of(before)}));
    order_.edge(before, after);
  }
  checked_ = false;
}

void tasks_of_graph::sort() {
#if SENNIT_EXCEPTIONS
  try {
    order().sort();
  } catch (const graph::cycle_error<task_number>& found) {
    std::vector<std::string> names;
    for (const task_number n : found.keys()) names.push_back(name_of(n));
    throw graph::cycle_error<std::string>(std::move(names));
  }
#else
  order().sort();
#endif
  if (!checked_ && has_choices_) {
    find_only_chosen();
    refuse_never_begun();
  }
  // Graphs within this one may have changed.
  if (checked_ && !has_graphs_) return;
  for (task_number n = 0; n < size(); ++n) {
    const task_traits* const t = find_traits(n);
    if (t != nullptr && t->inner != nullptr && !t->limits.empty()) refuse_limits_within(*t->inner, n);
  }
  checked_ = true;
}

// A choice that comes after a task may choose the task again: that is a loop, which is entered by way of the task. Any other
// task that comes after what the choice comes after would begin beside the choice.
void tasks_of_graph::find_only_chosen() {
  static_graph_access edges = order();
  std::vector<std::vector<task_number>> before(size());
  for (task_number n = 0; n < size(); ++n) {
    for (const task_number after : edges.successors(n)) before[after].push_back(n);
  }
  std::vector<task_number> left;
  for (task_number choice = 0; choice < size(); ++choice) {
    const task_traits* const t = find_traits(choice);
    if (t == nullptr || std::ranges::all_of(t->choices, [&](task_number c) { return before[c].empty(); }))
      continue;
    std::vector<bool> comes_before(size());
    left.assign(1, choice);
    while (!left.empty()) {
      const task_number n = left.back();
      left.pop_back();
      if (comes_before[n]) continue;
      comes_before[n] = true;
      left.insert(left.end(), before[n].begin(), before[n].end());
    }
    for (const task_number chosen : t->choices) {
      if (!comes_before[chosen] &&
          std::ranges::any_of(before[chosen], [&](task_number p) { return comes_before[p]; }))
        traits_[chosen]->only_chosen = true;
    }
  }
}

// Takes each choice for possible.
void tasks_of_graph::refuse_never_begun() {
  static_graph_access edges = order();
  std::vector<bool> begins(size());
  std::vector<task_number> left;
  const auto begin = [&](task_number n) {
    if (begins[n]) return;
    begins[n] = true;
    left.push_back(n);
  };
  for (const task_number n : edges.sources()) {
    const task_traits* const t = find_traits(n);
    if (t == nullptr || !t->chosen) begin(n);
  }
  while (!left.empty()) {
    const task_number n = left.back();
    left.pop_back();
    if (const task_traits* const t = find_traits(n)) {
      for (const task_number after : t->choices) begin(after);
    }
    for (const task_number after : edges.successors(n)) {
      const task_traits* const t = find_traits(after);
      if (--edges.waiting(after) == 0 && (t == nullptr || !t->only_chosen)) begin(after);
    }
  }
  edges.restore();
  const auto never = std::find(begins.begin(), begins.end(), false);
  if (never == begins.end()) return;
  fail<std::logic_error>(
      "sennit: the task " + text_of(static_cast<task_number>(never - begins.begin())) +
      " of a task_graph can never begin: each way to it begins with a task that comes after "
      "it, or that is never chosen; add a task to begin with, which comes after none");
}

void tasks_of_graph::prioritize(const std::function<double(task_number)>& cost) {
  refuse_while_running();
  sort();
  static_graph_access edges = order();
  const std::vector<std::int32_t> priorities =
      longest_path_priorities(size(), [&](task_number n) { return edges.successors(n); }, cost);
  for (task_number n = 0; n < size(); ++n) set_priority(n, priorities[n]);
}

// --- Names.

std::string tasks_of_graph::name_of(task_number n) const {
  const task_traits* const t = find_traits(n);
  return t != nullptr && !t->name.empty() ? t->name : std::to_string(n);
}
std::string tasks_of_graph::text_of(task_number n) const {
  const task_traits* const t = find_traits(n);
  return t != nullptr && !t->name.empty() ? text_of_key(t->name) : std::to_string(n);
}

// --- Running.

void tasks_of_graph::rethrow_named(task_number n) const {
#if SENNIT_EXCEPTIONS
  rethrow_as_node_error("running the task " + text_of(n));
#else
  static_cast<void>(n);
  std::abort();
#endif
}

}  // namespace sennit::detail
