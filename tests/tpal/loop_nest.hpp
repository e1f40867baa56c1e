// SPDX-License-Identifier: Apache-2.0
// Random nests of loops, as TPAL programs and as C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tpal {

// A nest of loops, outermost first. Loop k has (a * index of the loop around it + b) % c iterations; the innermost body
// appends a digit that depends on all indices to a number. To append is associative and not commutative, so that every
// iteration has to be there, once, in its place.
struct loop_nest {
  struct trip {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 1;
  };
  std::vector<trip> loops;

  static loop_nest random(std::uint64_t seed);
  // With more work: many times what is between two beats of a usual heart.
  static loop_nest large(std::uint64_t seed);

  enum class promotes { outermost, own };

  // Promotes the outermost loop that has iterations left, or the one that the beat meets. Its output is c.
  std::string source(promotes which = promotes::outermost) const;
  std::int64_t expected() const;

  // Instructions that a promotion adds at most: the handler, the fork, and the join that follows from it.
  std::uint64_t promotion_cost() const;
  // Instructions on the longest path if each loop is a balanced tree of forks, each of which costs that much.
  std::uint64_t parallel_span() const;
};

}  // namespace tpal
