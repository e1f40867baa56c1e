// Where a merge of two sorted sequences is cut, so that parts of it are merges of their own.
#pragma once

#include <algorithm>
#include <cstddef>

namespace sennit::detail {

// How many of the first k elements of the merge come from `left`. Of equal elements those of `left` come first (Varman
// et al., "Merging Multiple Lists on Hierarchical-Memory Multiprocessors", 1991). `less` compares right with left.
template <class Left, class Right, class Less>
std::ptrdiff_t co_rank(std::ptrdiff_t k, Left left, std::ptrdiff_t lefts, Right right, std::ptrdiff_t rights,
                       const Less& less) {
  std::ptrdiff_t low = std::max<std::ptrdiff_t>(0, k - rights);
  std::ptrdiff_t high = std::min(k, lefts);
  while (low < high) {
    const std::ptrdiff_t middle = low + (high - low) / 2;
    if (less(right[k - middle - 1], left[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace sennit::detail
