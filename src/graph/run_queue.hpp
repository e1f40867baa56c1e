// SPDX-License-Identifier: Apache-2.0
// The runs of one task_graph, one after the other.
#pragma once

#include "region/background.hpp"
#include "region/waiting_strand.hpp"

#include <sennit/detail/action.hpp>
#include <sennit/region.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace sennit::detail {

class tasks_of_graph;
class view;

// A run that somebody asked for without waiting.
class task_request {
 public:
  task_request(std::size_t times, std::function<bool()> until) : times_(times), until_(std::move(until)) {}
  task_request(const task_request&) = delete;
  task_request& operator=(const task_request&) = delete;
  ~task_request();

  // ORD[D27] acquire: what the run did, and how it ended; pairs with the release in end().
  bool has_ended() const noexcept { return ended_.load(std::memory_order_acquire); }
  void cancel() noexcept { region_.cancel(); }
  // Precondition: the run has ended. Adds what its tasks added to reducers to the calling strand, once. Throws
  // what the run threw. Returns false if it was cancelled.
  bool outcome();

 private:
  friend class run_queue;

  void execute(tasks_of_graph& tasks) noexcept;
  void end() noexcept;
  // Whether the calling strand is in a task of the run, or in a branch of one.
  bool has_caller() const noexcept;

  const std::size_t times_;
  const std::function<bool()> until_;
  region region_;
  std::atomic<const region_state*> inside_{nullptr};  // of the tasks
  std::exception_ptr failure_;
  bool completed_ = false;
  std::atomic<view*> views_{nullptr};
  std::atomic<bool> ended_{false};
  std::vector<waiting_strand*> waiting_;  // under the queue's lock
};

// Outlives the graph for as long as a handle refers to it.
class run_queue : public std::enable_shared_from_this<run_queue> {
 public:
  explicit run_queue(tasks_of_graph& tasks) noexcept : tasks_(tasks) { prepare_background(home_); }
  run_queue(const run_queue&) = delete;
  run_queue& operator=(const run_queue&) = delete;

  // A hint for threads other than the one that builds the graph.
  bool is_running() const noexcept { return running_.load(std::memory_order_relaxed); }
  // Around a run that its caller waits for. Throws std::logic_error during another run.
  class turn {
   public:
    explicit turn(run_queue& all) : all_(all) { all_.begin(); }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() { all_.end(); }

   private:
    run_queue& all_;
  };

  // In a turn: the tasks are told from others in the caller's region, so that await() finds those that wait for a later run.
  void run_apart_from_others(action body);

  std::shared_ptr<task_request> add(std::size_t times, std::function<bool()> until);
  // Returns when the run has ended. If no worker has begun it, the calling strand runs it. Outside any runtime,
  // throws what run_region() throws. Throws std::logic_error in a task of such a run,
  // which could not end then.
  void await(task_request& r);
  void await_all();
  // Whether the run has ended. Where no other thread is there that could run it, the caller does so.
  bool ask(task_request& r);

 private:
  class server;

  void begin();
  void end() noexcept;
  void serve(const task_request* last) noexcept;
  void begin_server();
  bool try_begin_server() noexcept;
  void await_in_strand(task_request& r);

  tasks_of_graph& tasks_;
  region_state home_;                 // of the runs
  std::atomic<bool> running_{false};  // written under the lock
  std::mutex lock_;
  std::deque<std::shared_ptr<task_request>> requests_;  // under the lock; the first one may be running
  const region_state* turn_inside_ =
      nullptr;                // under the lock: of the tasks of a turn that are told from others
  server* server_ = nullptr;  // under the lock: of the requests, until it begins
};

}  // namespace sennit::detail
