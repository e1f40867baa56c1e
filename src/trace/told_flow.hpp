// SPDX-License-Identifier: Apache-2.0
// A task flow in a traced region, from its first task to the end of the wait: its tasks are told as nodes of a graph.
#pragma once

#include "trace/told_graph.hpp"
#include "trace/tracer.hpp"

#include <sennit/effects.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace sennit::detail {

class told_flow {
 public:
  // The calling strand submits the first task. Null: it is not traced, or there is no memory. `code`: where that is in the
  // program; `first`: the number before the first task.
  static std::unique_ptr<told_flow> begin(const void* code, std::uint64_t first) noexcept;
  told_flow(tracer& by, const traced_body& body, std::uint64_t first) noexcept;
  told_flow(const told_flow&) = delete;
  told_flow& operator=(const told_flow&) = delete;
  ~told_flow() = default;

  // By the submitting strand. `before`: numbers of tasks, some more than once. Throws std::bad_alloc.
  void note_submission(std::uint64_t task, const char* name, const std::vector<std::uint64_t>& before,
                       const effects& fx);
  // A task begins and ends, on any strand.
  traced_body* task_begins() noexcept;
  void task_ends(std::uint64_t task, traced_body* body, std::uint64_t begun_ns) noexcept;
  // By the strand that began it: the wait for the tasks, which began then, has ended.
  void end(std::uint64_t wait_begun_ns) noexcept;

 private:
  std::uint32_t number_of(std::uint64_t task) const noexcept {
    return static_cast<std::uint32_t>(task - first_);
  }

  tracer& by_;
  traced_body body_;
  const std::uint64_t first_;
  std::optional<told_graph> told_;
  std::atomic<bool> tells_;
  std::mutex lock_;
  std::unordered_map<std::uint64_t, told_node> submitted_;  // that have not ended; under lock_
};

}  // namespace sennit::detail
