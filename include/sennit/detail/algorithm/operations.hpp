// SPDX-License-Identifier: Apache-2.0
// What is known about operations that combine values: whether they are associative, and their identities.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <limits>
#include <type_traits>

namespace sennit::detail {

template <class T>
concept numeric = std::numeric_limits<T>::is_specialized;

// An operation of the standard library.
template <class F>
struct standard_operation {
  static constexpr bool known = false;
};
struct associative_operation {
  static constexpr bool known = true;
  static constexpr bool associative = true;
};
struct other_operation {
  static constexpr bool known = true;
  static constexpr bool associative = false;
};

template <class X>
struct standard_operation<std::plus<X>> : associative_operation {
  template <std::default_initializable T>
  static constexpr T identity() {
    return T();
  }
};
template <class X>
struct standard_operation<std::multiplies<X>> : associative_operation {
  template <numeric T>
  static constexpr T identity() {
    return T(1);
  }
};
template <class X>
struct standard_operation<std::bit_and<X>> : associative_operation {
  template <std::integral T>
  static constexpr T identity() {
    return static_cast<T>(~T());
  }
};
template <class X>
struct standard_operation<std::bit_or<X>> : associative_operation {
  template <std::integral T>
  static constexpr T identity() {
    return T();
  }
};
template <class X>
struct standard_operation<std::bit_xor<X>> : standard_operation<std::bit_or<X>> {};
template <class X>
struct standard_operation<std::logical_and<X>> : associative_operation {
  template <std::integral T>
  static constexpr T identity() {
    return T(true);
  }
};
template <class X>
struct standard_operation<std::logical_or<X>> : standard_operation<std::bit_or<X>> {};
template <>
struct standard_operation<std::remove_cv_t<decltype(std::ranges::max)>> : associative_operation {
  template <numeric T>
  static constexpr T identity() {
    using limits = std::numeric_limits<T>;
    return limits::has_infinity ? T(-limits::infinity()) : limits::lowest();
  }
};
template <>
struct standard_operation<std::remove_cv_t<decltype(std::ranges::min)>> : associative_operation {
  template <numeric T>
  static constexpr T identity() {
    using limits = std::numeric_limits<T>;
    return limits::has_infinity ? limits::infinity() : limits::max();
  }
};

template <class X>
struct standard_operation<std::minus<X>> : other_operation {};
template <class X>
struct standard_operation<std::divides<X>> : other_operation {};
template <class X>
struct standard_operation<std::modulus<X>> : other_operation {};
template <class X>
struct standard_operation<std::less<X>> : other_operation {};
template <class X>
struct standard_operation<std::less_equal<X>> : other_operation {};
template <class X>
struct standard_operation<std::greater<X>> : other_operation {};
template <class X>
struct standard_operation<std::greater_equal<X>> : other_operation {};
template <>
struct standard_operation<std::ranges::less> : other_operation {};
template <>
struct standard_operation<std::ranges::greater> : other_operation {};

template <class F>
using operation_traits = standard_operation<std::remove_cvref_t<F>>;

// An operation that is not associative for any type.
template <class F>
concept never_associates = operation_traits<F>::known && !operation_traits<F>::associative;
template <class F>
concept known_to_associate = operation_traits<F>::known && operation_traits<F>::associative;

// An operation can state its identity: T identity() const.
template <class F, class T>
concept says_identity = requires(const F& operation) {
  { operation.identity() } -> std::convertible_to<T>;
};
template <class F, class T>
concept knows_identity = says_identity<F, T> || requires { operation_traits<F>::template identity<T>(); };

template <class T, class F>
  requires knows_identity<F, T>
constexpr T identity_of([[maybe_unused]] const F& operation) {
  if constexpr (says_identity<F, T>) {
    return operation.identity();
  } else {
    return operation_traits<F>::template identity<T>();
  }
}

}  // namespace sennit::detail
