// SPDX-License-Identifier: Apache-2.0
// The compilers' messages for a wrong call of an algorithm: one static_assert for the first argument that
// does not fit, instead of a list of candidates and their constraints.
#pragma once

#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <tuple>
#include <type_traits>

namespace sennit {
struct deterministic_t;

namespace detail {

// The result of a refused call. It converts to any type, so that compilers give no further messages.
struct refused {
  template <class T>
  operator T() const;
};

template <class A>
concept option = std::same_as<std::remove_cvref_t<A>, loop_options> ||
                 std::same_as<std::remove_cvref_t<A>, deterministic_t> || partition<std::remove_cvref_t<A>> ||
                 loop_follower<std::remove_cvref_t<A>>;

template <class... A>
inline constexpr bool option_before_others = false;
template <class A, class B, class... More>
inline constexpr bool option_before_others<A, B, More...> = option<A> || option_before_others<B, More...>;

template <std::size_t I, class... A>
struct argument_at {
  using type = void;
};
template <std::size_t I, class... A>
  requires(I < sizeof...(A))
struct argument_at<I, A...> : std::tuple_element<I, std::tuple<A...>> {};
// void if there are fewer arguments.
template <std::size_t I, class... A>
using argument = typename argument_at<I, A...>::type;
template <std::size_t I, class... A>
using plain_argument = std::remove_cvref_t<argument<I, A...>>;

template <class T>
concept weak_iterator = std::input_or_output_iterator<T> && !std::random_access_iterator<T>;
template <class T>
concept appending_iterator =
    std::input_or_output_iterator<T> && !std::input_iterator<T> && requires { typename T::container_type; };

// The number of arguments that give the sequence, and the type of its values. None if a message has been
// given.
template <std::size_t Arguments, class Sequence = integers<int>>
struct found_sequence {
  static constexpr std::size_t arguments = Arguments;
  using value = typename Sequence::value;
  using element = typename Sequence::element;
  using iterator = typename Sequence::cursor;
};

// Says that the arguments must begin with a sequence.
template <class... A>
consteval auto require_sequence() {
  using first = plain_argument<0, A...>;
  using second = plain_argument<1, A...>;
  if constexpr (option_before_others<A...>) {
    static_assert(
        never<A...>,
        "sennit: an option, such as grain(100), stands before other arguments; options are the last "
        "argument, after the operation or body");
    return found_sequence<0>();
  } else if constexpr (std::is_void_v<first>) {
    static_assert(never<A...>,
                  "sennit: there is no argument; the first one is a range, an iterator or an integer");
    return found_sequence<0>();
  } else if constexpr (countable_range<argument<0, A...>>) {
    return found_sequence<1, elements<std::ranges::iterator_t<argument<0, A...>>>>();
  } else if constexpr (bounds<first, second>) {
    return found_sequence<2, sequence_for<first, second>>();
  } else if constexpr (std::ranges::range<argument<0, A...>>) {
    static_assert(
        never<A...>,
        "sennit: the range has no random access, or no size, so it cannot be split; give a std::vector "
        "of its elements, or of pointers to them");
    return found_sequence<0>();
  } else if constexpr (weak_iterator<first>) {
    static_assert(
        never<A...>,
        "sennit: the iterators have no random access, as those of std::list, std::set and std::map have "
        "none, so the elements cannot be split; give a std::vector of them, or of pointers to them");
    return found_sequence<0>();
  } else if constexpr (std::floating_point<first> || std::floating_point<second>) {
    static_assert(
        never<A...>,
        "sennit: a bound is a floating-point number; bounds are integers, so count the steps and compute "
        "the number from the index");
    return found_sequence<0>();
  } else if constexpr (std::random_access_iterator<first>) {
    static_assert(never<A...>, "sennit: the first argument is an iterator and the second one is not its end; "
                               "give the iterator after "
                               "the last element, or the number of elements");
    return found_sequence<0>();
  } else if constexpr (std::integral<first>) {
    static_assert(never<A...>,
                  "sennit: the first argument is an integer and the second one is not; give both bounds, "
                  "[first, last)");
    return found_sequence<0>();
  } else {
    static_assert(
        never<A...>,
        "sennit: the first argument is neither a random-access range, nor an iterator, nor an integer (an "
        "execution policy is not needed); go through one of these");
    return found_sequence<0>();
  }
}

// Says that the I-th argument is no destination of values of type V.
template <std::size_t I, class V, class... A>
consteval bool require_destination() {
  using given = argument<I, A...>;
  using plain = plain_argument<I, A...>;
  if constexpr (std::is_void_v<given>) {
    static_assert(never<A...>,
                  "sennit: there is no destination; give a range or an iterator after the input");
    return false;
  } else if constexpr (appending_iterator<plain>) {
    static_assert(
        never<A...>,
        "sennit: the destination appends, as std::back_inserter does, and elements are written in parallel; "
        "resize the container, and give it as the destination");
    return false;
  } else if constexpr (!destination_iterator<given> && !destination_range<given>) {
    static_assert(
        never<A...>,
        "sennit: the destination is neither a random-access range nor a random-access iterator; give one "
        "of a std::vector or std::span with room for the results");
    return false;
  } else if constexpr (!writable_in_parallel<typename destination_of<given>::iterator>) {
    static_assert(
        never<A...>,
        "sennit: the destination is a std::vector<bool>, whose elements share words, so that writing "
        "neighbors in parallel loses some; give a std::vector<char>");
    return false;
  } else if constexpr (!std::indirectly_writable<typename destination_of<given>::iterator, V>) {
    static_assert(
        never<A...>,
        "sennit: the results cannot be assigned to the destination's elements; it is constant, or of "
        "another type");
    return false;
  } else {
    return true;
  }
}

// Says what is wrong with arguments after those that an algorithm takes.
template <class... A>
consteval void refuse_the_rest() {
  static_assert(
      never<A...>,
      "sennit: the last arguments fit no form of this algorithm, whose header lists them; options, such as "
      "grain(100), are the last one, where it takes any");
}

}  // namespace detail
}  // namespace sennit
