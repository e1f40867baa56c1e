// SPDX-License-Identifier: Apache-2.0
// A task's call stack, with its promotion-ready marks: Rainey et al., 2021, 2.3.
#pragma once

#include "tools/tpal/value.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <vector>

namespace tpal {

// Misuse of a stack; what() says how, and the machine adds where.
class stack_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Cells are counted from the newest one, mem[sp + 0]. A marked cell holds the mark and nothing else; the marks are a list
// from the oldest to the newest, in the order of their cells. All members throw stack_error.
class stack {
 public:
  static constexpr std::size_t most_cells = std::size_t{1} << 24U;

  bool exists() const { return exists_; }
  // The cells, oldest first.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const value& v : cells_) visit(v);
  }

  // A new and empty one in place of what was there. No task has a stack before.
  void renew();
  void allocate(std::int64_t count);
  void free(std::int64_t count);

  const value& load(std::int64_t offset) const;
  void store(std::int64_t offset, value v);

  // The cell becomes the newest mark. It must be newer than all marked ones.
  void push_mark(std::int64_t offset);
  // The cell must be the newest mark.
  void pop_mark(std::int64_t offset);
  bool has_marks() const;
  // Takes the oldest mark off, and returns its cell's offset. The cell then holds 0.
  std::int64_t split_mark();

 private:
  void require() const;
  std::size_t index(std::int64_t offset) const;

  bool exists_ = false;
  std::vector<value> cells_;
  std::deque<std::size_t> marks_;
};

}  // namespace tpal
