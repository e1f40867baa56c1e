// SPDX-License-Identifier: Apache-2.0
// Which role ran which iterations of a region's loops, according to its steal tree.
#pragma once

#include "schedule/steal_tree.hpp"

#include <sennit/detail/config.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace sennit::detail {

// Iterations from the end of the part before up to `last`.
struct part_of_loop {
  std::uint64_t last;
  std::uint32_t by;
};

// Which roles ran the iterations of that loop, which the first one began. Returns the role that goes on after it.
SENNIT_EXPORT std::uint32_t parts_of_loop(const steal& loop, std::uint32_t by,
                                          std::vector<part_of_loop>& parts);

// Walks the constructs of a region's own strand. A loop counts as if it had no grain. A construct in an
// iteration counts as the iteration does.
class SENNIT_EXPORT loop_reader {
 public:
  explicit loop_reader(const std::vector<steal>& list) : next_(list.data()), end_(next_ + list.size()) {}

  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  // The position of the next construct in the tree that is not a wait.
  std::uint64_t at() const { return next_ == end_ ? none : next_->at; }
  std::uint64_t size() const { return next_->size; }
  // Constructs after a taken branch may be in the branch or behind its join.
  bool lost_at(std::uint64_t position) const { return at() == position && next_->what != steal::kind::loop; }
  void skip_waits();

  // Which roles ran the loop at this position, with this number of iterations; then moves past the loop. The
  // strand itself ran the parts that are not in the tree.
  std::vector<part_of_loop> take(std::uint64_t position, std::uint64_t size);

 private:
  const steal* next_;
  const steal* end_;
  std::uint32_t by_ = 0;
};

}  // namespace sennit::detail
