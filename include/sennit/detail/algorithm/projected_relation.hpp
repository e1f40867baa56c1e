// SPDX-License-Identifier: Apache-2.0
// A relation of two elements, such as an order or an equality, that is one of their projections.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/held.hpp>

#include <type_traits>
#include <utility>

namespace sennit::detail {

// Whether relation(left(a), right(b)). `F`, `P` and `Q` are functions, or references to functions.
template <class F, class P, class Q = P>
struct projected_relation {
  F relation;
  P left;
  Q right;

  template <class A, class B>
  SENNIT_INLINE bool operator()(A&& a, B&& b) const {
    return static_cast<bool>(detail::invoke(relation, detail::invoke(left, std::forward<A>(a)),
                                            detail::invoke(right, std::forward<B>(b))));
  }
  // Of the elements of two iterators, which may be temporary objects.
  template <class I, class J>
  SENNIT_INLINE bool at(const I& i, const J& j) const {
    return static_cast<bool>(detail::invoke(relation, detail::invoke(left, *i), detail::invoke(right, *j)));
  }
};

// One that refers to the functions. The projection of both is the same if one is given.
template <class F, class P, class Q = P>
using relation_by = projected_relation<F&, P&, Q&>;
template <class F, class P>
SENNIT_INLINE relation_by<F, P> related_by(F& relation, P& projection) {
  return {relation, projection, projection};
}
template <class F, class P, class Q>
SENNIT_INLINE relation_by<F, P, Q> related_by(F& relation, P& left, Q& right) {
  return {relation, left, right};
}

// One that a strand holds: see held.
template <class F, class P, class Q = P>
using held_relation = projected_relation<held<std::remove_reference_t<F>>, held<std::remove_reference_t<P>>,
                                         held<std::remove_reference_t<Q>>>;

}  // namespace sennit::detail
