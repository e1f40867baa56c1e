// SPDX-License-Identifier: Apache-2.0
// Stable merges and sorts without memory. They exchange elements, so that a comparator that throws loses none.
#pragma once

#include <sennit/detail/algorithm/guarded.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sennit::detail {

// Merges [first, middle) and [middle, last). The longer part is cut in its middle, and the other one where that element
// belongs; a rotation brings what is below to the left (Kim and Kutzner, "Stable Minimum Storage Merging by Symmetric
// Comparisons", ESA 2004, has the same idea).
template <class Engine, class It, class Less>
void in_place_merge(It first, It middle, It last, const Less& less) {
  if (first == middle || middle == last || !less(*middle, *(middle - 1))) return;
  const auto lefts = middle - first;
  const auto rights = last - middle;
  if (lefts == 1 && rights == 1) return std::ranges::iter_swap(first, middle);
  It left_cut = first;
  It right_cut = middle;
  if (lefts >= rights) {
    left_cut = first + lefts / 2;
    right_cut =
        std::ranges::partition_point(middle, last, [&](auto&& element) { return less(element, *left_cut); });
  } else {
    right_cut = middle + rights / 2;
    left_cut = std::ranges::partition_point(first, middle,
                                            [&](auto&& element) { return !less(*right_cut, element); });
  }
  const It cut = std::ranges::rotate(left_cut, middle, right_cut).begin();
  if (lefts + rights < 4096) {
    in_place_merge<Engine>(first, left_cut, cut, less);
    in_place_merge<Engine>(cut, right_cut, last, less);
    return;
  }
  Engine::join([&] { in_place_merge<Engine>(first, left_cut, cut, less); },
               [&] { in_place_merge<Engine>(cut, right_cut, last, less); });
}

// Takes about n log^2 n steps.
template <class Engine, class It, class Less>
void in_place_sort(It first, It last, const Less& less) {
  const auto n = last - first;
  if (n <= 16) return guarded_insertion_sort(first, last, less);
  const It middle = first + n / 2;
  Engine::join([&] { in_place_sort<Engine>(first, middle, less); },
               [&] { in_place_sort<Engine>(middle, last, less); });
  in_place_merge<Engine>(first, middle, last, less);
}

}  // namespace sennit::detail
