// SPDX-License-Identifier: Apache-2.0
// How the runs of a task_graph begin and end.
#include "graph/run_queue.hpp"
#include "graph/task_run.hpp"
#include "graph/tasks_of_graph.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/task_graph.hpp>

#include <limits>
#include <string>
#include <utility>

namespace sennit::detail {

namespace {

struct calls_of_tasks {
  const tasks_of_graph& all;
  SENNIT_INLINE void operator()(task_number n) const { all.call(n, nullptr); }
  std::string name_of(task_number n) const { return all.name_of(n); }
};

}  // namespace

void tasks_of_graph::run_once(graph::trace* seen) {
  if (seen != nullptr || has_choices_ || has_priorities_ || has_colors_ || limited_count_ > 0) {
    run_tasks(*this, has_priorities_, has_colors_, seen);
  } else {
    order_.run(calls_of_tasks{*this});
  }
}

void tasks_of_graph::run_here(std::size_t times, const std::function<bool()>* until, graph::trace* seen,
                              const void* code) {
  sort();
  auto once = [&] { run_once(seen); };
  for (std::size_t i = 0; i < times && (until == nullptr || !(*until)()); ++i) run_graph(once, code);
}

void task_running::run(tasks_of_graph& all, std::size_t times, const std::function<bool()>* until,
                       graph::trace* seen, const void* code) {
  const run_queue::turn turn(all.runs());
  auto inside = [&] { all.run_here(times, until, seen, code); };
  if (in_strand()) {
    inside();
  } else {
    run_region(nullptr, inside);
  }
}

void task_running::await_all(tasks_of_graph& all) { all.runs().await_all(); }

}  // namespace sennit::detail

namespace sennit::graph {

namespace {

const void* code_before(const void* returns_to) noexcept { return static_cast<const char*>(returns_to) - 1; }

constexpr std::size_t without_end = std::numeric_limits<std::size_t>::max();

}  // namespace

task_graph::task_graph() : tasks_(detail::task_building::make()) {}
task_graph::task_graph(task_graph&& other) noexcept = default;
task_graph& task_graph::operator=(task_graph&& other) noexcept {
  std::swap(tasks_, other.tasks_);
  // The tasks that this graph had end now.
  const task_graph ended(std::move(other));
  return *this;
}
task_graph::~task_graph() {
  if (tasks_ != nullptr) detail::task_running::await_all(*tasks_);
}

std::size_t task_graph::size() const { return tasks().size(); }
std::size_t task_graph::edge_count() const { return tasks().edge_count(); }

void task_graph::run() {
  detail::task_running::run(tasks(), 1, nullptr, nullptr, code_before(__builtin_return_address(0)));
}
void task_graph::run(trace& seen) {
  detail::task_running::run(tasks(), 1, nullptr, &seen, code_before(__builtin_return_address(0)));
}
void task_graph::run_n(std::size_t times) {
  detail::task_running::run(tasks(), times, nullptr, nullptr, code_before(__builtin_return_address(0)));
}
namespace {

void require_end(const std::function<bool()>& enough) {
  if (!enough) {
    detail::fail<std::invalid_argument>("sennit: task_graph: the runs would never end, as the function that "
                                        "says when is empty; give one that returns "
                                        "true, or run_n() or async_n() a number");
  }
}

}  // namespace

void task_graph::run_until(const std::function<bool()>& enough) {
  require_end(enough);
  detail::task_running::run(tasks(), without_end, &enough, nullptr, code_before(__builtin_return_address(0)));
}

pending_run task_graph::async() { return async_n(1); }
pending_run task_graph::async_n(std::size_t times) {
  return {tasks().runs().shared_from_this(), tasks().runs().add(times, nullptr)};
}
pending_run task_graph::async_until(std::function<bool()> enough) {
  require_end(enough);
  return {tasks().runs().shared_from_this(), tasks().runs().add(without_end, std::move(enough))};
}
void task_graph::wait() { tasks().runs().await_all(); }

// --- A run that was begun and not waited for.

pending_run::pending_run(std::shared_ptr<detail::run_queue> all,
                         std::shared_ptr<detail::task_request> run) noexcept
    : all_(std::move(all)), run_(std::move(run)) {}

detail::task_request& pending_run::request() const {
  if (run_ == nullptr) {
    detail::fail<std::logic_error>(
        "sennit: a pending_run of no run: assign the result of task_graph::async() to it first");
  }
  return *run_;
}
bool pending_run::wait() const {
  detail::task_request& r = request();
  all_->await(r);
  return r.outcome();
}
bool pending_run::done() const {
  detail::task_request& r = request();
  return all_->ask(r);
}
void pending_run::cancel() const { request().cancel(); }

}  // namespace sennit::graph
