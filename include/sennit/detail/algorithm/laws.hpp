// SPDX-License-Identifier: Apache-2.0
// Laws that operations must satisfy and types do not express, checked with values of the program: a value is
// an identity; an operation is associative; a fold and its combination agree.
#pragma once

#include <sennit/detail/algorithm/combine.hpp>
#include <sennit/detail/algorithm/operations.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/misuse.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <source_location>
#include <string>
#include <type_traits>

namespace sennit::detail {

// Types whose equal values are the same value. This does not hold for a class with a floating-point number,
// which may be rounded.
template <class T>
concept equal_is_same =
    std::integral<T> || std::is_enum_v<T> || std::three_way_comparable<T, std::strong_ordering>;
template <class T>
concept comparable_results = std::copy_constructible<T> && (std::floating_point<T> || equal_is_same<T>);

template <class Combine, class T>
T combined_copies(Combine& combine, const T& left, const T& right) {
  T value = left;
  combine_into(combine, value, T(right));
  return value;
}

// Whether the value may be an identity: combined with itself, an identity gives itself.
template <class T, class Combine>
bool may_be_identity([[maybe_unused]] const T& value, [[maybe_unused]] Combine& combine) {
  if constexpr (std::copy_constructible<T> && std::equality_comparable<T>) {
    // A value that is not equal to itself, a NaN, shows nothing.
    return !(value == value) || combined_copies(combine, value, value) == value;
  } else {
    return true;
  }
}

#if SENNIT_CHECKED
// `largest`: the largest magnitude among the values from which both were computed.
template <class T>
bool same_result(const T& a, const T& b, [[maybe_unused]] T largest) {
  if constexpr (std::floating_point<T>) {
    const T all = std::max({std::abs(a), std::abs(b), largest});
    return !std::isfinite(all) || std::abs(a - b) <= all * std::sqrt(std::numeric_limits<T>::epsilon());
  } else {
    return a == b;
  }
}
template <class T>
T largest_of([[maybe_unused]] std::initializer_list<T> values) {
  if constexpr (std::floating_point<T>) {
    T largest{};
    // A NaN makes the result a NaN, about which nothing can be said.
    for (const T v : values) largest = std::isnan(v) ? v : std::max(largest, std::abs(v));
    return largest;
  } else {
    return *values.begin();
  }
}

// Calls holds(i, j, k) for up to ten triples of positions i < j < k, until one call returns false. If the
// operation throws, no further triples are tried: the algorithm will meet the exception in its own order.
template <class Holds>
bool holds_for_triples(position n, const Holds& holds) {
  std::array<position, 5> at{0, 1, n / 2, n - 2, n - 1};
  std::ranges::sort(at);
#if SENNIT_EXCEPTIONS
  try {
#endif
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (std::size_t j = i + 1; j < at.size(); ++j) {
        for (std::size_t k = j + 1; k < at.size(); ++k) {
          if (at[i] < at[j] && at[j] < at[k] && !holds(at[i], at[j], at[k])) return false;
        }
      }
    }
#if SENNIT_EXCEPTIONS
  } catch (...) {
  }
#endif
  return true;
}

// Checks that (a b) c equals a (b c) for values of the sequence.
template <class T, class Sequence, class Combine>
void expect_associative(const Sequence& values, Combine& combine, const char* algorithm,
                        std::source_location where) {
  if constexpr (comparable_results<T> && !known_to_associate<Combine> &&
                !std::is_rvalue_reference_v<typename Sequence::value>) {
    if (values.size < 3) return;
    const auto value = [&](position p) { return static_cast<T>(Sequence::read(values.at(p))); };
    const bool holds = holds_for_triples(values.size, [&](position i, position j, position k) {
      const T a = value(i);
      const T b = value(j);
      const T c = value(k);
      const T ab = combined_copies(combine, a, b);
      const T bc = combined_copies(combine, b, c);
      return same_result(combined_copies(combine, ab, c), combined_copies(combine, a, bc),
                         largest_of<T>({a, b, c, ab, bc}));
    });
    if (!holds) {
      misuse(std::string(algorithm) +
                 ": the operation is not associative: for values a, b, c of this sequence, (a b) c is not a "
                 "(b c), so the result depends on who computes what. A fold from left to right, as for "
                 "std::accumulate, is parallel_fold(range, first, fold, combine), where combine makes one of "
                 "two folds' results; or give what is made of each element as a transformation, before the "
                 "operation",
             where);
    }
  }
}

// Checks that two parts give the same result if an element is folded into the right part before they are
// combined, and if it is folded into the result after they are combined.
template <class T, class Sequence, class Begin, class Fold, class Combine>
void expect_fold_agrees(const Sequence& values, const Begin& begin, Fold& fold, Combine& combine,
                        std::source_location where) {
  if constexpr (comparable_results<T> && !std::is_rvalue_reference_v<typename Sequence::value>) {
    if (values.size < 3) return;
    const auto folded = [&](T left, position p) {
      combine_into(fold, left, Sequence::read(values.at(p)));
      return left;
    };
    const bool holds = holds_for_triples(values.size, [&](position i, position j, position k) {
      const T left = folded(begin(), i);
      const T right = folded(begin(), j);
      const T both = combined_copies(combine, left, right);
      const T more = folded(right, k);
      return same_result(folded(both, k), combined_copies(combine, left, more),
                         largest_of<T>({left, right, both, more}));
    });
    if (!holds) {
      misuse("parallel_fold: the fold and the combination do not agree: to fold an element into the right of "
             "two results and then combine them gives something else than to combine them first. A result of "
             "which the order of brackets is part, such as a rolling hash, needs what the combination can "
             "put together: a hash with its length, say",
             where);
    }
  }
}
#endif

}  // namespace sennit::detail
