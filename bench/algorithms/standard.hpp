// SPDX-License-Identifier: Apache-2.0
// The algorithms of the standard library: the serial ones, or those with a policy.
#pragma once

#include "algorithms/cases.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace algorithms {

// GCC 12 takes policies as constants only.
template <class Policy>
inline constexpr Policy policy{};

template <class... Policy>
struct standard {
  static std::size_t find(const ints& x, int v) {
    return position(x, std::find(policy<Policy>..., x.begin(), x.end(), v));
  }
  template <class F>
  static std::size_t find_if(const ints& x, F f) {
    return position(x, std::find_if(policy<Policy>..., x.begin(), x.end(), f));
  }
  template <class F>
  static bool any_of(const ints& x, F f) {
    return std::any_of(policy<Policy>..., x.begin(), x.end(), f);
  }
  static std::size_t search(const ints& x, const ints& y) {
    return position(x, std::search(policy<Policy>..., x.begin(), x.end(), y.begin(), y.end()));
  }
  static std::size_t adjacent_find(const ints& x) {
    return position(x, std::adjacent_find(policy<Policy>..., x.begin(), x.end()));
  }
  static std::size_t mismatch(const ints& x, const ints& y) {
    return position(x, std::mismatch(policy<Policy>..., x.begin(), x.end(), y.begin(), y.end()).first);
  }
  static bool equal(const ints& x, const ints& y) {
    return std::equal(policy<Policy>..., x.begin(), x.end(), y.begin(), y.end());
  }
  static bool less(const ints& x, const ints& y) {
    return std::lexicographical_compare(policy<Policy>..., x.begin(), x.end(), y.begin(), y.end());
  }

  static std::size_t count(const ints& x, int v) {
    return static_cast<std::size_t>(std::count(policy<Policy>..., x.begin(), x.end(), v));
  }
  template <class F>
  static std::size_t count_if(const ints& x, F f) {
    return static_cast<std::size_t>(std::count_if(policy<Policy>..., x.begin(), x.end(), f));
  }
  static std::size_t min_element(const ints& x) {
    return position(x, std::min_element(policy<Policy>..., x.begin(), x.end()));
  }
  static std::pair<std::size_t, std::size_t> minmax_element(const ints& x) {
    const auto [least, greatest] = std::minmax_element(policy<Policy>..., x.begin(), x.end());
    return {position(x, least), position(x, greatest)};
  }

  template <class F>
  static std::size_t copy_if(const ints& x, ints& out, F f) {
    return position(out, std::copy_if(policy<Policy>..., x.begin(), x.end(), out.begin(), f));
  }
  template <class F>
  static std::size_t remove_if(ints& x, F f) {
    return position(x, std::remove_if(policy<Policy>..., x.begin(), x.end(), f));
  }
  static std::size_t unique(ints& x) {
    return position(x, std::unique(policy<Policy>..., x.begin(), x.end()));
  }
  template <class F>
  static std::size_t partition(ints& x, F f) {
    return position(x, std::partition(policy<Policy>..., x.begin(), x.end(), f));
  }
  template <class F>
  static std::size_t stable_partition(ints& x, F f) {
    return position(x, std::stable_partition(policy<Policy>..., x.begin(), x.end(), f));
  }
  static void reverse(ints& x) { std::reverse(policy<Policy>..., x.begin(), x.end()); }
  static void rotate(ints& x, std::size_t middle) {
    std::rotate(policy<Policy>..., x.begin(), at(x, middle), x.end());
  }
  static void swap_ranges(ints& x, ints& y) {
    std::swap_ranges(policy<Policy>..., x.begin(), x.end(), y.begin());
  }
  template <class F>
  static void generate(ints& x, F f) {
    std::generate(policy<Policy>..., x.begin(), x.end(), f);
  }
  static void replace(ints& x, int old, int value) {
    std::replace(policy<Policy>..., x.begin(), x.end(), old, value);
  }
  static void adjacent_difference(const ints& x, ints& out) {
    std::adjacent_difference(policy<Policy>..., x.begin(), x.end(), out.begin());
  }

  static long reduce(const ints& x) {
    return std::reduce(policy<Policy>..., x.begin(), x.end(), 0L, std::plus<long>());
  }
  static long dot(const ints& x, const ints& y) {
    return std::transform_reduce(policy<Policy>..., x.begin(), x.end(), y.begin(), 0L, std::plus<>(),
                                 product());
  }
  static void inclusive_scan(const ints& x, ints& out) {
    std::inclusive_scan(policy<Policy>..., x.begin(), x.end(), out.begin());
  }
  static void exclusive_scan(const ints& x, ints& out) {
    std::exclusive_scan(policy<Policy>..., x.begin(), x.end(), out.begin(), 0);
  }

  static void merge(const ints& x, const ints& y, ints& out) {
    std::merge(policy<Policy>..., x.begin(), x.end(), y.begin(), y.end(), out.begin());
  }
  static void inplace_merge(ints& x, std::size_t middle) {
    std::inplace_merge(policy<Policy>..., x.begin(), at(x, middle), x.end());
  }
  static bool includes(const ints& x, const ints& y) {
    return std::includes(policy<Policy>..., x.begin(), x.end(), y.begin(), y.end());
  }
  static std::size_t set_union(const ints& x, const ints& y, ints& out) {
    return position(out,
                    std::set_union(policy<Policy>..., x.begin(), x.end(), y.begin(), y.end(), out.begin()));
  }
  static std::size_t set_intersection(const ints& x, const ints& y, ints& out) {
    return position(
        out, std::set_intersection(policy<Policy>..., x.begin(), x.end(), y.begin(), y.end(), out.begin()));
  }
  static std::size_t set_difference(const ints& x, const ints& y, ints& out) {
    return position(
        out, std::set_difference(policy<Policy>..., x.begin(), x.end(), y.begin(), y.end(), out.begin()));
  }
  static int kth_smallest(const ints& x, std::size_t k) {
    ints copy = x;
    nth_element(copy, k);
    return copy[k];
  }
  static void nth_element(ints& x, std::size_t nth) {
    std::nth_element(policy<Policy>..., x.begin(), at(x, nth), x.end());
  }
  static void partial_sort(ints& x, std::size_t middle) {
    std::partial_sort(policy<Policy>..., x.begin(), at(x, middle), x.end());
  }

  template <class X, class Comp = std::less<>>
  static void sort(X& x, Comp comp = {}) {
    std::sort(policy<Policy>..., x.begin(), x.end(), comp);
  }
  template <class X, class Comp = std::less<>>
  static void stable_sort(X& x, Comp comp = {}) {
    std::stable_sort(policy<Policy>..., x.begin(), x.end(), comp);
  }
  static void integer_sort(words& x) { sort(x); }
  static void integer_sort(pairs& x) { stable_sort(x, by_key()); }

  static std::uint64_t squares_of_odd(const words& x) {
    return std::transform_reduce(policy<Policy>..., x.begin(), x.end(), std::uint64_t{0}, std::plus<>(),
                                 [](std::uint32_t v) { return odd()(v) ? square()(v) : 0; });
  }

 protected:
  template <class X, class It>
  static std::size_t position(const X& x, It found) {
    return static_cast<std::size_t>(typename X::const_iterator(found) - x.begin());
  }
  template <class X>
  static auto at(X& x, std::size_t i) {
    return x.begin() + static_cast<std::ptrdiff_t>(i);
  }
};

}  // namespace algorithms
