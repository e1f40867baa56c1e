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

  // Promotes the outermost loop that has iterations left. Its output is c.
  std::string source() const;
  std::int64_t expected() const;
};

}  // namespace tpal
