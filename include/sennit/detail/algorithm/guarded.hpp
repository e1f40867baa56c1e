// SPDX-License-Identifier: Apache-2.0
// Sorts and selections of a few elements, or positions, that stay within their bounds whatever a comparison answers, as those of std do not.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <utility>

namespace sennit::detail {

// Equal elements keep their order. They are exchanged, so that all are there if a comparison throws.
template <class I, class Before>
void guarded_insertion_sort(I first, I last, const Before& before) {
  for (I next = first; next != last; ++next)
    std::ranges::rotate(
        std::ranges::partition_point(first, next, [&](auto&& e) { return !before(*next, e); }), next,
        next + 1);
}

// Brings what comes before a pivot, the median of three, in front of it. Returns where the pivot is.
// Precondition: there are three at least.
template <class I, class Before>
I guarded_partition(I first, I last, const Before& before) {
  const I middle = first + (last - first) / 2;
  const I end = last - 1;
  if (before(*middle, *first)) std::iter_swap(first, middle);
  if (before(*end, *middle)) {
    std::iter_swap(middle, end);
    if (before(*middle, *first)) std::iter_swap(first, middle);
  }
  std::iter_swap(middle, end);
  const auto pivot = *end;
  I at = first;
  for (I i = first; i != end; ++i) {
    const bool is_before = before(*i, pivot);
    std::iter_swap(at, i);
    at += is_before;
  }
  std::iter_swap(at, end);
  return at;
}

template <class I, class Before>
void guarded_sort(I first, I last, const Before& before, unsigned partitions) {
  while (last - first > 16) {
    if (partitions-- == 0) {
      std::make_heap(first, last, before);
      return std::sort_heap(first, last, before);
    }
    const I pivot = guarded_partition(first, last, before);
    guarded_sort(first, pivot, before, partitions);
    first = pivot + 1;
  }
  guarded_insertion_sort(first, last, before);
}
template <class I, class Before>
void guarded_sort(I first, I last, const Before& before) {
  guarded_sort(first, last, before,
               2 * static_cast<unsigned>(std::bit_width(static_cast<std::size_t>(last - first))));
}

// As std::nth_element.
template <class I, class Before>
void guarded_nth_element(I first, I nth, I last, const Before& before) {
  for (auto partitions = 2 * std::bit_width(static_cast<std::size_t>(last - first)); partitions != 0;
       --partitions) {
    if (last - first <= 16) break;
    const I pivot = guarded_partition(first, last, before);
    if (pivot == nth) return;
    if (nth < pivot) {
      last = pivot;
    } else {
      first = pivot + 1;
    }
  }
  guarded_sort(first, last, before);
}

}  // namespace sennit::detail
