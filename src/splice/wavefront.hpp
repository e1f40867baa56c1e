// SPDX-License-Identifier: Apache-2.0
// Walks declared trees together, each from its first part to its last, as a front through all trees. It
// stores almost nothing about the parts behind and ahead of the front. docs/protocols/splices.md has the
// rules.
#pragma once

#include "splice/bytes_in_use.hpp"
#include "splice/earliest_failure.hpp"
#include "splice/early_stop.hpp"
#include "splice/front.hpp"

#include <sennit/detail/splice/forest.hpp>
#include <sennit/detail/splice/log.hpp>
#include <sennit/splice.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::detail {

class wavefront {
 public:
  // For the trees first ... first + count - 1 of the forest.
  wavefront(const forest& trees, std::uint32_t first, std::uint32_t count);
  wavefront(const wavefront&) = delete;
  wavefront& operator=(const wavefront&) = delete;

  // Why a wavefront is not suitable; none if it is. Hulls must show all dependences, which holds if all regions
  // are contiguous. No tree may begin with data with which others end, and no tree may be independent of the
  // others. Call it before run().
  splice_reason unsuitable();
  // Call it once. Throws the exception of the first tree that throws. log: may be null.
  void run(splice_log* log, unsigned workers, splice_report& report);

 private:
  class lane_walk;
  // A part of a tree.
  struct node : front_node {
    bool is_step = false;
    part_room part;

    node() noexcept {}
    std::uint64_t place() const noexcept { return key; }
  };

  // What a lane has of a tree.
  struct line : front_line<node> {
    std::vector<node> skipped;  // they wait for work before the lane; in order
    hulls before;  // of what may still be done of the tree before this lane, and of skipped nodes
    bool begun = false;

    const hulls& step() const noexcept { return todo.back().own; }
    const node* ends_with() const noexcept { return todo.size() > 1 ? &todo.front() : nullptr; }
    void push(const node& n);
  };

  // Neighboring parts of all trees, walked by one worker at a time.
  struct lane {
    std::uint64_t first;
    std::uint64_t last;
    bool is_first;  // nothing comes before it
    std::vector<line> lines;
    splice_report report{};
    std::ptrdiff_t bytes_in_use = 0;

    std::ptrdiff_t bytes() const noexcept;
  };

  void run(lane& s, splice_log* log, int cuts);
  void fork(lane& s, splice_log* log, int cuts);
  lane part_of(const lane& s, std::uint64_t first, std::uint64_t last) const;
  void split(lane& s, std::uint64_t at, lane& left, lane& right);
  void append(lane& to, lane& s);
  void drop_void(std::uint32_t tree, line& l);
  void walk(lane& s, splice_log* log);
  bool halve(std::uint32_t tree, node& n, node& second) const;
  hulls hulls_of(std::uint32_t tree, const part_room& part) const {
    return hulls(trees_.effects_of(trees_.trees, first_ + tree, part));
  }

  const forest& trees_;
  const std::uint32_t first_;
  const std::uint32_t count_;
  lane all_;
  earliest_failure failure_;  // a place is the key of a node
  early_stop stop_;
  bytes_in_use bytes_;
};

}  // namespace sennit::detail
