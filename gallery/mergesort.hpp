// SPDX-License-Identifier: Apache-2.0
// A stable merge sort with a parallel merge, for the gallery and the benchmarks. P has
//   join(f, g)   f() and g(), at once if it likes
// and, where a grain is set by hand, small(n) that says whether P::serial sorts or merges so many elements.
// Both recursions end at the size below which any merge sort changes the method: insertion needs fewer comparisons than
// merging there. It is no grain size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace gallery {

constexpr std::size_t small_run = 32;

template <class T>
void insertion_sort(std::span<T> all) {
  for (auto next = all.begin(); next != all.end(); ++next) {
    std::rotate(std::upper_bound(all.begin(), next, *next), next, next + 1);
  }
}

// Merges two runs into `out`; of equal elements, those on the left come first. The longer run is cut in the middle, the
// other one where the middle element belongs.
template <class P, class T>
[[gnu::noinline]] void merge_runs(std::span<T> left, std::span<T> right, std::span<T> out) {
  if (out.size() <= small_run) {
    std::merge(left.begin(), left.end(), right.begin(), right.end(), out.begin());
    return;
  }
  if constexpr (requires { P::small(out.size()); }) {
    if (P::small(out.size())) return merge_runs<typename P::serial, T>(left, right, out);
  }
  std::size_t i = left.size() / 2;
  std::size_t j = right.size() / 2;
  if (left.size() >= right.size()) {
    j = static_cast<std::size_t>(std::lower_bound(right.begin(), right.end(), left[i]) - right.begin());
  } else {
    i = static_cast<std::size_t>(std::upper_bound(left.begin(), left.end(), right[j]) - left.begin());
  }
  P::join([=] { merge_runs<P, T>(left.first(i), right.first(j), out.first(i + j)); },
          [=] { merge_runs<P, T>(left.subspan(i), right.subspan(j), out.subspan(i + j)); });
}

// Sorts `all`, in place or into `other`, which is as large; what is left in the one not asked for is of no use.
template <class P, class T>
[[gnu::noinline]] void merge_sort(std::span<T> all, std::span<T> other, bool in_place) {
  if (all.size() <= small_run) {
    insertion_sort(all);
    if (!in_place) std::copy(all.begin(), all.end(), other.begin());
    return;
  }
  if constexpr (requires { P::small(all.size()); }) {
    if (P::small(all.size())) return merge_sort<typename P::serial, T>(all, other, in_place);
  }
  const std::size_t middle = all.size() / 2;
  P::join([=] { merge_sort<P, T>(all.first(middle), other.first(middle), !in_place); },
          [=] { merge_sort<P, T>(all.subspan(middle), other.subspan(middle), !in_place); });
  const std::span<T> from = in_place ? other : all;
  merge_runs<P, T>(from.first(middle), from.subspan(middle), in_place ? all : other);
}

}  // namespace gallery
