// How much data declared trees touch.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/effects.hpp>

#include <cstdint>
#include <vector>

namespace sennit::detail {

// The bytes that the first tree, of so many indices, touches at one of them, on average. 0: not known.
template <class Tree>
double bytes_of_an_index(const std::vector<Tree>& trees, std::int64_t indices) {
  if (trees.empty() || indices <= 0) return 0;
  const Tree& first = trees.front();
  const auto mean = [&] {
    return static_cast<double>(effects_access::bytes(first.effects_of(first.all))) /
           static_cast<double>(indices);
  };
#if SENNIT_EXCEPTIONS
  try {
    return mean();
  } catch (...) {
    return 0;  // it throws again when its step is looked for
  }
#else
  return mean();
#endif
}

}  // namespace sennit::detail
