// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/workers.hpp"

#include "tools/tpal/diagnostics.hpp"

#include <sennit/runtime.hpp>
#include <sennit/task_group.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace tpal {
namespace {

// What all strands of a run share.
class shared {
 public:
  shared(const image& start, const settings& how)
      : code(start.code),
        heart(how.heart),
        fuel(how.fuel),
        heap(start.heap, start.are_doubles),
        tree(start.code),
        left_(how.fuel) {}

  // How many instructions the caller may execute before it asks again: 0 if there are no more, or the run is over.
  std::uint64_t draw() {
    constexpr std::uint64_t most = 4096;
    // Relaxed, all of them: nothing but the number itself is told.
    if (is_over()) return 0;
    std::uint64_t left = left_.load(std::memory_order_relaxed);
    std::uint64_t drawn = 0;
    do drawn = std::min(left, std::clamp<std::uint64_t>(left / 256, 1, most));
    while (!left_.compare_exchange_weak(left, left - drawn, std::memory_order_relaxed));
    return drawn;
  }
  void give_back(std::uint64_t drawn) { left_.fetch_add(drawn, std::memory_order_relaxed); }
  bool is_over() const { return over_.load(std::memory_order_relaxed); }

  // The first of them counts, and ends the run.
  void finish(const task& t) {
    const std::lock_guard lock(mutex_);
    if (!result_ && !error_) result_ = result{t.registers, {}, {}, t.span};
    over_.store(true, std::memory_order_relaxed);
  }
  void finish(const run_error& error) {
    const std::lock_guard lock(mutex_);
    if (!result_ && !error_) error_ = error;
    over_.store(true, std::memory_order_relaxed);
  }
  void count(const counts& more) {
    const std::lock_guard lock(mutex_);
    counts_.work += more.work;
    counts_.beats += more.beats;
    counts_.forks += more.forks;
  }

  result outcome() {
    if (error_) throw *error_;
    result_->done = counts_;
    result_->heap = cells_of(heap);
    return *std::move(result_);
  }

  const program& code;
  const std::optional<std::uint64_t> heart;
  const std::uint64_t fuel;
  memory heap;
  bookkeeping tree;

 private:
  std::atomic<std::uint64_t> left_;
  std::atomic<bool> over_{false};
  std::mutex mutex_;
  std::optional<result> result_;
  std::optional<run_error> error_;
  counts counts_;
};

// A task, from its start to its halt, its last join or the end of the run.
class strand {
 public:
  strand(shared& all, std::unique_ptr<task> t)
      : all_(all), processor_(all.code, all.heap, all.tree, all.heart), task_(std::move(t)) {}

  void run() {
    try {
      task_->open.empty() ? at_level_zero() : under_record();
    } catch (const run_error& error) {
      all_.finish(error);
    }
    give_back();
    all_.count(processor_.done());
  }

 private:
  bool goes_on() const { return task_ != nullptr && !all_.is_over(); }

  void at_level_zero() {
    while (goes_on()) {
      if (execute() == step::opened) under_record();
    }
  }

  // Until the innermost record has been left. Groups nest as a task's open records do, so that each lives in the call
  // for its record.
  void under_record() {
    sennit::task_group group;
    groups_.push_back(&group);
    const std::size_t level = groups_.size();
    while (goes_on() && task_->open.size() >= level) {
      const step s = execute();
      if (s == step::opened) under_record();
      if (s == step::forked) fork();
      if (s == step::joins) {
        give_back();
        group.wait();
        join();
      }
    }
    group.wait();
    groups_.pop_back();
  }

  void give_back() { all_.give_back(std::exchange(fuel_, 0)); }

  step execute() {
    if (fuel_ == 0) {
      fuel_ = all_.draw();
      if (fuel_ == 0) {
        if (!all_.is_over()) out_of_fuel(all_.code, *task_, all_.fuel);
        return step::next;
      }
    }
    --fuel_;
    const step s = processor_.advance(*task_);
    if (s == step::halted) all_.finish(*task_);
    return s;
  }

  void fork() {
    const auto level = std::find_if(task_->open.begin(), task_->open.end(),
                                    [this](const open_record& o) { return o.id == processor_.record(); });
    sennit::task_group& group = *groups_[static_cast<std::size_t>(level - task_->open.begin())];
    group.spawn(
        [&all = all_, child = processor_.take_child()]() mutable { strand(all, std::move(child)).run(); });
  }

  void join() {
    if (all_.is_over()) return;  // and the children may not have joined
    const position at = all_.code.blocks[task_->block].code[task_->next - 1].at;
    try {
      task_ = all_.tree.join(std::move(task_), processor_.record());
    } catch (const join_error& error) {
      throw run_error(at, error.what());
    }
  }

  shared& all_;
  processor processor_;
  std::unique_ptr<task> task_;
  std::uint64_t fuel_ = 0;
  std::vector<sennit::task_group*> groups_;  // of the task's open records
};

}  // namespace

result run_on_workers(const image& start, const settings& how, unsigned workers) {
  shared all(start, how);
  sennit::runtime runtime({.workers = workers});
  runtime.run([&] { strand(all, first_task(start)).run(); });
  return all.outcome();
}

}  // namespace tpal
