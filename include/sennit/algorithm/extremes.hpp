// SPDX-License-Identifier: Apache-2.0
// parallel_min_element, parallel_max_element, parallel_minmax_element, parallel_min, parallel_max.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/chosen.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/parts.hpp>
#include <sennit/detail/algorithm/projected_relation.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace sennit {
namespace detail {

template <bool greatest>
struct choosing_element {
  static constexpr const char* name = greatest ? "parallel_max_element" : "parallel_min_element";
  using default_function = std::less<>;
  template <class Engine, class Sequence, class F, class Proj>
  static auto run(const Sequence& sequence, F& function, Proj& proj, const loop_options& how) {
    if (sequence.size == 0) return sequence.at(0);
    const auto better = [less = related_by(function, proj)](const auto& left, const auto& right) {
      return greatest ? less.at(left, right) : less.at(right, left);
    };
    const choice<Sequence, decltype(better)> choose{sequence, better};
    chosen_parts<Sequence, decltype(better)> parts(sequence, choose);
    return sequence.at(value_of_parts<Engine, position>(parts, sequence.size, how));
  }
};

struct choosing_two {
  static constexpr const char* name = "parallel_minmax_element";
  using default_function = std::less<>;
  template <class Engine, class Sequence, class F, class Proj>
  static auto run(const Sequence& sequence, F& function, Proj& proj, const loop_options& how) {
    using result = std::ranges::minmax_result<typename Sequence::cursor>;
    if (sequence.size == 0) return result{sequence.at(0), sequence.at(0)};
    const auto less = [less = related_by(function, proj)](const auto& i, const auto& j) {
      return less.at(i, j);
    };
    const choice_of_two<Sequence, decltype(less)> choose{sequence, less};
    chosen_pairs<Sequence, decltype(less)> parts(sequence, choose);
    const auto found = value_of_parts<Engine, two_positions>(parts, sequence.size, how);
    return result{sequence.at(found.least), sequence.at(found.greatest)};
  }
};

[[noreturn]] SENNIT_COLD inline void fail_for_want_of_elements(const char* algorithm) {
  fail<std::invalid_argument>("sennit::" + std::string(algorithm) +
                              ": there are no elements, so there is no value to return; call " + algorithm +
                              "_element, which returns the end, or see that there are elements");
}

template <bool greatest>
struct choosing_value {
  static constexpr const char* name = greatest ? "parallel_max" : "parallel_min";
  using default_function = std::less<>;
  template <class Engine, class Sequence, class F, class Proj>
  static auto run(const Sequence& sequence, F& function, Proj& proj, const loop_options& how) {
    using T = typename Sequence::element;
    if (sequence.size == 0) fail_for_want_of_elements(name);
    const auto choose = [less = related_by(function, proj)](T& left, auto&& right) {
      if (greatest ? less(left, right) : less(right, left)) left = std::forward<decltype(right)>(right);
    };
    const std::identity as_is;
    reduced_parts<Sequence, T, const std::identity, decltype(choose)> parts(sequence, as_is, choose);
    return value_of_parts<Engine, T>(parts, sequence.size, how);
  }
};

template <class Engine>
using min_element_calls = order_forms<Engine, choosing_element<false>>;
template <class Engine>
using max_element_calls = order_forms<Engine, choosing_element<true>>;
template <class Engine>
using minmax_element_calls = order_forms<Engine, choosing_two>;
template <class Engine>
using min_calls = order_forms<Engine, choosing_value<false>>;
template <class Engine>
using max_calls = order_forms<Engine, choosing_value<true>>;

}  // namespace detail

// The first of the least elements. Returns its iterator, or that of the end if there are no elements.
//
//   parallel_min_element(range, less = std::less<>(), projection = {}, how = {})        random-access, sized
//   parallel_min_element(first, last, less = std::less<>(), projection = {}, how = {})  two iterators, or one and a
//                                                                                       number
//
// `how` is a loop_options, such as grain(100), and may stand in the place of any argument that has a default. For a range
// that is a temporary object without lasting iterators, the result is std::ranges::dangling, as in std::ranges. Several
// threads call the functions at once. Throws what the lowest comparison threw inside one strand's part; else what
// comparing the results of parts threw; and sennit::cancelled in a cancelled region. Thread-safety: any thread may call
// it. Cost: as parallel_reduce. Elements are neither copied nor moved.
//
// Example:
//   #include <string>
//   #include <vector>
//
//   struct city {
//     std::string name;
//     long people;
//   };
//   const city& largest(const std::vector<city>& cities) {
//     return *sennit::parallel_max_element(cities, {}, &city::people);
//   }
//   double least(const std::vector<double>& x) { return sennit::parallel_min(x); }
//   double range_of(const std::vector<double>& x) { return sennit::parallel_max(x) - *sennit::parallel_min_element(x); }
//   auto smallest_and_largest(const std::vector<double>& x) { return sennit::parallel_minmax_element(x); }
inline constexpr detail::algorithm<detail::min_element_calls<detail::in_parallel>> parallel_min_element{};
// The first of the greatest elements.
inline constexpr detail::algorithm<detail::max_element_calls<detail::in_parallel>> parallel_max_element{};
// The first of the least and the last of the greatest elements, as the members `min` and `max`. Cost: three comparisons for
// two elements.
inline constexpr detail::algorithm<detail::minmax_element_calls<detail::in_parallel>>
    parallel_minmax_element{};

// A copy of the first of the least, or of the greatest, elements. The arguments are as in parallel_min_element. Throws
// std::invalid_argument if there are no elements. For numbers the inner loop is one that compilers vectorize.
inline constexpr detail::algorithm<detail::min_calls<detail::in_parallel>> parallel_min{};
inline constexpr detail::algorithm<detail::max_calls<detail::in_parallel>> parallel_max{};

}  // namespace sennit
