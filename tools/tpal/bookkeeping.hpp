// SPDX-License-Identifier: Apache-2.0
// The bookkeeping tree: join records, the tasks that have part in them, and join resolution. Rainey et al., 2021, 2.2.
#pragma once

#include "tools/tpal/program.hpp"
#include "tools/tpal/task.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace tpal {

// Misuse of a join record; what() says how, and the machine adds where.
class join_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A task's part in a join record: who forked it, and whom it has forked and not yet combined with.
struct member {
  member* parent = nullptr;       // null: the one that allocated the record
  std::vector<member*> children;  // in the order of the forks
  std::vector<member*> arrived;   // those of them that have ended, in that order
  std::unique_ptr<task> joined;   // the task, if it has joined: it waits for a child, or has ended
  bool ended = false;             // with all its children, and waits for its parent
};

// What came of a join, for whoever draws it.
struct combination {
  std::uint64_t parent = 0;
  std::uint64_t child = 0;
  std::uint64_t at = 0;  // the span where both had joined
};

// Each member may be called by any thread; a task is touched by one at a time.
class bookkeeping {
 public:
  explicit bookkeeping(const program& p) : program_(p) {}

  // A new record that goes on at the block when all that take part have joined. Throws join_error if that is no join
  // target.
  record_id allocate(task& t, std::size_t continuation);

  // Registers the child as forked by the parent. Throws join_error if the parent has no part in the record.
  void fork(task& parent, task& child, record_id id);

  // The task joins. Returns the task that goes on, at the combining block or at the continuation, or null if it now
  // waits for a partner. Whichever partner comes last continues as the parent. Throws join_error if the record is not
  // the task's innermost; the task is lost then.
  //
  // A parent combines with its latest child first, so that with `assoc` the values are combined in the order of the
  // serial program; with `assoc-comm`, with its children as they arrive.
  std::unique_ptr<task> join(std::unique_ptr<task> t, record_id id, combination* done = nullptr);

  // Of an open record: whether a parent combines with its children as they arrive.
  bool is_unordered(record_id id) const;
  bool is_open(record_id id) const;

  // Those that have joined and wait for a partner, in an order that the tree alone decides. Nobody else may use the tree.
  void for_each_waiting(const std::function<void(const task&)>& visit) const;
  // Appends what there is of the tree: two states in which it appends the same, and whose tasks are the same, have the same
  // future. `ready` are the tasks that do not wait.
  void describe(const std::vector<const task*>& ready, std::string& text) const;

 private:
  struct record {
    std::uint32_t generation = 0;
    bool is_open = false;
    std::size_t continuation = 0;
    std::deque<member> members;
  };

  const annotation& note(const record& r) const { return program_.blocks[r.continuation].note; }
  std::unique_ptr<task> combine(record& r, member& parent, member& child, std::unique_ptr<task> t,
                                combination* done);
  void require_innermost(const task& t, record_id id) const;

  const program& program_;
  std::mutex mutex_;
  std::deque<record> records_;
  std::vector<std::uint32_t> free_;
};

}  // namespace tpal
