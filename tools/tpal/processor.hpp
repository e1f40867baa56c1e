// SPDX-License-Identifier: Apache-2.0
// Executes the instructions of tasks, one at a time: the transitions of Rainey et al., 2021, 2.2.
#pragma once

#include "tools/tpal/bookkeeping.hpp"
#include "tools/tpal/memory.hpp"
#include "tools/tpal/program.hpp"
#include "tools/tpal/task.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace tpal {

// What tasks have done.
struct counts {
  std::uint64_t work = 0;   // instructions
  std::uint64_t beats = 0;  // times that a handler was entered
  std::uint64_t forks = 0;  // tasks created, which are promotions
};

enum class step { next, opened, forked, joins, halted };

// Of one strand; several may share a program, a heap and a bookkeeping tree.
class processor {
 public:
  // `heart`: the threshold that a task's cycle counter must exceed; without it no handler is ever entered.
  processor(const program& code, memory& heap, bookkeeping& tree, std::optional<std::uint64_t> heart)
      : code_(code), heap_(heap), tree_(tree), heart_(heart) {}

  // Executes the task's next instruction. After `forked`, take_child() has the new task, which has no id yet, and record()
  // what it was forked under; after `joins`, the task is to join record(). Throws run_error.
  step advance(task& t);

  std::unique_ptr<task> take_child() { return std::move(child_); }
  record_id record() const { return record_; }
  const counts& done() const { return counts_; }
  // The cell of the heap that a load or a store of the task touches.
  std::size_t cell(const task& t, const instruction& i) const;

 private:
  step execute(task& t, const instruction& i);
  void enter(task& t, std::size_t block);

  value read(const task& t, const operand& v) const;
  std::int64_t number(const task& t, const operand& v) const;
  std::size_t label(const task& t, const operand& v) const;
  record_id record(const task& t, const operand& v) const;
  double floating(const task& t, const operand& v) const;
  std::int64_t to_int(const task& t, const operand& v) const;
  void store(const task& t, const instruction& i);
  value compute_checked(const task& t, const instruction& i) const;
  value call(const task& t, const instruction& i) const;

  const program& code_;
  memory& heap_;
  bookkeeping& tree_;
  const std::optional<std::uint64_t> heart_;
  counts counts_;
  std::unique_ptr<task> child_;
  record_id record_;
};

}  // namespace tpal
