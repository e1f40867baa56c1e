// SPDX-License-Identifier: Apache-2.0
// Where a merge of two sorted sequences is cut, so that parts of it are merges of their own.
#pragma once

#include <sennit/detail/algorithm/projected_relation.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/loop/held.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace sennit::detail {

// The first position in [low, high) for which `below` does not hold.
template <class Below>
position partition_position(position low, position high, const Below& below) {
  while (low < high) {
    const position middle = low + (high - low) / 2;
    if (below(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

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

// An element, and the key by which it is compared. Both are called anew in each comparison, as an iterator may give a
// temporary element, to which its key refers.
template <class It, class Key>
struct keyed_element {
  const It& at;
  Key& key;
};

// How elements of two sorted sequences compare, by a key of each. A copy is for a single strand.
template <class Comp, class P, class Q>
class order_of_two {
 public:
  order_of_two(Comp& comp, P& left_key, Q& right_key)
      : comp_(comp), left_key_(left_key), right_key_(right_key) {}

  template <class Left>
  SENNIT_INLINE auto left(const Left& i) const {
    auto&& key = left_key_;
    return keyed_element<Left, std::remove_reference_t<decltype(key)>>{i, key};
  }
  template <class Right>
  SENNIT_INLINE auto right(const Right& i) const {
    auto&& key = right_key_;
    return keyed_element<Right, std::remove_reference_t<decltype(key)>>{i, key};
  }
  template <class A, class B>
  SENNIT_INLINE bool less(const A& a, const B& b) const {
    auto&& comp = comp_;
    return related_by(comp, a.key, b.key).at(a.at, b.at);
  }
  template <class Left, class Right>
  SENNIT_INLINE bool left_first(const Left& l, const Right& r) const {
    return less(left(l), right(r));
  }
  template <class Left, class Right>
  SENNIT_INLINE bool right_first(const Left& l, const Right& r) const {
    return less(right(r), left(l));
  }

 private:
  held<std::remove_reference_t<Comp>> comp_;
  held<std::remove_reference_t<P>> left_key_;
  held<std::remove_reference_t<Q>> right_key_;
};

// The numbers of elements before a cut.
struct cut_of_two {
  position left;
  position right;
};

// Where two sorted sequences are cut, so that each left element is on the same side as the right one that it is a pair
// with: in a run of equal elements the first left one and the first right one are a pair, the second ones, and so on.
// Before the cut are k elements, or k - 1 so that a pair stays together. (Baxter, "Modern GPU", 2013, calls this a
// balanced path.)
template <class Left, class Right, class Order>
cut_of_two cut_between_pairs(position k, const elements<Left>& left, const elements<Right>& right,
                             const Order& order) {
  if (k == 0) return {0, 0};
  if (k >= left.size + right.size) return {left.size, right.size};
  // Of equal elements those on the left are taken first.
  const position i =
      partition_position(k - std::min(k, right.size), std::min(k, left.size), [&](position middle) {
        return !order.right_first(left.at(middle), right.at(k - middle - 1));
      });
  const position j = k - i;
  // `next` is the first element behind the cut. All of its run that lies before the cut is taken apart.
  const auto within_run = [&](const auto& next) -> cut_of_two {
    const auto left_below = [&](position at) { return order.less(order.left(left.at(at)), next); };
    const auto right_below = [&](position at) { return order.less(order.right(right.at(at)), next); };
    const auto left_not_above = [&](position at) { return !order.less(next, order.left(left.at(at))); };
    const auto right_not_above = [&](position at) { return !order.less(next, order.right(right.at(at))); };
    const position left_begin = i == 0 || left_below(i - 1) ? i : partition_position(0, i, left_below);
    const position right_begin = j == 0 || right_below(j - 1) ? j : partition_position(0, j, right_below);
    const position taken = (i - left_begin) + (j - right_begin);
    if (taken == 0) return {i, j};
    const position pairs = (taken + 1) / 2;
    const position lefts =
        partition_position(left_begin, left_begin + std::min(pairs, left.size - left_begin), left_not_above) -
        left_begin;
    const position rights =
        partition_position(right_begin, right_begin + std::min(pairs, right.size - right_begin),
                           right_not_above) -
        right_begin;
    if (lefts == pairs && rights == pairs) return {left_begin + taken / 2, right_begin + taken / 2};
    if (rights < pairs) return {left_begin + (taken - rights), right_begin + rights};
    return {left_begin + lefts, right_begin + (taken - lefts)};
  };
  const bool left_is_next =
      i != left.size && (j == right.size || !order.right_first(left.at(i), right.at(j)));
  return left_is_next ? within_run(order.left(left.at(i))) : within_run(order.right(right.at(j)));
}

// Of sequences that are not sorted, cuts may lie outside of the sequences or in another order. This is checked before
// anything is read or written between two cuts.
[[noreturn]] SENNIT_COLD inline void fail_for_order(const char* algorithm) {
  fail<std::invalid_argument>("sennit::" + std::string(algorithm) +
                              ": a sequence is not sorted by the comparison; sort both sequences by it "
                              "before the call, and compare by < instead of <=");
}

// The elements between two cuts.
struct block_of_two {
  cut_of_two begin;
  cut_of_two end;
};

// Where the elements [from, to) of both sequences are, each together with the one that it is a pair with. The block may
// begin with one more element.
template <class Left, class Right, class Order>
block_of_two block_between_pairs(position from, position to, const elements<Left>& left,
                                 const elements<Right>& right, const Order& order, const char* algorithm) {
  const cut_of_two begin = cut_between_pairs(from, left, right, order);
  const cut_of_two end = cut_between_pairs(to, left, right, order);
  const bool sorted =
      begin.left <= end.left && end.left <= left.size && begin.right <= end.right && end.right <= right.size;
  if (!sorted) fail_for_order(algorithm);
  return {begin, end};
}

}  // namespace sennit::detail
