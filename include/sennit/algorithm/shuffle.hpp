// SPDX-License-Identifier: Apache-2.0
// parallel_shuffle, parallel_random_permutation: random orders that depend on a seed alone.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/pack_forms.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/algorithm/shuffling.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <vector>

namespace sennit {
namespace detail {

template <class It>
concept shuffled_in_parallel = std::permutable<It> && writable_in_parallel<It>;

// The forms of parallel_shuffle, listed below.
template <class Engine>
struct shuffle_calls {
  template <countable_range R>
    requires shuffled_in_parallel<std::ranges::iterator_t<R>>
  void operator()(R&& range, std::uint64_t seed SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_shuffle");
    run(sequence_of(range), seed);
  }
  template <class It, class End>
    requires iterator_bounds<It, End> && shuffled_in_parallel<It>
  void operator()(It first, End last, std::uint64_t seed SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_shuffle");
    run(sequence_of(first, last), seed);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_elements<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      if constexpr (!std::convertible_to<argument<n, A...>, std::uint64_t>) {
        static_assert(never<A...>,
                      "parallel_shuffle: there is no seed, which is an integer and comes last; the same "
                      "seed gives the same order");
      } else if constexpr (require_movable<typename decltype(sequence)::iterator>()) {
        refuse_the_rest<A...>();
      }
    }
  }

 private:
  template <class It>
  static void run(const elements<It>& all, std::uint64_t seed) {
    if (all.size > 1) shuffling<Engine, It>(all, seed).run();
  }
};

// The form of parallel_random_permutation, listed below.
template <class Engine>
struct random_permutation_calls {
  std::vector<std::size_t> operator()(std::size_t n, std::uint64_t seed SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_random_permutation");
    std::vector<std::size_t> result(n);
    Engine::for_positions(n,
                          [&](position from, position to) {
                            for (; from != to; ++from)
                              result[static_cast<std::size_t>(from)] = static_cast<std::size_t>(from);
                          },
                          {});
    if (n > 1) shuffling<Engine, std::vector<std::size_t>::iterator>({result.begin(), n}, seed).run();
    return result;
  }
  template <class... A>
  static consteval void refuse() {
    static_assert(never<A...>,
                  "parallel_random_permutation: the arguments are the number of elements, and a seed");
  }
};

}  // namespace detail

// Puts the elements into a random order. Each order is as likely as any other. The same seed gives the same order for
// the same number of elements of the same size, on any number of workers, and in sennit::serial.
//
//   parallel_shuffle(range, seed)        random-access, sized
//   parallel_shuffle(first, last, seed)  two iterators, or one and a number
//
// Precondition: moving an element does not throw; an exception there ends the program. Throws std::bad_alloc before
// anything has moved, and sennit::cancelled in a cancelled region; the sequence has all its elements then.
// Thread-safety: any thread may call it. Cost: elements are moved twice, to buckets that fit into a cache, and back
// after they have been shuffled there. Memory: for as many elements, and up to half a million numbers.
//
// Example:
//   #include <vector>
//
//   void deal(std::vector<int>& cards) { sennit::parallel_shuffle(cards, 2024); }
inline constexpr detail::algorithm<detail::shuffle_calls<detail::in_parallel>> parallel_shuffle{};

// The numbers below n in a random order: parallel_random_permutation(n, seed). As parallel_shuffle otherwise.
inline constexpr detail::algorithm<detail::random_permutation_calls<detail::in_parallel>>
    parallel_random_permutation{};

}  // namespace sennit
