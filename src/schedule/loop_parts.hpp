// Who ran which iterations of a region's loops, as its steal tree says.
#pragma once

#include "schedule/steal_tree.hpp"

#include <sennit/detail/config.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace sennit::detail {

// Iterations up to `last`, from where the part before ends.
struct part_of_loop {
  std::uint64_t last;
  std::uint32_t by;
};

// Goes along the constructs of a region's own strand. Loops count as if they had no grain, and what is in an
// iteration counts as that does.
class SENNIT_EXPORT loop_reader {
 public:
  explicit loop_reader(const std::vector<steal>& list) : next_(list.data()), end_(next_ + list.size()) {}

  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  // Of the next construct that is in the tree, but for waits.
  std::uint64_t at() const { return next_ == end_ ? none : next_->at; }
  std::uint64_t size() const { return next_->size; }
  // What follows a branch may be in it or behind its join.
  bool lost_at(std::uint64_t position) const { return at() == position && next_->what != steal::kind::loop; }
  void skip_waits();

  // Who ran the loop at this position, of so many iterations; goes past it. What is not in the tree the
  // strand ran itself.
  std::vector<part_of_loop> take(std::uint64_t position, std::uint64_t size);

 private:
  const steal* next_;
  const steal* end_;
  std::uint32_t by_ = 0;
};

}  // namespace sennit::detail
