// SPDX-License-Identifier: Apache-2.0
// parallel_mismatch, parallel_equal, parallel_lexicographical_compare and their kin: two sequences, element by element.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/first_match.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/projected_relation.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <type_traits>

namespace sennit {
namespace detail {

// Equality of values that the standard library compares by memcmp.
template <class Left, class Right, class F, class Proj, class RightProj>
concept plain_equality =
    std::same_as<std::remove_const_t<F>, std::equal_to<>> &&
    std::same_as<std::remove_const_t<Proj>, std::identity> &&
    std::same_as<std::remove_const_t<RightProj>, std::identity> &&
    std::same_as<typename Left::element, typename Right::element> &&
    std::is_scalar_v<typename Left::element> && std::contiguous_iterator<typename Left::cursor> &&
    std::contiguous_iterator<typename Right::cursor>;

// The first position below n where the elements differ; or n.
template <class Engine, class Left, class Right, class F, class Proj, class RightProj>
position first_difference(const Left& left, const Right& right, position n, F& function, Proj& proj,
                          RightProj& right_proj, const loop_options& how) {
  return first_match<Engine>(
      n,
      [&](position from, position to) {
        const auto begin = left.at(from);
        const auto end = left.at(to);
        const auto other = right.at(from);
        if constexpr (plain_equality<Left, Right, F, Proj, RightProj>) {
          if (std::equal(begin, end, other)) return to;
        }
        const auto differ = [equal = related_by(function, proj, right_proj)](const auto& i, const auto& j) {
          return !equal.at(i, j);
        };
        return from + static_cast<position>(first_in(begin, end, differ, other) - begin);
      },
      how);
}

struct finding_mismatch {
  static constexpr const char* name = "parallel_mismatch";
  static constexpr bool takes_as_many = true;
  using default_function = std::equal_to<>;
  template <class Engine, class Left, class Right, class F, class Proj, class RightProj>
  static auto run(const Left& left, const Right& right, F& function, Proj& proj, RightProj& right_proj,
                  const loop_options& how) {
    const position n = std::min(left.size, right.size);
    const position at = first_difference<Engine>(left, right, n, function, proj, right_proj, how);
    return std::ranges::in_in_result<decltype(left.at(at)), decltype(right.at(at))>{left.at(at),
                                                                                    right.at(at)};
  }
};

struct comparing_all {
  static constexpr const char* name = "parallel_equal";
  static constexpr bool takes_as_many = true;
  using default_function = std::equal_to<>;
  template <class Engine, class Left, class Right, class F, class Proj, class RightProj>
  static bool run(const Left& left, const Right& right, F& function, Proj& proj, RightProj& right_proj,
                  const loop_options& how) {
    const position n = left.size;
    return n == right.size && first_difference<Engine>(left, right, n, function, proj, right_proj, how) == n;
  }
};

template <bool from_behind>
struct comparing_part {
  static constexpr const char* name = from_behind ? "parallel_ends_with" : "parallel_starts_with";
  using default_function = std::equal_to<>;
  template <class Engine, class Left, class Right, class F, class Proj, class RightProj>
  static bool run(const Left& left, const Right& right, F& function, Proj& proj, RightProj& right_proj,
                  const loop_options& how) {
    const position n = right.size;
    if (n > left.size) return false;
    const Left part{left.at(from_behind ? left.size - n : 0), n};
    return first_difference<Engine>(part, right, n, function, proj, right_proj, how) == n;
  }
};

struct comparing_order {
  static constexpr const char* name = "parallel_lexicographical_compare";
  using default_function = std::less<>;
  template <class Engine, class Left, class Right, class F, class Proj, class RightProj>
  static bool run(const Left& left, const Right& right, F& function, Proj& proj, RightProj& right_proj,
                  const loop_options& how) {
    static_assert(
        std::predicate<F&, projected<RightProj, typename Right::value>,
                       projected<Proj, typename Left::value>>,
        "parallel_lexicographical_compare: the function has to compare an element of the second sequence "
        "with one of the first, too");
    const position n = std::min(left.size, right.size);
    const auto before = related_by(function, proj, right_proj);
    const auto after = related_by(function, right_proj, proj);
    const position at = first_in_both<Engine>(
        left, right, n, how, [&](const auto& i, const auto& j) { return before.at(i, j) || after.at(j, i); });
    return at == n ? left.size < right.size : before.at(left.at(at), right.at(at));
  }
};

template <class Engine>
using mismatch_calls = pair_forms<Engine, finding_mismatch>;
template <class Engine>
using equal_calls = pair_forms<Engine, comparing_all>;
template <class Engine>
using starts_with_calls = pair_forms<Engine, comparing_part<false>>;
template <class Engine>
using ends_with_calls = pair_forms<Engine, comparing_part<true>>;
template <class Engine>
using lexicographical_compare_calls = pair_forms<Engine, comparing_order>;

}  // namespace detail

// The first place where two sequences differ. Returns the iterators of both as std::ranges::mismatch does; where one
// sequence has ended, these are the iterators of that place.
//
//   parallel_mismatch(range, range, function = std::equal_to<>(), projection = {}, second projection = {}, how = {})
//   parallel_mismatch(first, last, first, last, function = std::equal_to<>(), ...)  iterators, or iterator and number
//   parallel_mismatch(first, last, second, function = std::equal_to<>(), ...)       as many elements from `second` on
//
// What is looked at behind the first difference, exceptions, threads and cost are as with parallel_find_if. Options may
// stand in the place of any argument that has a default.
//
// Example:
//   #include <string>
//   #include <vector>
//
//   bool same(const std::vector<std::string>& a, const std::vector<std::string>& b) { return sennit::parallel_equal(a, b); }
//   long first_difference(const std::vector<double>& a, const std::vector<double>& b) {
//     return sennit::parallel_mismatch(a, b).in1 - a.begin();
//   }
//   bool is_markup(const std::string& text) {
//     return sennit::parallel_starts_with(text, std::string("<")) && sennit::parallel_ends_with(text, std::string(">"));
//   }
//   bool comes_before(const std::vector<int>& a, const std::vector<int>& b) {
//     return sennit::parallel_lexicographical_compare(a, b);
//   }
inline constexpr detail::algorithm<detail::mismatch_calls<detail::in_parallel>> parallel_mismatch{};

// Whether both sequences have as many elements, and all of these are equal. The arguments are as in parallel_mismatch.
inline constexpr detail::algorithm<detail::equal_calls<detail::in_parallel>> parallel_equal{};

// Whether the first sequence begins, or ends, with the elements of the second one. The arguments are as in
// parallel_mismatch, but the second sequence needs its end.
inline constexpr detail::algorithm<detail::starts_with_calls<detail::in_parallel>> parallel_starts_with{};
inline constexpr detail::algorithm<detail::ends_with_calls<detail::in_parallel>> parallel_ends_with{};

// Whether the first sequence comes before the second one as words do in a dictionary: parallel_lexicographical_compare(
// range, range, less = std::less<>(), projection = {}, second projection = {}, how = {}), or four iterators. For the
// first elements that differ, less is called once more.
inline constexpr detail::algorithm<detail::lexicographical_compare_calls<detail::in_parallel>>
    parallel_lexicographical_compare{};

}  // namespace sennit
