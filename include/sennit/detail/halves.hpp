// How a loop in an observed region is cut, which must not depend on time.
#pragma once

#include <cstdint>

namespace sennit::detail {

// Iterations of a leaf, where the loop does not say.
constexpr std::uint64_t observed_leaf(std::uint64_t iterations) noexcept {
  constexpr std::uint64_t leaves = 256;
  return (iterations + leaves - 1) / leaves;
}

// Where [first, last) is halved, at a whole number of leaves. Precondition: it has more than one.
constexpr std::uint64_t middle_of(std::uint64_t first, std::uint64_t last, std::uint64_t leaf) noexcept {
  return first + ((last - first + leaf) / leaf / 2) * leaf;
}

}  // namespace sennit::detail
