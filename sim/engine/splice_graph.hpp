// SPDX-License-Identifier: Apache-2.0
// What the steps of a splice wait for: the order that their effects leave.
#pragma once

#include "program/program.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sennit::sim {

// The steps of a splice, numbered in the order in which the program has them: all of a call before those of the next call.
// What a step touches is its effects. Two steps interfere if both touch a block and one of them writes it; the later one then
// waits for the earlier one.
class splice_graph {
 public:
  // Of all nodes of a program, how many steps are in them.
  static std::vector<std::uint32_t> steps_of(const program& of);

  // `steps`: as steps_of() gives them. Throws std::invalid_argument if a call has other constructs than forks and series.
  splice_graph(const program& of, node_number splice, std::span<const std::uint32_t> steps);

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(nodes_.size()); }
  // Of the call that has most of them.
  std::uint32_t most_in_a_call() const noexcept { return most_in_a_call_; }
  node_number node_of(std::uint32_t step) const noexcept { return nodes_[step]; }
  // Of what waits for which: those that a step waits for, and those that wait for it. What follows from others is left out.
  std::span<const std::uint32_t> before(std::uint32_t step) const noexcept {
    return {before_.data() + before_begins_[step], before_.data() + before_begins_[step + 1]};
  }
  std::span<const std::uint32_t> after(std::uint32_t step) const noexcept {
    return {after_.data() + after_begins_[step], after_.data() + after_begins_[step + 1]};
  }

 private:
  void add_steps(const program& of, node_number n);
  void find_order(const program& of);

  std::uint32_t most_in_a_call_ = 0;
  std::vector<node_number> nodes_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint32_t> before_begins_;
  std::vector<std::uint32_t> after_;
  std::vector<std::uint32_t> after_begins_;
};

}  // namespace sennit::sim
