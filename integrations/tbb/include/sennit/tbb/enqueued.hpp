// SPDX-License-Identifier: Apache-2.0
// Tasks that run although nobody waits for them: each begins on a thread that is there for such tasks.
#pragma once

#include <sennit/tbb/entering.hpp>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace tbb {
namespace on_sennit {

class enqueued_tasks {
 public:
  explicit enqueued_tasks(int most_threads) : queue_(std::make_shared<queue>(most_threads)) {}

  // Tasks begin in the order in which they come, as many at a time as there may be threads. Throws what the first thread throws
  // that cannot be begun: then there is none for the task, which does not run.
  void add(std::function<void()> task) {
    const std::lock_guard guard(queue_->lock);
    queue_->tasks.push_back(std::move(task));
    if (queue_->idle >= static_cast<int>(queue_->tasks.size())) {
      queue_->come.notify_one();
    } else if (queue_->threads < queue_->most_threads) {
      try {
        begin_thread();
      } catch (...) {
        if (queue_->threads != 0) return;
        queue_->tasks.pop_back();
        throw;
      }
    }
  }

 private:
  struct queue {
    explicit queue(int most) : most_threads(most) {}
    const int most_threads;
    std::mutex lock;  // of all below
    std::condition_variable come;
    std::deque<std::function<void()>> tasks;
    int threads = 0;
    int idle = 0;
  };

  // At exit tasks that have begun are waited for, as they use the runtimes. Those that have not begun do not run.
  class living_threads {
   public:
    static living_threads& all() {
      static living_threads of_program;
      return of_program;
    }
    ~living_threads() {
      std::unique_lock guard(lock_);
      over_ = true;
      ended_.wait(guard, [this] { return count_ == 0; });
    }
    void begin() {
      const std::lock_guard guard(lock_);
      ++count_;
    }
    void end() {
      const std::lock_guard guard(lock_);
      --count_;
      ended_.notify_all();
    }
    bool over() {
      const std::lock_guard guard(lock_);
      return over_;
    }

   private:
    // Made first, so that they end last.
    living_threads() {
      (void)default_workers();
      (void)runtimes::all();
    }
    std::mutex lock_;
    std::condition_variable ended_;
    int count_ = 0;
    bool over_ = false;
  };

  // Under the lock, so that the thread is counted before it works.
  void begin_thread() {
    living_threads::all().begin();
    try {
      std::thread([q = queue_]() mutable {
        work(*q);
        q = nullptr;
        living_threads::all().end();
      }).detach();
    } catch (...) {
      living_threads::all().end();
      throw;
    }
    ++queue_->threads;
  }
  static void work(queue& q) {
    constexpr std::chrono::milliseconds patience(50);
    std::unique_lock guard(q.lock);
    for (;;) {
      ++q.idle;
      const bool any = q.come.wait_for(guard, patience, [&] { return !q.tasks.empty(); });
      --q.idle;
      if (!any || living_threads::all().over()) break;
      std::function<void()> task = std::move(q.tasks.front());
      q.tasks.pop_front();
      guard.unlock();
      task();
      task = nullptr;
      guard.lock();
    }
    --q.threads;
  }

  const std::shared_ptr<queue> queue_;
};

}  // namespace on_sennit
}  // namespace tbb
