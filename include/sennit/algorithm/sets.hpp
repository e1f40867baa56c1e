// SPDX-License-Identifier: Apache-2.0
// parallel_set_union, parallel_set_intersection, parallel_set_difference, parallel_set_symmetric_difference,
// parallel_includes: sorted sequences as sets.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/co_rank.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/filter.hpp>
#include <sennit/detail/algorithm/first_match.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/overlap.hpp>
#include <sennit/detail/algorithm/pack_forms.hpp>
#include <sennit/detail/algorithm/packing.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/algorithm/set_elements.hpp>
#include <sennit/detail/algorithm/sorted_forms.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>
#include <sennit/region.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <vector>

namespace sennit {
namespace detail {

// The forms of the algorithms that make a sorted sequence of two, listed below.
template <class Engine, class Algorithm>
struct set_forms {
  template <countable_range R, countable_range S, class Out, class Comp = std::less<>,
            class P = std::identity, class Q = std::identity>
    requires comparable_sequences<std::ranges::iterator_t<R>, std::ranges::iterator_t<S>, Comp, P, Q> &&
             destination<Out, std::ranges::range_reference_t<R>> &&
             destination<Out, std::ranges::range_reference_t<S>>
  destination_end<Out> operator()(R&& left, S&& right, Out&& out, Comp comp = {}, P left_key = {},
                                  Q right_key = {}, const loop_options& how = {},
                                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return write(sequence_of(left), sequence_of(right), out, comp, left_key, right_key, how, where);
  }
  template <class It, class End, class Jt, class Jend, class Out, class Comp = std::less<>,
            class P = std::identity, class Q = std::identity>
    requires iterator_bounds<It, End> && iterator_bounds<Jt, Jend> &&
             comparable_sequences<It, Jt, Comp, P, Q> && destination<Out, std::iter_reference_t<It>> &&
             destination<Out, std::iter_reference_t<Jt>>
  destination_end<Out> operator()(It left, End left_end, Jt right, Jend right_end, Out&& out, Comp comp = {},
                                  P left_key = {}, Q right_key = {}, const loop_options& how = {},
                                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return write(sequence_of(left, left_end), sequence_of(right, right_end), out, comp, left_key, right_key,
                 how, where);
  }

  template <countable_range R, countable_range S, class Comp = std::less<>, class P = std::identity,
            class Q = std::identity>
    requires comparable_sequences<std::ranges::iterator_t<R>, std::ranges::iterator_t<S>, Comp, P, Q> &&
             std::constructible_from<std::ranges::range_value_t<R>, std::ranges::range_reference_t<S>>
  std::vector<std::ranges::range_value_t<R>> operator()(
      R&& left, S&& right, Comp comp = {}, P left_key = {}, Q right_key = {},
      const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return collect(sequence_of(left), sequence_of(right), comp, left_key, right_key, how);
  }
  template <class It, class End, class Jt, class Jend, class Comp = std::less<>, class P = std::identity,
            class Q = std::identity>
    requires iterator_bounds<It, End> && iterator_bounds<Jt, Jend> &&
             comparable_sequences<It, Jt, Comp, P, Q> &&
             std::constructible_from<std::iter_value_t<It>, std::iter_reference_t<Jt>>
  std::vector<std::iter_value_t<It>> operator()(
      It left, End left_end, Jt right, Jend right_end, Comp comp = {}, P left_key = {}, Q right_key = {},
      const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return collect(sequence_of(left, left_end), sequence_of(right, right_end), comp, left_key, right_key,
                   how);
  }

  template <class... A>
  static consteval void refuse() {
    refuse_sorted<behind_sorted::either, A...>();
  }

 private:
  // Calls run(work, n, options).
  template <class Left, class Right, class Out, class Comp, class P, class Q, class Run>
  static auto with(const elements<Left>& left, const elements<Right>& right, const packed_output<Out>& out,
                   Comp& given, P& given_left_key, Q& given_right_key, const loop_options& how, Run&& run) {
    auto&& comp = given_or_default<std::less<>>(given);
    auto&& left_key = given_or_default<std::identity>(given_left_key);
    auto&& right_key = given_or_default<std::identity>(given_right_key);
    refuse_state<decltype(comp), projected<P, std::iter_reference_t<Left>>,
                 projected<Q, std::iter_reference_t<Right>>>();
    refuse_state<P, std::iter_reference_t<Left>>();
    refuse_state<Q, std::iter_reference_t<Right>>();
    using order =
        order_of_two<std::remove_reference_t<decltype(comp)>, std::remove_reference_t<decltype(left_key)>,
                     std::remove_reference_t<decltype(right_key)>>;
    const position n = left.size + right.size;
    loop_options options = options_among(given, given_left_key, given_right_key, how);
    // The search for a cut takes as long as some thousand steps that the processor predicts.
    constexpr position most = has_small_elements<Left> && has_small_elements<Right> ? 1 << 16 : 1 << 11;
    if (options.grain == 0) options.grain = std::clamp<position>(n / 64, 1024, most);
    set_elements<Algorithm, Left, Right, Out, order> work(left, right, out, order(comp, left_key, right_key));
    return run(work, n, options);
  }

  template <class Left, class Right, class D, class Comp, class P, class Q>
  static auto write(const elements<Left>& left, const elements<Right>& right, D& out, Comp& comp, P& left_key,
                    Q& right_key, const loop_options& how, [[maybe_unused]] std::source_location where) {
    const auto target = packed_output_of(out, Algorithm::name);
#if SENNIT_CHECKED
    expect_apart(left, elements{target.to.first, std::min<position>(left.size, 1)}, Algorithm::name, where);
    expect_apart(right, elements{target.to.first, std::min<position>(right.size, 1)}, Algorithm::name, where);
#endif
    return with(left, right, target, comp, left_key, right_key, how,
                [&](auto& work, position n, const loop_options& options) {
                  return target.to.at(pack_all<Engine>(work, n, options));
                });
  }

  template <class Left, class Right, class Comp, class P, class Q>
  static auto collect(const elements<Left>& left, const elements<Right>& right, Comp& comp, P& left_key,
                      Q& right_key, const loop_options& how) {
    const packed_output<Left> no_output{};
    return with(left, right, no_output, comp, left_key, right_key, how,
                [](auto& work, position n, const loop_options& options) {
                  return filter<Engine, std::remove_reference_t<decltype(work)>>(work, n, options).run();
                });
  }
};

struct making_union : union_of_two {
  static constexpr const char* name = "parallel_set_union";
};
struct making_intersection : intersection_of_two {
  static constexpr const char* name = "parallel_set_intersection";
};
struct making_difference : difference_of_two {
  static constexpr const char* name = "parallel_set_difference";
};
struct making_symmetric_difference : symmetric_difference_of_two {
  static constexpr const char* name = "parallel_set_symmetric_difference";
};

template <class Engine>
using set_union_calls = set_forms<Engine, making_union>;
template <class Engine>
using set_intersection_calls = set_forms<Engine, making_intersection>;
template <class Engine>
using set_difference_calls = set_forms<Engine, making_difference>;
template <class Engine>
using set_symmetric_difference_calls = set_forms<Engine, making_symmetric_difference>;

// The form of parallel_includes, listed below.
template <class Engine>
struct includes_calls {
  template <countable_range R, countable_range S, class Comp = std::less<>, class P = std::identity,
            class Q = std::identity>
    requires comparable_sequences<std::ranges::iterator_t<R>, std::ranges::iterator_t<S>, Comp, P, Q>
  bool operator()(R&& all, S&& some, Comp comp = {}, P all_key = {}, Q some_key = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_includes");
    return includes(sequence_of(all), sequence_of(some), comp, all_key, some_key);
  }
  template <class It, class End, class Jt, class Jend, class Comp = std::less<>, class P = std::identity,
            class Q = std::identity>
    requires iterator_bounds<It, End> && iterator_bounds<Jt, Jend> && comparable_sequences<It, Jt, Comp, P, Q>
  bool operator()(
      It all, End all_end, Jt some, Jend some_end, Comp comp = {}, P all_key = {},
      Q some_key = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_includes");
    return includes(sequence_of(all, all_end), sequence_of(some, some_end), comp, all_key, some_key);
  }

  template <class... A>
  static consteval void refuse() {
    refuse_sorted<behind_sorted::comparison, A...>();
  }

 private:
  static constexpr position block = 1 << 15;

  // As std::includes, whose order cannot be that of two sequences.
  template <class It, class Jt, class Order>
  static bool block_includes(It all, It all_end, Jt some, Jt some_end, const Order& order) {
    while (some != some_end) {
      if (all == all_end || order.right_first(all, some)) return false;
      if (!order.left_first(all, some)) ++some;
      ++all;
    }
    return true;
  }

  template <class It, class Jt, class Comp, class P, class Q>
  static bool includes(const elements<It>& all, const elements<Jt>& some, Comp& comp, P& all_key,
                       Q& some_key) {
    refuse_state<Comp, std::indirect_result_t<P&, It>, std::indirect_result_t<Q&, Jt>>();
    refuse_state<P, std::iter_reference_t<It>>();
    refuse_state<Q, std::iter_reference_t<Jt>>();
    const position n = all.size + some.size;
    const order_of_two<Comp, P, Q> order(comp, all_key, some_key);
    const position blocks = n / block + (n % block != 0 ? 1 : 0);
    const auto all_included = [&] {
      return first_match<Engine>(blocks,
                                 [&](position first, position last) {
                                   const auto [from, to] = block_between_pairs(
                                       first * block, last * block, all, some, order, "parallel_includes");
                                   const bool included =
                                       block_includes(all.at(from.left), all.at(to.left), some.at(from.right),
                                                      some.at(to.right), order);
                                   return included ? last : first;
                                 },
                                 {}) == blocks;
    };
#if SENNIT_EXCEPTIONS
    try {
      return all_included();
    } catch (const cancelled&) {
      throw;
    } catch (...) {
      // Cuts are searched first. So std::includes may not have come to the comparison that has thrown.
      if (!std::ranges::includes(all.first, all.at(all.size), some.first, some.at(some.size), std::ref(comp),
                                 std::ref(all_key), std::ref(some_key)))
        return false;
      throw;
    }
#else
    return all_included();
#endif
  }
};

}  // namespace detail

// The elements of two sorted sequences as std::ranges::set_union, set_intersection, set_difference and
// set_symmetric_difference have them, sorted. Of an element that is m times on the left and n times on the right:
//
//   parallel_set_union                 all m, and then the last n - m on the right, if those are more
//   parallel_set_intersection          the first min(m, n) on the left
//   parallel_set_difference            the last m - n on the left, if those are more
//   parallel_set_symmetric_difference  the last m - n on the left, or the last n - m on the right
//
// Each of them is called as
//
//   parallel_set_union(left, right, out, comp = std::less<>(), left_key = std::identity(), right_key = ..., how = {})
//   parallel_set_union(left, left_end, right, right_end, out, comp, left_key, right_key, how)
//   parallel_set_union(left, right, comp, left_key, right_key, how)                 returns a std::vector
//   parallel_set_union(left, left_end, right, right_end, comp, left_key, right_key, how)
//
// Sequences are ranges, two iterators, or an iterator and a number. `out` is an iterator with room for the result, or a
// range, apart from both sequences. With `out` the end of the result is returned, without it a std::vector of elements of
// the left sequence's type. Options may stand in the place of any argument that has a default.
//
// Precondition: both are sorted by comp, which compares any two elements of both. Several threads call comp and the keys at
// once. Throws what they or an assignment throw: of the lowest block in which something is thrown, where comparisons come
// before assignments. Throws std::bad_alloc, before any call if there is `out`; std::invalid_argument if `out` is a range
// with fewer elements than the result, or if it is noticed that a sequence is not sorted; and sennit::cancelled in a
// cancelled region. Elements may have been written then. Thread-safety: any thread may call it. Deterministic. Cost: up to
// two comparisons for each element, and about 4 log n for a block; a block is copied while it is in the cache, by marks. The
// forms without `out` mark all blocks first, and so read the sequences twice. Memory: four bits for each element of both, at
// most, and a record for each block, of up to 65,536 elements, or of `grain`.
//
// Example:
//   #include <string>
//   #include <vector>
//
//   std::vector<std::string> in_both(const std::vector<std::string>& a, const std::vector<std::string>& b) {
//     return sennit::parallel_set_intersection(a, b);
//   }
//   std::vector<std::string> in_one_only(const std::vector<std::string>& a, const std::vector<std::string>& b) {
//     return sennit::parallel_set_symmetric_difference(a, b);
//   }
//   void add(const std::vector<int>& a, const std::vector<int>& b, std::vector<int>& all) {
//     all.resize(a.size() + b.size());
//     all.erase(sennit::parallel_set_union(a, b, all), all.end());
//   }
inline constexpr detail::algorithm<detail::set_union_calls<detail::in_parallel>> parallel_set_union{};
inline constexpr detail::algorithm<detail::set_intersection_calls<detail::in_parallel>>
    parallel_set_intersection{};
inline constexpr detail::algorithm<detail::set_difference_calls<detail::in_parallel>>
    parallel_set_difference{};
inline constexpr detail::algorithm<detail::set_symmetric_difference_calls<detail::in_parallel>>
    parallel_set_symmetric_difference{};

// Whether a sorted range has each element of another one, as often as that has it, as std::ranges::includes.
//
//   parallel_includes(all, some, comp = std::less<>(), all_key = std::identity(), some_key = ...)
//   parallel_includes(all, all_end, some, some_end, comp, all_key, some_key)
//
// Precondition: both are sorted by comp. Throws what comp or a key throws, unless an element before is missing. To know
// that, the search is then done once more in order. Throws std::invalid_argument if it is noticed that a sequence is not
// sorted, and sennit::cancelled in a cancelled region.
// Thread-safety: any thread may call it. Cost: that of std::includes; no memory.
//
// Example:
//   #include <vector>
//
//   bool knows_all(const std::vector<int>& known, const std::vector<int>& asked) {
//     return sennit::parallel_includes(known, asked);
//   }
inline constexpr detail::algorithm<detail::includes_calls<detail::in_parallel>> parallel_includes{};

}  // namespace sennit
