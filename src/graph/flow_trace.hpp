// SPDX-License-Identifier: Apache-2.0
// What a task flow notes for its trace, if it has one.
#pragma once

#include <sennit/detail/graph/tracing.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sennit::detail {

// The tasks from one wait to the next.
class flow_trace {
 public:
  explicit flow_trace(graph::trace& to) noexcept : to_(to) {}

  void begin(std::uint64_t first) {
    clear_trace(to_);
    first_ = first;
    begun_ = trace_now_ns();
    names_.clear();
    before_.clear();
    ends_.clear();
  }
  // The submitting strand notes tasks in order; those between, which could not be submitted, do not run. `before`: the numbers of
  // earlier tasks, some more than once.
  void note_submission(std::uint64_t task, const char* name, const std::vector<std::uint64_t>& before) {
    const node_number node = node_of(task);
    names_.resize(node + std::size_t{1});
    names_[node] = name;
    ends_.resize(node, before_.size());
    for (const std::uint64_t number : before) {
      if (number > first_) before_.push_back(node_of(number));
    }
    ends_.push_back(before_.size());
  }
  // Of the task that the calling strand runs.
  node_note begin_task(std::uint64_t number) const noexcept {
    return {node_of(number), trace_worker(), 0, trace_now_ns() - begun_, 0};
  }
  void end_task(node_note note, std::vector<node_note>& notes) const {
    note.end = trace_now_ns() - begun_;
    notes.push_back(note);
  }
  void fill(std::vector<node_note> notes) const {
    trace_filler filler(to_, std::move(notes), trace_now_ns() - begun_);
    for (std::size_t i = 0; i < filler.size(); ++i) {
      const node_number n = filler.number(i);
      std::string text = std::to_string(n);
      if (names_[n] != nullptr) text += std::string(" ") + names_[n];
      filler.set_key(i, std::move(text));
      if (!filler.wants_predecessors()) continue;
      for (std::size_t at = n == 0 ? 0 : ends_[n - 1]; at < ends_[n]; ++at)
        filler.add_predecessor(i, before_[at]);
    }
    filler.finish();
  }
  void clear() const noexcept { clear_trace(to_); }

 private:
  node_number node_of(std::uint64_t number) const noexcept {
    return static_cast<node_number>(number - first_ - 1);
  }

  graph::trace& to_;
  std::uint64_t first_ = 0;
  std::uint64_t begun_ = 0;
  std::vector<const char*> names_;
  std::vector<node_number> before_;
  std::vector<std::size_t> ends_;  // in before_, for each task
};

}  // namespace sennit::detail
