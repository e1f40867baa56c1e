// SPDX-License-Identifier: Apache-2.0
#include "graph/run_queue.hpp"

#include "fork/views.hpp"
#include "graph/tasks_of_graph.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/fork/view.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/runtime.hpp>

#include <stdexcept>
#include <utility>

namespace sennit::detail {

task_request::~task_request() { end_views(views_.load(std::memory_order_relaxed)); }

void task_request::execute(tasks_of_graph& tasks) noexcept {
  tasks.async_begins();
  auto run = [&] {
    completed_ = region_.run([&] {
      // Relaxed: only a strand in this region compares it with what it is in.
      inside_.store(worker::current()->running().innermost->region, std::memory_order_relaxed);
      tasks.run_here(times_, until_ ? &until_ : nullptr, nullptr);
    });
  };
  auto keep_failure = [&] {
#if SENNIT_EXCEPTIONS
    try {
      run();
    } catch (...) {
      failure_ = std::current_exception();
    }
#else
    run();
#endif
  };
  views_.store(run_apart(keep_failure), std::memory_order_relaxed);
}

namespace {

// Whether the calling strand is in that region, or in one within it. Null: a region that nobody is in.
bool is_in(const region_state* region) noexcept {
  const region_state* r = worker::current()->running().innermost->region;
  while (r != nullptr && r != region) r = r->outer;
  return r != nullptr;
}

}  // namespace

bool task_request::has_caller() const noexcept { return is_in(inside_.load(std::memory_order_relaxed)); }

void task_request::end() noexcept {
  // ORD[D27] release: what the run did, and how it ended; pairs with the acquire in has_ended().
  ended_.store(true, std::memory_order_release);
  for (waiting_strand* const w : std::exchange(waiting_, {})) w->go_on();
}

bool task_request::outcome() {
  append_views(views_.exchange(nullptr, std::memory_order_relaxed));
#if SENNIT_EXCEPTIONS
  if (failure_) std::rethrow_exception(failure_);
#endif
  return completed_;
}

// Runs the requests on workers that have no other work.
class run_queue::server : public background {
 public:
  explicit server(std::shared_ptr<run_queue> all) noexcept : background(all->home_), all_(std::move(all)) {}

 private:
  void run() noexcept override {
    {
      const std::lock_guard guard(all_->lock_);
      all_->server_ = nullptr;
    }
    all_->serve(nullptr);
  }
  std::shared_ptr<run_queue> all_;
};

void run_queue::begin() {
  const std::lock_guard guard(lock_);
  if (running_.load(std::memory_order_relaxed)) {
    fail<std::logic_error>("sennit: this task_graph is being run already; wait for that run to end, or use "
                           "async(), whose runs come one after the other");
  }
  running_.store(true, std::memory_order_relaxed);
}

void run_queue::end() noexcept {
  {
    const std::lock_guard guard(lock_);
    if (requests_.empty()) {
      running_.store(false, std::memory_order_relaxed);
      return;
    }
    if (try_begin_server()) return;
  }
  serve(nullptr);
}

void run_queue::run_apart_from_others(action body) {
  region_state apart;
  const struct noted {
    run_queue& all;
    noted(run_queue& a, const region_state& apart) : all(a) { note(&apart); }
    ~noted() { note(nullptr); }
    noted(const noted&) = delete;
    noted& operator=(const noted&) = delete;
    void note(const region_state* apart) noexcept {
      const std::lock_guard guard(all.lock_);
      all.turn_inside_ = apart;
    }
  } tells(*this, apart);
  enter_region(apart, body);
}

// Under the lock. Returns false if there is no memory.
bool run_queue::try_begin_server() noexcept {
  return attempt<std::exception>([&] { begin_server(); });
}

// Under the lock.
void run_queue::begin_server() {
  auto made = std::make_unique<server>(shared_from_this());
  server* const begun = made.get();
  background::begin(std::move(made));
  server_ = begun;
}

std::shared_ptr<task_request> run_queue::add(std::size_t times, std::function<bool()> until) {
  auto made = std::make_shared<task_request>(times, std::move(until));
  const std::lock_guard guard(lock_);
  requests_.push_back(made);
  if (running_.load(std::memory_order_relaxed)) return made;
#if SENNIT_EXCEPTIONS
  try {
    begin_server();
  } catch (...) {
    requests_.pop_back();
    throw;
  }
#else
  begin_server();
#endif
  running_.store(true, std::memory_order_relaxed);
  return made;
}

// Runs requests in their order: all, or as far as `last`.
void run_queue::serve(const task_request* last) noexcept {
  for (;;) {
    std::shared_ptr<task_request> next;
    {
      const std::lock_guard guard(lock_);
      next = requests_.front();
    }
    next->execute(tasks_);
    const std::lock_guard guard(lock_);
    requests_.pop_front();
    const bool none_left = requests_.empty();
    if (none_left) running_.store(false, std::memory_order_relaxed);
    const bool enough = none_left || (next.get() == last && try_begin_server());
    // The graph may end from here on, if this was its last run.
    next->end();
    if (enough) return;
  }
}

void run_queue::await_in_strand(task_request& r) {
  std::unique_lock guard(lock_);
  if (r.has_ended()) return;
  if (requests_.front()->has_caller() || is_in(turn_inside_)) {
    guard.unlock();
    fail<std::logic_error>(
        "sennit: a task of a task_graph waits for a run of that graph, which cannot end before the task "
        "has ended; wait after the run, or in a task of another graph");
  }
  if (server_ != nullptr && server_->take_back()) {
    const std::unique_ptr<server> unused(std::exchange(server_, nullptr));
    guard.unlock();
    serve(&r);
    return;
  }
  waiting_strand self;
  r.waiting_.push_back(&self);
  guard.unlock();
  const helps_region helping(home_);
  self.wait();
}

void run_queue::await(task_request& r) {
  if (r.has_ended()) return;
  auto await = [&] { await_in_strand(r); };
  auto inside = [&] { run_as_one("graph", await); };
  if (in_strand()) {
    inside();
  } else {
    run_region(nullptr, inside);
  }
}

void run_queue::await_all() {
  for (;;) {
    std::shared_ptr<task_request> last;
    {
      const std::lock_guard guard(lock_);
      if (requests_.empty()) return;
      last = requests_.back();
    }
    await(*last);
  }
}

bool run_queue::ask(task_request& r) {
  if (!r.has_ended() && !in_strand() && runtime::default_runtime().workers() == 1) await(r);
  return r.has_ended();
}

}  // namespace sennit::detail
