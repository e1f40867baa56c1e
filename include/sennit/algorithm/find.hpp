// SPDX-License-Identifier: Apache-2.0
// parallel_find and its kin: the first element, or the first place, of which something holds.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/equality.hpp>
#include <sennit/detail/algorithm/first_match.hpp>
#include <sennit/detail/algorithm/first_run.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/projected_relation.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>

namespace sennit {
namespace detail {

// The position of the first element for which the predicate is `wanted`.
template <class Engine, bool wanted = true, class Sequence, class F, class Proj>
position find_first(const Sequence& sequence, F& predicate, Proj& proj, const loop_options& how) {
  if constexpr (wanted && number_among_numbers<typename Sequence::cursor, F, Proj>) {
    return first_match<Engine>(
        sequence.size,
        [&](position from, position to) {
          const auto begin = sequence.at(from);
          return from + static_cast<position>(first_equal(begin, sequence.at(to), predicate.value) - begin);
        },
        how);
  } else {
    return first_element<Engine>(sequence, sequence.size, how, [&](const auto& i) {
      return static_cast<bool>(detail::invoke(predicate, detail::invoke(proj, *i))) == wanted;
    });
  }
}

template <bool wanted>
struct finding {
  static constexpr const char* name = wanted ? "parallel_find_if" : "parallel_find_if_not";
  template <class Engine, class Sequence, class F, class Proj>
  static auto run(const Sequence& sequence, F& predicate, Proj& proj, const loop_options& how) {
    return sequence.at(find_first<Engine, wanted>(sequence, predicate, proj, how));
  }
};
// Whether there is an element for which the predicate is `wanted`; `found` says what to return if there is one.
template <bool wanted, bool found>
struct questioning {
  static constexpr const char* name = !wanted ? "parallel_all_of"
                                      : found ? "parallel_any_of"
                                              : "parallel_none_of";
  template <class Engine, class Sequence, class F, class Proj>
  static bool run(const Sequence& sequence, F& predicate, Proj& proj, const loop_options& how) {
    const bool any = find_first<Engine, wanted>(sequence, predicate, proj, how) != sequence.size;
    return any == found;
  }
};

struct containing : questioning<true, true> {
  static constexpr const char* name = "parallel_contains";
};

struct finding_neighbors {
  static constexpr const char* name = "parallel_adjacent_find";
  using default_function = std::equal_to<>;
  template <class Engine, class Sequence, class F, class Proj>
  static auto run(const Sequence& sequence, F& function, Proj& proj, const loop_options& how) {
    const auto related = [relation = related_by(function, proj)](const auto& i, const auto& next) {
      return relation.at(i, next);
    };
    const position at = first_neighbors<Engine>(sequence, how, related);
    return sequence.at(at == 0 ? sequence.size : at - 1);
  }
};

struct finding_first_of {
  static constexpr const char* name = "parallel_find_first_of";
  using default_function = std::equal_to<>;
  template <class Engine, class Left, class Right, class F, class Proj, class RightProj>
  static auto run(const Left& left, const Right& right, F& function, Proj& proj, RightProj& right_proj,
                  const loop_options& how) {
    const auto begin = right.at(0);
    const auto end = right.at(right.size);
    const auto equal = related_by(function, proj, right_proj);
    return left.at(first_element<Engine>(left, left.size, how, [&](const auto& i) {
      return first_in(begin, end, [&](const auto& j) { return equal.at(i, j); }) != end;
    }));
  }
};

// Whether the elements from `i` on agree with those of [begin, end), which is not empty. Mostly the first one does not.
template <class I, class J, class Equal>
SENNIT_INLINE bool agree_from(const I& i, const J& begin, const J& end, const Equal& equal) {
  if (!equal.at(i, begin)) [[likely]]
    return false;
  auto a = std::next(i);
  auto b = std::next(begin);
  while (b != end && equal.at(a, b)) ++a, ++b;
  return b == end;
}

struct searching {
  static constexpr const char* name = "parallel_search";
  using default_function = std::equal_to<>;
  template <class Engine, class Left, class Right, class F, class Proj, class RightProj>
  static auto run(const Left& left, const Right& right, F& function, Proj& proj, RightProj& right_proj,
                  const loop_options& how) {
    if (right.size == 0) return left.at(0);
    if (right.size > left.size) return left.at(left.size);
    const auto begin = right.at(0);
    const auto end = right.at(right.size);
    const position places = left.size - right.size + 1;
    const auto equal = related_by(function, proj, right_proj);
    const position at = first_element<Engine>(
        left, places, how, [&](const auto& i) { return agree_from(i, begin, end, equal); });
    return left.at(at == places ? left.size : at);
  }
};

// Looks at the last place first, as std::find_end does where it can.
struct searching_from_behind {
  static constexpr const char* name = "parallel_find_end";
  using default_function = std::equal_to<>;
  template <class Engine, class Left, class Right, class F, class Proj, class RightProj>
  static auto run(const Left& left, const Right& right, F& function, Proj& proj, RightProj& right_proj,
                  const loop_options& how) {
    if (right.size == 0 || right.size > left.size) return left.at(left.size);
    const auto begin = right.at(0);
    const auto end = right.at(right.size);
    const position places = left.size - right.size + 1;
    const elements behind{std::reverse_iterator(left.at(places)), places};
    const auto equal = related_by(function, proj, right_proj);
    const position at = first_element<Engine>(
        behind, places, how, [&](const auto& i) { return agree_from(i.base() - 1, begin, end, equal); });
    return left.at(at == places ? left.size : places - 1 - at);
  }
};

template <class It, class T, class F, class Proj>
concept searched_for_run =
    !option<T> && projection<Proj, std::iter_reference_t<It>> &&
    predicate_of<given_or<F, std::equal_to<>>, projected<Proj, std::iter_reference_t<It>>, const T&>;

// The forms of parallel_search_n, listed below.
template <class Engine>
struct search_n_calls {
  template <countable_range R, std::integral N, class T, class F = std::equal_to<>,
            class Proj = std::identity>
    requires searched_for_run<std::ranges::iterator_t<R>, T, F, Proj>
  std::ranges::borrowed_iterator_t<R> operator()(
      R&& range, N count, const T& value, F function = {}, Proj proj = {},
      const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_search_n");
    return search(sequence_of(range), count, value, function, proj, how);
  }
  template <class It, class End, std::integral N, class T, class F = std::equal_to<>,
            class Proj = std::identity>
    requires iterator_bounds<It, End> && searched_for_run<It, T, F, Proj>
  It operator()(
      It first, End last, N count, const T& value, F function = {}, Proj proj = {},
      const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_search_n");
    return search(sequence_of(first, last), count, value, function, proj, how);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_elements<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      using V = typename decltype(sequence)::value;
      using T = argument<n + 1, A...>;
      using F = argument<n + 2, A...>;
      if constexpr (!std::integral<plain_argument<n, A...>>) {
        static_assert(never<A...>, "sennit: there is no number of neighbors behind the elements, as in "
                                   "parallel_search_n(range, 3, value)");
      } else if constexpr (std::is_void_v<T> || option<T>) {
        static_assert(never<A...>, "sennit: there is no value behind the number of neighbors, which are "
                                   "compared with it");
      } else if constexpr (std::is_void_v<F> || option<F>) {
        static_assert(never<A...>,
                      "sennit: there is no == of an element and the value; give a function, as in "
                      "[](const auto& element, const T& value) { ... }");
      } else if constexpr (body_with_state<F, V, const T&>) {
        refuse_state<F, V, const T&>();
      } else if constexpr (predicate_of<F, V, const T&> || !std::is_void_v<argument<n + 3, A...>>) {
        refuse_projection<n + 3, V, A...>();
      } else {
        static_assert(never<A...>, "sennit: the function cannot be called with an element and the value, or "
                                   "gives no bool; give one as [](const auto& element, const T& value) { "
                                   "... }");
      }
    }
  }

 private:
  template <class It, class N, class T, class F, class Proj>
  static It search(const elements<It>& all, N count, const T& value, F& given, Proj& given_proj,
                   const loop_options& how) {
    auto&& function = given_or_default<std::equal_to<>>(given);
    auto&& proj = given_or_default<std::identity>(given_proj);
    refuse_state<Proj, std::iter_reference_t<It>>();
    if (count <= 0) return all.at(0);
    const auto n = static_cast<position>(count);
    if (n > all.size) return all.at(all.size);
    const std::identity as_is;
    const auto equal = related_by(function, proj, as_is);
    const auto holds = [equal, wanted = std::addressof(value)](const It& i) { return equal.at(i, wanted); };
    const loop_options options = options_among(given, given_proj, how);
    return all.at(first_run<Engine, It, decltype(holds)>(all, n, holds, options).find());
  }
};

template <class Engine>
using adjacent_find_calls = order_forms<Engine, finding_neighbors>;
template <class Engine>
using find_first_of_calls = pair_forms<Engine, finding_first_of>;
template <class Engine>
using search_calls = pair_forms<Engine, searching>;
template <class Engine>
using find_end_calls = pair_forms<Engine, searching_from_behind>;
template <class Engine>
using contains_calls = value_forms<Engine, containing>;
template <class Engine>
using find_calls = value_forms<Engine, finding<true>>;
template <class Engine>
using find_if_calls = predicate_forms<Engine, finding<true>>;
template <class Engine>
using find_if_not_calls = predicate_forms<Engine, finding<false>>;
template <class Engine>
using all_of_calls = predicate_forms<Engine, questioning<false, false>>;
template <class Engine>
using any_of_calls = predicate_forms<Engine, questioning<true, true>>;
template <class Engine>
using none_of_calls = predicate_forms<Engine, questioning<true, false>>;

}  // namespace detail

// The first element for which the predicate is true. Returns its iterator, or that of the end.
//
//   parallel_find_if(range, predicate, projection = {}, how = {})        random-access, sized
//   parallel_find_if(first, last, predicate, projection = {}, how = {})  two iterators, or one and a number
//
// The first one is found in every case: the result is that of std::find_if. `how` is a loop_options, such as
// grain(100), and may stand in the place of the projection. For a range that is a temporary object without
// lasting iterators, the result is std::ranges::dangling, as in std::ranges.
//
// Elements behind the first match may be looked at: at most as many as there are before it, and 64 or four chunks a
// worker; and none that a worker would begin after the match has been found, except in its chunk, which takes some
// microseconds. A search for something rare goes on in parallel parts that take about a millisecond. In a runtime with a
// single worker nothing behind the match is looked at, unless another thread waits in that runtime.
//
// Several threads call the predicate at once. Throws the exception of the first call that threw, if a serial search had
// come to that call; an exception behind the first match is dropped. Throws sennit::cancelled in a cancelled
// region. Thread-safety: any thread may call it. Cost: that of std::find_if, divided among the workers if it
// takes more than some microseconds. No memory is allocated, except for parts that other workers take.
//
// Example:
//   #include <algorithm>
//   #include <cctype>
//   #include <string>
//   #include <vector>
//
//   long first_negative(const std::vector<double>& x) {
//     return sennit::parallel_find_if(x, [](double v) { return v < 0; }) - x.begin();
//   }
//   struct user {
//     std::string name;
//     bool active;
//   };
//   bool all_active(const std::vector<user>& users) { return sennit::parallel_all_of(users, &user::active); }
//   bool knows(const std::vector<user>& users, const std::string& name) {
//     return sennit::parallel_find(users, name, &user::name) != users.end();
//   }
//   auto first_inactive(const std::vector<user>& users) { return sennit::parallel_find_if_not(users, &user::active); }
//   bool some(const std::vector<user>& users) {
//     return sennit::parallel_any_of(users, &user::active) && !sennit::parallel_none_of(users, &user::active);
//   }
//   bool is_divided(const std::vector<double>& x) {
//     return sennit::parallel_contains(x, 0.0) || sennit::parallel_adjacent_find(x) != x.end();
//   }
inline constexpr detail::algorithm<detail::find_if_calls<detail::in_parallel>> parallel_find_if{};
// The same for the first element for which the predicate is false.
inline constexpr detail::algorithm<detail::find_if_not_calls<detail::in_parallel>> parallel_find_if_not{};
// The same for the first element that is equal to a value: parallel_find(range, value), with the same arguments behind
// the value.
inline constexpr detail::algorithm<detail::find_calls<detail::in_parallel>> parallel_find{};

// The first of two neighbors that are equal, or for which a function is true: parallel_adjacent_find(range, function =
// std::equal_to<>(), projection = {}, how = {}).
inline constexpr detail::algorithm<detail::adjacent_find_calls<detail::in_parallel>> parallel_adjacent_find{};

// Searches in a first sequence for elements of a second one. All of these have the forms
//
//   parallel_search(range, range, function = std::equal_to<>(), projection = {}, second projection = {}, how = {})
//   parallel_search(first, last, first, last, function = std::equal_to<>(), ...)  iterators, or iterator and number
//
// and return an iterator of the first sequence: where the second one begins as a part of it for the first time
// (parallel_search), or for the last time (parallel_find_end); or where an element is equal to any of the second
// sequence (parallel_find_first_of). The end, if there is none. An empty sequence is found at the begin by
// parallel_search, and nowhere by the other two, as in std. parallel_find_end looks at the last place first.
// Everything else is as for parallel_find_if. Cost: that of std::search, for which each place is compared with the
// whole second sequence until an element differs; the places are divided among the workers.
//
// Example:
//   #include <string_view>
//
//   bool mentions(std::string_view text, std::string_view word) {
//     return sennit::parallel_search(text, word) != text.end();
//   }
//   long last_mention(std::string_view text, std::string_view word) {
//     return sennit::parallel_find_end(text, word) - text.begin();
//   }
//   auto first_blank(std::string_view text) { return sennit::parallel_find_first_of(text, std::string_view(" \t\n")); }
inline constexpr detail::algorithm<detail::search_calls<detail::in_parallel>> parallel_search{};
inline constexpr detail::algorithm<detail::find_end_calls<detail::in_parallel>> parallel_find_end{};
inline constexpr detail::algorithm<detail::find_first_of_calls<detail::in_parallel>> parallel_find_first_of{};

// The begin of the first `count` neighbors that are all equal to a value, or for which function(element, value) is true. The
// end, if there are none; the begin, if `count` is not above zero.
//
//   parallel_search_n(range, count, value, function = std::equal_to<>(), projection = {}, how = {})
//   parallel_search_n(first, last, count, value, function = std::equal_to<>(), ...)
//
// Everything else is as for parallel_find_if, but elements are not looked at from left to right: of `count` neighbors one is
// looked at first, and the others only where it is equal. Cost: for each element at most two calls of the function.
//
// Example:
//   #include <vector>
//
//   bool rains_for_a_week(const std::vector<double>& dry_hours) {
//     return sennit::parallel_search_n(dry_hours, 7, 0.0) != dry_hours.end();
//   }
inline constexpr detail::algorithm<detail::search_n_calls<detail::in_parallel>> parallel_search_n{};

// Whether the predicate is true for all elements, for one at least, or for none. The arguments, what is looked at,
// exceptions, threads and cost are as in parallel_find_if.
inline constexpr detail::algorithm<detail::all_of_calls<detail::in_parallel>> parallel_all_of{};
inline constexpr detail::algorithm<detail::any_of_calls<detail::in_parallel>> parallel_any_of{};
inline constexpr detail::algorithm<detail::none_of_calls<detail::in_parallel>> parallel_none_of{};
// Whether an element is equal to a value: parallel_contains(range, value, projection = {}, how = {}).
inline constexpr detail::algorithm<detail::contains_calls<detail::in_parallel>> parallel_contains{};

}  // namespace sennit
