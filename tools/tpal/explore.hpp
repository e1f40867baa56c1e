// SPDX-License-Identifier: Apache-2.0
// All that a small program can do: beats at every point, and tasks in every order that makes a difference.
#pragma once

#include "tools/tpal/data.hpp"
#include "tools/tpal/races.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tpal {

// A step of a run that other tasks, or the way of the task, depend on.
struct event {
  enum class kind { beat, fork, combine, wait, leave, load, store, halt };

  kind is = kind::halt;
  std::uint64_t task = 0;
  position at = {};
  std::uint64_t other =
      0;  // the task that is forked or combined with, the cell, or the block whose beat it is
};

// What is wrong with a program, with the run that shows it.
struct finding {
  std::vector<event> run;
  position at = {};
  std::string what;
  std::optional<access> other;   // of a race: the access before
  std::vector<event> other_run;  // of a second answer: the run that has the first
};

struct exploration {
  std::uint64_t runs = 0;
  std::uint64_t states = 0;  // in which there was a choice
  std::uint64_t tasks = 0;   // the most of a run
  bool is_complete = false;
  std::string answer;  // the outputs, of all runs
  std::optional<finding> found;
};

struct exploration_bounds {
  std::uint64_t runs = 1'000'000;
  std::uint64_t fuel = 100'000;  // instructions of a run
};

// Runs the program again and again. Runs differ in the choices that make a difference: at each promotion-ready point,
// whether a beat is taken, and at joins under `assoc-comm`, who comes first. All other orders of the tasks' steps give the same
// as one of these runs, unless there is a race, which is found in the first run that has it. A state that was seen before is
// not gone on with. Ends at the first finding, or with the bound of the runs. `progress` is called now and then.
exploration explore(const image& start, const exploration_bounds& bounds,
                    const std::function<void(const exploration&)>& progress = {});

// The finding, or what was explored, in lines.
std::string report(const image& start, const exploration& e);

}  // namespace tpal
