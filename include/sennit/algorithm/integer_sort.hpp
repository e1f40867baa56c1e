// SPDX-License-Identifier: Apache-2.0
// parallel_integer_sort: a stable sort of elements by keys that are integers. By any order: sennit/parallel_sort.hpp.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/keyed_sort.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/shared_body.hpp>

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>

namespace sennit {
namespace detail {

// The forms of parallel_integer_sort, listed below.
template <class Engine>
struct integer_sort_calls {
  template <countable_range R, class Key = std::identity>
    requires keyed_elements<std::ranges::iterator_t<R>, Key> &&
             writable_in_parallel<std::ranges::iterator_t<R>>
  void operator()(R&& range, Key key = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_integer_sort");
    sort(sequence_of(range), key);
  }
  template <class It, class End, class Key = std::identity>
    requires iterator_bounds<It, End> && keyed_elements<It, Key> && writable_in_parallel<It>
  void operator()(It first, End last, Key key = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_integer_sort");
    sort(sequence_of(first, last), key);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_sequence<A...>();
    if constexpr (sequence.arguments != 0) {
      using It = typename decltype(sequence)::iterator;
      using Given = std::decay_t<argument<sequence.arguments, A...>>;
      using Key = std::conditional_t<std::is_void_v<Given>, std::identity, Given>;
      if constexpr (std::random_access_iterator<It> && !writable_in_parallel<It>) {
        static_assert(
            never<A...>,
            "sennit: a std::vector<bool> is not sorted in parallel, as its elements share words; count "
            "its true elements");
      } else if constexpr (!std::permutable<It>) {
        static_assert(never<A...>, "sennit: the elements to sort are constant, or cannot be moved; sort a "
                                   "std::vector of their copies, or of pointers to them");
      } else if constexpr (!keyed_elements<It, Key>) {
        static_assert(
            never<A...>,
            "sennit: the keys are no integers, enumerations, floats or doubles; give a function that makes "
            "one of an element, as in parallel_integer_sort(range, &person::age), or use parallel_sort");
      } else {
        refuse_the_rest<A...>();
      }
    }
  }

 private:
  template <class It, class Key>
  static void sort(const elements<It>& all, Key& key) {
    refuse_state<Key, std::iter_reference_t<It>>();
    if (all.size > 1) sort_by_digits<Engine>(all.first, static_cast<std::size_t>(all.size), key);
  }
};

}  // namespace detail

// Sorts elements by key(element), from the lowest to the highest. Equal elements keep their order, so the result is the
// same in every run, and in sennit::serial.
//
//   parallel_integer_sort(range, key = std::identity())        random-access, sized
//   parallel_integer_sort(first, last, key = std::identity())  two iterators, or one and a number
//
// A key is an integer, an enumeration, a float or a double; for a descending order, give ~key or -key. The two zeros of
// fractions are equal. A NaN comes behind all numbers, or before them if its sign is set.
//
// Several threads call the key function at once: a few times for each element, or once if elements are large or are
// not contiguous. Precondition: it gives the same key each time; moving an element does not throw, as an exception
// there ends the program. Throws what key throws, and sennit::cancelled in a cancelled region. After an exception the
// range has all its elements, in some order. Thread-safety: any thread may call it. Cost: a radix sort, of about 3 to 5
// moves of an element of up to 32 bytes that is copied trivially; others are moved twice, after a sort of keys and
// positions. Memory for as many elements, and for others than these 32 bytes for each. If there is no such memory,
// it sorts in place, by about n log^2 n comparisons.
//
// Example:
//   #include <cstdint>
//   #include <vector>
//
//   struct packet {
//     std::uint64_t time;
//     std::uint64_t length;
//   };
//   void by_time(std::vector<packet>& packets) { sennit::parallel_integer_sort(packets, &packet::time); }
inline constexpr detail::algorithm<detail::integer_sort_calls<detail::in_parallel>> parallel_integer_sort{};

}  // namespace sennit
