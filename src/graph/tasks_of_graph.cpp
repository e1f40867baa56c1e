#include "graph/tasks_of_graph.hpp"

#include "system/failure.hpp"

#include <sennit/graph.hpp>
#include <sennit/task_graph.hpp>

#include <exception>
#include <stdexcept>
#include <utility>

namespace sennit::detail {

tasks_of_graph::~tasks_of_graph() {
  for (auto e = ends_.rbegin(); e != ends_.rend(); ++e) e->end(e->body);
}

void tasks_of_graph::refuse_while_running() const {
  if (running_.load(std::memory_order_relaxed)) {
    fail<std::logic_error>("sennit: a task_graph cannot be changed while it runs; wait for the run to end");
  }
}

void* tasks_of_graph::allocate(std::size_t bytes, std::size_t alignment) {
  refuse_while_running();
  return memory_.allocate(bytes, alignment);
}

void tasks_of_graph::add(task_code code, void (*end)(void*) noexcept, bool chooses) {
#if SENNIT_EXCEPTIONS
  try {
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
  order_.add();
  codes_.push_back(code);
  if (end != nullptr) ends_.push_back({end, code.body});
#endif
  if (!chooses) return;
  traits(static_cast<task_number>(size() - 1)).chooses = true;
  has_choices_ = true;
}

task_traits& tasks_of_graph::traits(task_number n) {
  if (traits_.size() <= n) traits_.resize(size());
  if (traits_[n] == nullptr) traits_[n] = std::make_unique<task_traits>();
  return *traits_[n];
}

void tasks_of_graph::order(task_number before, task_number after) {
  refuse_while_running();
  const task_traits* const first = find_traits(before);
  if (first != nullptr && first->chooses) {
    traits(after).chosen = true;
    traits(before).choices.push_back(after);
    ++choice_count_;
    return;
  }
  if (before == after) fail_with(graph::cycle_error<std::string>({name_of(before)}));
  order_.edge(before, after);
}

std::string tasks_of_graph::name_of(task_number n) const {
  const task_traits* const t = find_traits(n);
  return t != nullptr && !t->name.empty() ? t->name : std::to_string(n);
}
std::string tasks_of_graph::text_of(task_number n) const {
  const task_traits* const t = find_traits(n);
  return t != nullptr && !t->name.empty() ? text_of_key(t->name) : std::to_string(n);
}

namespace {

#if SENNIT_EXCEPTIONS
[[noreturn]] void throw_named(const std::string& task, const char* thrown) {
  std::throw_with_nested(graph::node_error("sennit: running the task " + task + ": " + thrown));
}
#endif

}  // namespace

void tasks_of_graph::call(task_number n, chosen_successors* chosen) const {
  const task_code& code = codes_[n];
#if SENNIT_EXCEPTIONS
  try {
    code.run(code.body, chosen);
  } catch (const sennit::cancelled&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& thrown) {
    throw_named(text_of(n), thrown.what());
  } catch (...) {
    throw_named(text_of(n), "something that is no std::exception");
  }
#else
  code.run(code.body, chosen);
#endif
}

// --- What templates call.

std::shared_ptr<tasks_of_graph> task_building::make() { return std::make_shared<tasks_of_graph>(); }
void* task_building::allocate(tasks_of_graph& all, std::size_t bytes, std::size_t alignment) {
  return all.allocate(bytes, alignment);
}
task_number task_building::next(const tasks_of_graph& all) noexcept {
  return static_cast<task_number>(all.size());
}
void task_building::add(tasks_of_graph& all, task_code code, void (*end)(void*) noexcept, bool chooses) {
  all.add(code, end, chooses);
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
  all.refuse_while_running();
  all.traits(n).name = std::move(name);
}
std::string task_building::name(const tasks_of_graph& all, task_number n) { return all.name_of(n); }
std::size_t task_building::size(const tasks_of_graph& all) noexcept { return all.size(); }
std::size_t task_building::edge_count(const tasks_of_graph& all) noexcept { return all.edge_count(); }
void task_building::refuse_empty_handle() {
  fail<std::logic_error>("sennit: a handle of no task: assign the result of task_graph::add() to it first");
}
void task_building::refuse_moved_graph() {
  fail<std::logic_error>("sennit: a task_graph that was moved to another one: assign a graph to it first");
}

void task_value_state::add_reader(bool only) {
  if (readers_ > 0 && (only || only_)) {
    fail<std::logic_error>(
        "sennit: the value of the task " + graph_.text_of(task_) +
        " cannot be copied, and one of its readers takes it, so it has no other reader; let "
        "all readers have a parameter const T&");
  }
  ++readers_;
  only_ = only;
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

namespace sennit::graph {

task_graph::task_graph() : tasks_(detail::task_building::make()) {}
task_graph::task_graph(task_graph&& other) noexcept = default;
task_graph& task_graph::operator=(task_graph&& other) noexcept = default;
task_graph::~task_graph() = default;
std::size_t task_graph::size() const { return tasks().size(); }
std::size_t task_graph::edge_count() const { return tasks().edge_count(); }

}  // namespace sennit::graph
