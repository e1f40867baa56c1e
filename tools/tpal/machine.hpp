// SPDX-License-Identifier: Apache-2.0
// The abstract machine: a program from its first task to its halt.
#pragma once

#include "tools/tpal/bookkeeping.hpp"
#include "tools/tpal/data.hpp"
#include "tools/tpal/processor.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tpal {

struct settings {
  std::optional<std::uint64_t> heart;  // without it annotations are ignored: the serial program
  std::uint64_t seed = 0;              // of the interleaving
  std::uint64_t fuel = 1'000'000'000;  // instructions, of all tasks together
};

struct result {
  std::vector<value> registers;  // of the task that halted
  std::vector<std::int64_t> heap;
  counts done;
  std::uint64_t span = 0;  // instructions on the longest path to the halt
};

// Told of what tasks do, with the time at which an unlimited number of processors would do it: the span so far.
class observer {
 public:
  virtual ~observer() = default;
  virtual void beat(const task& t) = 0;
  virtual void forked(const task& parent, const task& child) = 0;
  // The task's own part ends; it goes on after combined(), if it was the parent then, or after left().
  virtual void joined(std::uint64_t task, std::uint64_t span) = 0;
  virtual void combined(const combination& c) = 0;
  virtual void left(const task& t) = 0;  // the record, as the last of its tasks
  virtual void halted(const task& t) = 0;
};

// One processor, which executes an instruction of a task chosen at random, again and again. The same seed gives the same
// run. Throws run_error; also when the fuel is used up.
result run(const image& start, const settings& how, observer* watcher = nullptr);

// The first task of a run.
std::unique_ptr<task> first_task(const image& start);
[[noreturn]] void out_of_fuel(const program& code, const task& t, std::uint64_t fuel);
std::vector<std::int64_t> cells_of(const memory& heap);

}  // namespace tpal
