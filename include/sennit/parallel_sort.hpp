// SPDX-License-Identifier: Apache-2.0
// parallel_sort, parallel_stable_sort: sorts of random-access ranges. Sorts of a part: algorithm/select.hpp; by integers:
// algorithm/integer_sort.hpp; merges: algorithm/merge.hpp.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/keyed_sort.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sample_sort.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/algorithm/text_sort.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/shared_body.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>

namespace sennit {
namespace detail {

template <class It, class Comp, class Proj, class... A>
consteval void refuse_order() {
  if constexpr (!writable_in_parallel<It>) {
    static_assert(
        never<A...>,
        "sennit: a std::vector<bool> is not sorted in parallel, as its elements share words; count its true "
        "elements");
  } else if constexpr (!std::permutable<It>) {
    static_assert(never<A...>, "sennit: the elements to sort are constant, or cannot be moved; sort a "
                               "std::vector of their copies, or of pointers to them");
  } else if constexpr (!std::indirectly_regular_unary_invocable<Proj, It>) {
    static_assert(never<A...>,
                  "sennit: the projection, after the comparator, cannot be called with an element to sort");
  } else if constexpr (std::same_as<Comp, std::less<>>) {
    static_assert(
        never<A...>,
        "sennit: the elements to sort have no order: there is no < of them; give a comparator, as in "
        "parallel_sort(range, [](const T& a, const T& b) { ... })");
  } else {
    static_assert(
        never<A...>,
        "sennit: the comparator cannot be called with two elements to sort, or gives no bool; give one as "
        "[](const T& a, const T& b) { ... }, which says whether a comes before b");
  }
}

// The forms of parallel_sort and parallel_stable_sort, listed below.
template <class Engine, bool Stable>
struct sort_calls {
  template <class It, class End, class Comp = std::less<>, class Proj = std::identity>
    requires iterator_bounds<It, End> && std::sortable<It, Comp, Proj> && writable_in_parallel<It>
  void operator()(It first, End last, Comp comp = {}, Proj proj = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Stable ? "parallel_stable_sort" : "parallel_sort");
    sort(sequence_of(first, last), comp, proj);
  }
  template <countable_range R, class Comp = std::less<>, class Proj = std::identity>
    requires std::sortable<std::ranges::iterator_t<R>, Comp, Proj> &&
             writable_in_parallel<std::ranges::iterator_t<R>>
  void operator()(R&& range, Comp comp = {}, Proj proj = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Stable ? "parallel_stable_sort" : "parallel_sort");
    sort(sequence_of(range), comp, proj);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_sequence<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n == 2 && std::integral<plain_argument<0, A...>>) {
      static_assert(never<A...>, "sennit: there are two integers where elements to sort are to be");
    } else if constexpr (n != 0) {
      if constexpr (option<argument<n, A...>> || option<argument<n + 1, A...>> ||
                    option<argument<n + 2, A...>>) {
        static_assert(
            never<A...>,
            "sennit: a sort takes no option, such as grain(100), but a comparator and a projection");
      } else {
        using Comp = std::decay_t<argument<n, A...>>;
        using Proj = std::decay_t<argument<n + 1, A...>>;
        refuse_order<typename decltype(sequence)::iterator,
                     std::conditional_t<std::is_void_v<Comp>, std::less<>, Comp>,
                     std::conditional_t<std::is_void_v<Proj>, std::identity, Proj>, A...>();
      }
    }
  }

 private:
  template <class It, class Comp, class Proj>
  static void sort(const elements<It>& all, Comp& comp, Proj& proj) {
    refuse_state<Comp, std::indirect_result_t<Proj&, It>, std::indirect_result_t<Proj&, It>>();
    refuse_state<Proj, std::iter_reference_t<It>>();
    if (all.size < 2) return;
    if constexpr (sorted_by_digits<It, Comp, Proj>) {
      constexpr bool descending = !is_less<Comp, key_of<It, Proj>>;
      sort_by_digits<Engine, It, Proj, descending>(all.first, static_cast<std::size_t>(all.size), proj);
    } else {
      const auto n = static_cast<std::size_t>(all.size);
      if constexpr (sorted_by_text<It, Comp, Proj>) {
        using texts = text_sort<Engine, It, Proj>;
        if (n > texts::few && texts(all.first, n, proj).run()) return;
      }
      sample_sort<Engine, It, Comp, Proj>(all.first, n, comp, proj).run();
    }
  }
};

// For algorithms that take an iterator into the range, behind its begin.
template <class... A>
consteval void refuse_order_around() {
  constexpr bool has_range = countable_range<argument<0, A...>>;
  constexpr auto sequence = [] {
    if constexpr (std::random_access_iterator<plain_argument<0, A...>> &&
                  std::sized_sentinel_for<plain_argument<2, A...>, plain_argument<0, A...>>) {
      return found_sequence<3, elements<plain_argument<0, A...>>>();
    } else {
      return require_elements<A...>();
    }
  }();
  constexpr std::size_t n = sequence.arguments;
  if constexpr (n != 0) {
    using It = typename decltype(sequence)::iterator;
    if constexpr (n == 2 || !std::convertible_to<argument<1, A...>, It>) {
      static_assert(
          never<A...>,
          "sennit: the argument behind the range, or behind its begin, is no iterator of its elements; "
          "give one, as in (range, range.begin() + n) or (first, first + n, last)");
    } else {
      constexpr std::size_t order = has_range ? 2 : 3;
      if constexpr (option<argument<order, A...>> || option<argument<order + 1, A...>> ||
                    option<argument<order + 2, A...>>) {
        static_assert(never<A...>,
                      "sennit: this algorithm takes no option, such as grain(100), but a comparator and a "
                      "projection");
      } else {
        using Comp = std::decay_t<argument<order, A...>>;
        using Proj = std::decay_t<argument<order + 1, A...>>;
        refuse_order<It, std::conditional_t<std::is_void_v<Comp>, std::less<>, Comp>,
                     std::conditional_t<std::is_void_v<Proj>, std::identity, Proj>, A...>();
      }
    }
  }
}

}  // namespace detail

// Sorts as std::ranges::sort does: a comes before b if comp(proj(a), proj(b)). The order of equal elements is the same in every
// run, and in sennit::serial: today the one that they had, on which a program should not rely.
//
//   parallel_sort(range, comp = std::less<>(), proj = std::identity())        random-access, sized
//   parallel_sort(first, last, comp = std::less<>(), proj = std::identity())  two iterators, or one and a number
//
// Integers, floats and doubles, or elements with a projection to these, are sorted by digits if comp is less or greater
// of namespace std or std::ranges; parallel_integer_sort says what that costs. A sort by digits has no use for calls of
// comp. Nor has one by bytes, of more than 64 elements that are a std::string or a std::string_view, or have a projection to
// one, if comp is less: it calls proj some times for each element, and takes memory for two pairs of integers more for each.
// What follows is about other orders.
//
// Several threads call comp and proj at once. Elements are moved; they are copied only if that is trivial.
// Precondition: moving an element does not throw; an exception there ends the program. Throws std::bad_alloc
// before anything has moved, what comp or proj throw, and sennit::cancelled in a cancelled region. After an
// exception the range has all its elements, in some order. Thread-safety: any thread may call it. Cost:
// memory for as many elements, and about n log n comparisons; n of them if the elements are sorted already, or in
// the opposite order, and about n log k for k different ones. A pass moves elements into some hundred buckets, which are
// then merge sorted. So large elements with cheap comparisons take up to twice the time of std::sort on one worker, as
// that leaves many in place; sort pointers to such elements, or positions.
//
// Example:
//   #include <string>
//   #include <vector>
//
//   struct person {
//     std::string name;
//     int age;
//   };
//   void by_age_from_the_oldest(std::vector<person>& people) {
//     sennit::parallel_stable_sort(people, std::ranges::greater(), &person::age);
//   }
inline constexpr detail::algorithm<detail::sort_calls<detail::in_parallel, false>> parallel_sort{};

// The same, as std::ranges::stable_sort: equal elements keep their order.
inline constexpr detail::algorithm<detail::sort_calls<detail::in_parallel, true>> parallel_stable_sort{};

}  // namespace sennit
