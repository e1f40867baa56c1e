// SPDX-License-Identifier: Apache-2.0
// The events of a trace as a forest: for each body, what is directly in it.
#pragma once

#include "program/trace_file.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sennit::sim {

// Throws std::runtime_error, which names the file, the line and the remedy.
[[noreturn]] void refuse_event(const trace& t, const trace_event& e, std::string_view what);

class trace_forest {
 public:
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  // Throws std::runtime_error, which names the file and the line, if an id is there twice, or if bodies are inside each other.
  explicit trace_forest(const trace& t);

  // With events of its own, for bodies that had not ended.
  std::size_t size() const { return events_.size(); }
  const trace_event& at(std::uint32_t e) const { return events_[e]; }
  // By time.
  std::span<const std::uint32_t> children(std::uint32_t e) const {
    return {children_.data() + begins_[e], begins_[e + 1] - begins_[e]};
  }
  // Bodies that ran within this body's time on its worker, and in no other body of that time: by time, backward. Most are in
  // constructs of the body; a child that ran at once is not, and neither is one whose parent was too brief to be told.
  std::span<const std::uint32_t> within(std::uint32_t e) const {
    return {within_.data() + within_begins_[e], within_begins_[e + 1] - within_begins_[e]};
  }
  // Those without a body around, by time.
  const std::vector<std::uint32_t>& roots() const { return roots_; }
  // Each after all that is in it.
  const std::vector<std::uint32_t>& upward() const { return upward_; }
  // nobody: there is none.
  std::uint32_t body(std::uint32_t e) const { return bodies_[e]; }
  std::uint64_t unfinished() const { return unfinished_; }

 private:
  std::uint32_t find(std::uint64_t id) const;
  void number_ids();
  std::uint32_t add_unfinished(const trace_event& child);
  void find_bodies();
  void put_in_sections();
  void list_children();
  void list_within();
  void order();

  const trace& trace_;
  std::vector<trace_event> events_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<std::uint32_t> bodies_;
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> children_;
  std::vector<std::uint32_t> within_begins_;
  std::vector<std::uint32_t> within_;
  std::vector<std::uint32_t> roots_;
  std::vector<std::uint32_t> upward_;
  std::uint64_t unfinished_ = 0;
  std::uint32_t unfinished_region_ = nobody;
};

}  // namespace sennit::sim
