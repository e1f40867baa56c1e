// SPDX-License-Identifier: Apache-2.0
// What the templates of task_graph call while a graph is built.
#include "graph/tasks_of_graph.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/task_building.hpp>
#include <sennit/graph_trace.hpp>

#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

namespace sennit::detail {

std::shared_ptr<tasks_of_graph> task_building::make() { return std::make_shared<tasks_of_graph>(); }
void task_building::refuse_while_running(const tasks_of_graph& all) { all.refuse_while_running(); }
void* task_building::allocate(tasks_of_graph& all, std::size_t bytes, std::size_t alignment) {
  return all.allocate(bytes, alignment);
}
task_number task_building::next(const tasks_of_graph& all) noexcept {
  return static_cast<task_number>(all.size());
}
void task_building::add(tasks_of_graph& all, task_code code, void (*end)(void*) noexcept, bool chooses) {
  all.add(code, end, chooses);
}
void task_building::add_graph(tasks_of_graph& all, const std::shared_ptr<tasks_of_graph>& inner) {
  if (inner == nullptr) refuse_moved_graph();
  all.add_graph(inner);
}
void task_building::order(tasks_of_graph& all, task_number before, const tasks_of_graph* other,
                          task_number after) {
  if (other == nullptr) refuse_empty_handle();
  if (other != &all) {
    fail<std::invalid_argument>("sennit: tasks of two task_graphs cannot be ordered, as " +
                                all.text_of(before) + " and " + other->text_of(after) +
                                " of another graph: add one graph to the other as a task, and order that");
  }
  all.order(before, after);
}
void task_building::set_name(tasks_of_graph& all, task_number n, std::string name) {
  all.traits(n).name = std::move(name);
}
std::string task_building::name(const tasks_of_graph& all, task_number n) { return all.name_of(n); }
void task_building::set_priority(tasks_of_graph& all, task_number n, int priority) {
  all.set_priority(n, priority);
}
void task_building::set_color(tasks_of_graph& all, task_number n, unsigned color) { all.set_color(n, color); }
void task_building::set_coloring(tasks_of_graph& all, const graph::coloring& c) { all.set_coloring(c); }
void task_building::set_cost(tasks_of_graph& all, task_number n, double cost) {
  if (!(cost >= 0 && cost <= std::numeric_limits<double>::max())) {
    fail<std::invalid_argument>("sennit: the cost of a task is " + std::to_string(cost) +
                                ", and must be a number from 0 on");
  }
  all.traits(n).cost = cost;
}
void task_building::set_limit(tasks_of_graph& all, task_number n, limit& l) { all.set_limit(n, l); }
limit& task_building::own_limit(tasks_of_graph& all) { return all.own_limit(); }

void task_building::prioritize(tasks_of_graph& all) {
  all.prioritize([&](task_number n) {
    const task_traits* const t = all.find_traits(n);
    return t != nullptr ? t->cost : 1;
  });
}
void task_building::prioritize(tasks_of_graph& all, const graph::trace& seen) {
  std::unordered_map<std::string, double> costs;
  for (const graph::trace::node& n : seen.nodes())
    costs[n.key] += static_cast<double>((n.end - n.begin).count());
  all.prioritize([&](task_number n) {
    const auto found = costs.find(all.name_of(n));
    return found != costs.end() ? found->second : 0;
  });
}

std::size_t task_building::size(const tasks_of_graph& all) noexcept { return all.size(); }
std::size_t task_building::edge_count(const tasks_of_graph& all) noexcept { return all.edge_count(); }

void task_building::refuse_empty_handle() {
  fail<std::logic_error>("sennit: a handle of no task: assign the result of task_graph::add() to it first");
}
void task_building::refuse_moved_graph() {
  fail<std::logic_error>("sennit: a task_graph that was moved to another one: assign a graph to it first");
}

void task_value_state::add_reader(task_number reader, bool takes) {
  if (readers_ > 0 && (takes || taken_)) {
    fail<std::logic_error>("sennit: the value of the task " + graph_.text_of(task_) +
                           " cannot be copied, and two tasks read it, of which one takes it: task " +
                           graph_.text_of(first_reader_) + " and task " + std::to_string(reader) +
                           ", which is not added; let both have a parameter const T&, or let the task " +
                           graph_.text_of(task_) + " return a std::shared_ptr");
  }
  if (readers_++ == 0) first_reader_ = reader;
  taken_ = takes;
}
void task_value_state::remove_reader(bool takes) noexcept {
  --readers_;
  if (takes) taken_ = false;
}
void task_value_state::throw_missing() const {
  fail<std::logic_error>("sennit: the task " + graph_.text_of(task_) +
                         " has no value: it has not run, or its only reader has taken the value; keep() it "
                         "where it is read more than once");
}
void task_value_state::throw_uncopied() const {
  fail<std::logic_error>("sennit: the value of the task " + graph_.text_of(task_) +
                         " cannot be copied, and is to be kept: let its reader have a parameter const T&");
}

}  // namespace sennit::detail
