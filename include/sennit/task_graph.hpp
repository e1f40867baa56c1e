// SPDX-License-Identifier: Apache-2.0
// task_graph: tasks of any functions, with names, values and choices, that are run any number of times.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/task_body.hpp>
#include <sennit/detail/graph/task_building.hpp>
#include <sennit/graph.hpp>
#include <sennit/limit.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sennit::graph {

class task_graph;

// A task of a task_graph. T: the type of the task's value, or void. A handle is copied freely; it refers to
// the task as long as the graph lives, also where the graph is moved.
//
// While the graph runs, all functions of a handle throw std::logic_error, but name() without an argument and
// number(). For a handle of no task, all but number() do.
template <class T = void>
class task {
 public:
  task() = default;
  // A task with a value is also a task.
  task(const task<T>&) = default;
  task& operator=(const task<T>&) = default;
  template <class U>
    requires(std::is_void_v<T> && !std::is_void_v<U>)
  task(const task<U>& other) noexcept : graph_(other.graph_), number_(other.number_) {}

  // The name in messages and traces. A task without a name has its number there.
  const task& name(std::string text) const {
    detail::task_building::set_name(graph(), number_, std::move(text));
    return *this;
  }
  std::string name() const { return detail::task_building::name(graph(), number_); }

  // This task ends before those begin; or begins after those have ended. Throws std::invalid_argument for
  // tasks of another graph, and cycle_error for the task itself.
  template <class... U>
  const task& before(const task<U>&... others) const {
    (detail::task_building::order(graph(), number_, others.graph_, others.number_), ...);
    return *this;
  }
  template <class... U>
  const task& after(const task<U>&... others) const {
    (detail::task_building::order(others.graph(), others.number_, graph_, number_), ...);
    return *this;
  }

  // The value of the task's latest run, which may be before the graph's latest one. Throws std::logic_error if
  // there is none: the task did not run, or its only reader has taken the value.
  template <class U = T>
    requires(!std::is_void_v<U>)
  const U& result() const {
    detail::task_building::refuse_while_running(graph());
    return value_->look();
  }
  // The only reader gets a copy, so that the value stays for result(), and for a reader that runs again.
  const task& keep() const
    requires(!std::is_void_v<T>)
  {
    detail::task_building::refuse_while_running(graph());
    value_->keep();
    return *this;
  }

  // Of the tasks that can go on, those of the highest priority begin first. 0 without a call. Cost: a graph
  // with priorities takes a lock for each task.
  const task& priority(int p) const {
    detail::task_building::set_priority(graph(), number_, p);
    return *this;
  }
  // The place nearest to the task's data: see graph::coloring and task_graph::color_by().
  const task& color(unsigned c) const {
    detail::task_building::set_color(graph(), number_, c);
    return *this;
  }
  // For task_graph::prioritize_longest_path(). 1 without a call. Throws std::invalid_argument for a cost below
  // zero.
  const task& cost(double c) const {
    detail::task_building::set_cost(graph(), number_, c);
    return *this;
  }
  // The task runs only while it has a permit within each of these. They outlive the graph's runs.
  template <std::same_as<limit>... Limit>
  const task& within(Limit&... limits) const {
    (detail::task_building::set_limit(graph(), number_, limits), ...);
    return *this;
  }

  // Position in the order in which the graph's tasks were made.
  std::size_t number() const noexcept { return number_; }
  explicit operator bool() const noexcept { return graph_ != nullptr; }
  template <class U>
  bool operator==(const task<U>& other) const noexcept {
    return graph_ == other.graph_ && number_ == other.number_;
  }

 private:
  template <class>
  friend class task;
  friend class task_graph;
  using value_state = typename std::conditional_t<std::is_void_v<T>, std::type_identity<void>,
                                                  std::type_identity<detail::task_value<T>>>::type;

  detail::tasks_of_graph& graph() const {
    if (graph_ == nullptr) detail::task_building::refuse_empty_handle();
    return *graph_;
  }

  detail::tasks_of_graph* graph_ = nullptr;
  value_state* value_ = nullptr;
  detail::task_number number_ = 0;
};

// A run of a task_graph that somebody has begun and not waited for. Handles are copied; they may outlive the
// graph. Functions of a handle of no run throw std::logic_error. Thread-safety: any threads may call them.
class SENNIT_EXPORT pending_run {
 public:
  pending_run() = default;

  // Returns when the run has ended: true, or false if cancel() stopped it. Throws what run() throws, each time.
  // The first wait adds what the tasks added to reducers to those of the calling strand. Throws std::logic_error in
  // a task of a run of the same graph that async() began, and in a task of a graph that such a run of another graph
  // runs: that run could not end. Precondition: no task that run() runs waits for a later run of its graph.
  bool wait() const;
  // Whether the run has ended. In a program whose default runtime has one worker, no other thread runs it: the
  // caller then does, if it runs no strand.
  bool done() const;
  // Tasks that have not begun will not begin.
  void cancel() const;
  explicit operator bool() const noexcept { return run_ != nullptr; }

 private:
  friend class task_graph;
  pending_run(std::shared_ptr<detail::run_queue> all, std::shared_ptr<detail::task_request> run) noexcept;
  detail::task_request& request() const;

  std::shared_ptr<detail::run_queue> all_;
  std::shared_ptr<detail::task_request> run_;
};

// Tasks with an order. A task is any function; it may fork, and open loops and groups.
//
// Values: add(f, a, b) makes a task that calls f with the values of the tasks a and b, which thereby come
// before it. A parameter `const T&` sees the value. A parameter `T` or `T&&` takes the value: the only reader
// of a value gets the value itself, and each of several readers gets a copy. A value that is not taken stays
// until the task runs again. Tasks without a value may be among a, b; they give no argument.
//
// Choices: choose(f) makes a task after which only some of its successors go on: f returns the position of one,
// in the order in which they were given, or a range of positions. No successor has a position out of range.
// A successor goes on at once, whatever else it waits for, and may be one that has run before. So graphs with
// choices can have loops. A successor that also reads, or comes after, a task that the choice comes after, begins
// only when it is chosen. A task that is still running must not be chosen: that ends the run with an error, where
// it happens.
//
// Thread-safety: none while the graph is built. Of the functions that change it, none may be called while it
// runs; they throw std::logic_error. Cost of a run: that of a static_graph, and an indirect call a task.
//
// Example:
//   #include <cstdio>
//   #include <string>
//
//   void measure_a_cord() {
//     sennit::graph::task_graph g;
//     auto text = g.add([] { return std::string("a braided cord"); }).name("text");
//     auto size = g.add([](const std::string& s) { return s.size(); }, text).name("size");
//     auto report = g.add([](const std::string& s, std::size_t n) { std::printf("%s: %zu\n", s.c_str(), n); },
//                         text, size);
//     g.add([] { std::puts("done"); }).after(report);
//     g.run();
//   }
//
//   // A handle that others keep.
//   sennit::graph::task<int> add_question(sennit::graph::task_graph& g) { return g.add([] { return 42; }); }
class SENNIT_EXPORT task_graph {
 public:
  task_graph();
  // A graph that was moved from can be assigned to, or destroyed. Its other functions throw std::logic_error.
  task_graph(task_graph&& other) noexcept;
  task_graph& operator=(task_graph&& other) noexcept;
  task_graph(const task_graph&) = delete;  // its tasks have values and functions of their own
  task_graph& operator=(const task_graph&) = delete;
  // Waits for runs that async() began. Precondition: no task of the graph calls it.
  ~task_graph();

  // Makes a task. f is copied or moved, and may be movable only.
  template <class F, class... T>
  auto add(F&& f, const task<T>&... from) {
    return add_with_values<F>(std::forward<F>(f), std::tuple_cat(readable(from)...), from...);
  }
  // Makes a task that chooses which of its successors go on.
  template <class F, class... T>
  task<> choose(F&& f, const task<T>&... from) {
    return add_choice<F>(std::forward<F>(f), std::tuple_cat(readable(from)...), from...);
  }

  // Makes a task that runs the other graph once. Several tasks, also of several graphs, may run the same graph: one
  // after the other. The tasks of the other graph live as long as a graph that runs it. Throws
  // std::invalid_argument if the other graph is this one or contains it.
  task<> add(task_graph& inner) {
    detail::task_building::add_graph(tasks(), inner.tasks_);
    return latest();
  }
  // No two of these tasks run at the same time.
  template <class... T>
  void exclude(const task<T>&... tasks_that_exclude_each_other) {
    limit& one = detail::task_building::own_limit(tasks());
    (tasks_that_exclude_each_other.within(one), ...);
  }
  // What colors are, and how tasks with colors are stolen. By default, NUMA nodes.
  void color_by(const coloring& c) { detail::task_building::set_coloring(tasks(), c); }
  // Gives each task the longest path from the task to an end of the graph as its priority, in place of other
  // priorities. The costs are those of cost(), or the times of a run that was traced. Choices do not count.
  void prioritize_longest_path() { detail::task_building::prioritize(tasks()); }
  void prioritize_longest_path(const trace& seen) { detail::task_building::prioritize(tasks(), seen); }

  // How many tasks there are, and how many orders between two of them.
  std::size_t size() const;
  std::size_t edge_count() const;

  // Runs all tasks, in the runtime of the calling strand, or outside any runtime in the default one. Throws
  // node_error if a task threw: what() names the task, and what it threw is nested. No further tasks begin
  // then, and the graph can be run again. Throws cycle_error<std::string> if tasks wait for one another,
  // std::logic_error if no task can begin or if the graph is already running, std::bad_alloc, and
  // sennit::cancelled in a cancelled region.
  void run();
  // The same, with a trace, in which names of tasks are keys. Cost: some 100 ns a task.
  void run(trace& seen);
  // So many times, one run after the other.
  void run_n(std::size_t times);
  // Until the function returns true. It is called before each run. Throws std::invalid_argument if it is empty.
  void run_until(const std::function<bool()>& enough);

  // Begins a run without waiting for it. Runs of one graph that are begun so come one after the other. They
  // are no part of the region of the caller. They run in the runtime of the calling strand, which must not end
  // before them, or outside any runtime in the default one. Throws std::bad_alloc and what
  // runtime::default_runtime() throws.
  pending_run async();
  pending_run async_n(std::size_t times);
  pending_run async_until(std::function<bool()> enough);  // throws std::invalid_argument if it is empty
  // Waits for all of these runs. Throws none of their exceptions, and std::logic_error as pending_run::wait() does.
  void wait();

 private:
  template <class T>
  static auto readable(const task<T>& t) {
    if constexpr (std::is_void_v<T>) {
      return std::tuple<>();
    } else {
      t.graph();
      return std::tuple<detail::task_value<T>*>(t.value_);
    }
  }

  template <class F, class... From, class... T>
  auto add_with_values(F&& f, const std::tuple<detail::task_value<From>*...>& values,
                       const task<T>&... from) {
    using function = std::decay_t<F>;
    using body = detail::task_body<function, From...>;
    if constexpr (require_task<function, From...>()) {
      using result = typename body::result;
      body& made = make<body>(std::forward<F>(f), values, &body::run, false, from...);
      task<result> handle = latest<result>();
      if constexpr (body::has_value) handle.value_ = &made.value();
      return handle;
    } else {
      return task<>();
    }
  }

  template <class F, class... From, class... T>
  task<> add_choice(F&& f, const std::tuple<detail::task_value<From>*...>& values, const task<T>&... from) {
    using function = std::decay_t<F>;
    using body = detail::task_body<function, From...>;
    if constexpr (require_task<function, From...>()) {
      if constexpr (detail::positions<typename body::result>) {
        make<body>(std::forward<F>(f), values, &body::choose, true, from...);
      } else {
        static_assert(detail::never<F>, "task_graph::choose: the function returns the position of the "
                                        "successor that goes on, an integer, or a range of integers");
      }
    }
    return latest();
  }

  template <class T = void>
  task<T> latest() const {
    task<T> handle;
    handle.graph_ = &tasks();
    handle.number_ = static_cast<detail::task_number>(size() - 1);
    return handle;
  }

  template <class F, class... From>
  static consteval bool require_task() {
    if constexpr (!detail::task_call<F, std::index_sequence_for<From...>, From...>::possible) {
      static_assert(
          detail::never<F, From...>,
          "task_graph: the function cannot be called with the values of the tasks behind it: it has "
          "one parameter for each of them that has a value, in that order, of type T, T&& or const T&");
      return false;
    } else {
      return true;
    }
  }

  template <class Body, class F, class Values, class... T>
  Body& make(F&& f, const Values& values, void (*entry)(void*, detail::chosen_successors*), bool chooses,
             const task<T>&... from) {
    using building = detail::task_building;
    // Throws for a task of another graph, before anything is added.
    ((from.graph_ == &tasks() ? void()
                              : building::order(tasks(), building::next(tasks()), from.graph_, from.number_)),
     ...);
    typename Body::call::reading readers(values, building::next(tasks()));
    void* const memory = building::allocate(tasks(), sizeof(Body), alignof(Body));
    const detail::task_number n = building::next(tasks());
    Body* const made = ::new (memory) Body(std::forward<F>(f), values, tasks(), n);
    building::add(tasks(), {entry, made}, end_of<Body>(), chooses);
    readers.keep();
    (building::order(from.graph(), from.number_, &tasks(), n), ...);
    return *made;
  }
  template <class Body>
  static constexpr auto end_of() -> void (*)(void*) noexcept {
    if constexpr (std::is_trivially_destructible_v<Body>) {
      return nullptr;
    } else {
      return [](void* body) noexcept { std::destroy_at(static_cast<Body*>(body)); };
    }
  }

  detail::tasks_of_graph& tasks() const {
    if (tasks_ == nullptr) detail::task_building::refuse_moved_graph();
    return *tasks_;
  }

  std::shared_ptr<detail::tasks_of_graph> tasks_;
};

}  // namespace sennit::graph
