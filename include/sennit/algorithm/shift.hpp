// SPDX-License-Identifier: Apache-2.0
// parallel_shift_left, parallel_shift_right: elements moved by a number of places.
#pragma once

#include <sennit/algorithm/rearrange.hpp>
#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/pack_forms.hpp>
#include <sennit/detail/algorithm/raw_memory.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>

namespace sennit {
namespace detail {

// Elements are numbered from the end to which they move.
template <bool Right>
struct shifting {
  static constexpr const char* name = Right ? "parallel_shift_right" : "parallel_shift_left";

  // Returns the end of the elements that remain, at the right their begin.
  template <class Engine, class It>
  static It run(const elements<It>& all, position by, const loop_options& how) {
    const position remain = all.size - std::min(by, all.size);
    if (by != 0 && remain != 0) shift<Engine>(all, by, remain, how);
    return all.at(Right ? all.size - remain : remain);
  }

 private:
  template <class Engine, class It>
  static void shift(const elements<It>& all, position by, position remain, const loop_options& how) {
    if constexpr (Engine::serial) {
      Engine::for_positions(1, [&](position, position) { move_to_front(all, by, all.size, 0); }, how);
    } else if (const position times = remain / by + 1; times < rotating::many_times) {
      // No iteration moves an element to the place of one that another iteration moves.
      Engine::for_positions(
          std::min(by, remain),
          [&](position from, position to) {
            for (; from < remain; from += by, to += by)
              move_to_front(all, from + by, std::min(to, remain) + by, from);
          },
          rotating::for_iterations_of(times, how));
    } else {
      if constexpr (std::is_trivially_copyable_v<std::iter_value_t<It>>) {
        if (shift_blocks<Engine>(all, by, remain, how)) return;
      }
      rotating::run<Engine>(all, all.at(Right ? all.size - by : by), how);
    }
  }

  // A block's last elements come from the block behind, which moves meanwhile: so these are copied before. False: there is no
  // memory for the copies.
  template <class Engine, class It>
  static bool shift_blocks(const elements<It>& all, position by, position remain, const loop_options& how) {
    using T = std::iter_value_t<It>;
    const position block = std::max<position>(16 * by, position{1} << 14);
    const position edges = (remain - 1) / block;
    const raw_memory<T> memory(static_cast<std::size_t>(edges * by));
    T* const copies = memory.get();
    if (copies == nullptr) return false;
    const auto at = [&](position i) { return all.at(Right ? all.size - 1 - i : i); };
    const loop_options each{.grain = how.grain == 0 ? 0U : 1U};
    Engine::for_positions(
        edges,
        [&](position from, position to) {
          for (; from != to; ++from) {
            for (position i = 0; i != by; ++i)
              std::construct_at(copies + from * by + i, *at((from + 1) * block + i));
          }
        },
        each);
    Engine::for_positions(
        edges + 1,
        [&](position from, position to) {
          for (; from != to; ++from) {
            const bool last = from == edges;
            const position end = last ? remain + by : (from + 1) * block;
            move_to_front(all, from * block + by, end, from * block);
            if (last) continue;
            for (position i = 0; i != by; ++i) *at(end - by + i) = copies[from * by + i];
          }
        },
        each);
    return true;
  }

  template <class It>
  static void move_to_front(const elements<It>& all, position from, position to, position front) {
    if constexpr (Right) {
      std::ranges::move_backward(all.at(all.size - to), all.at(all.size - from), all.at(all.size - front));
    } else {
      std::ranges::move(all.at(from), all.at(to), all.at(front));
    }
  }
};

// The forms of parallel_shift_left and parallel_shift_right, listed below.
template <class Engine, bool Right>
struct shift_calls {
  template <countable_range R, std::integral N>
    requires rearranged<std::ranges::iterator_t<R>>
  std::ranges::borrowed_iterator_t<R>
  operator()(R&& range, N by, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, shifting<Right>::name);
    return shifting<Right>::template run<Engine>(sequence_of(range), places(by), how);
  }
  template <class It, class End, std::integral N>
    requires iterator_bounds<It, End> && rearranged<It>
  It operator()(It first, End last, N by, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, shifting<Right>::name);
    return shifting<Right>::template run<Engine>(sequence_of(first, last), places(by), how);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_elements<A...>();
    if constexpr (sequence.arguments != 0) {
      if constexpr (!std::integral<plain_argument<sequence.arguments, A...>>) {
        static_assert(
            never<A...>,
            "sennit: there is no number of places to move the elements by; it comes after the elements");
      } else if constexpr (require_movable<typename decltype(sequence)::iterator>()) {
        refuse_the_rest<A...>();
      }
    }
  }

 private:
  template <class N>
  static position places(N by) {
    return by > 0 ? static_cast<position>(by) : 0;
  }
};

}  // namespace detail

// Moves each element `by` places to the left, or to the right, as std::shift_left and std::shift_right do. Elements that would
// leave the sequence are dropped.
//
//   parallel_shift_left(range, by, how = {})        random-access, sized
//   parallel_shift_left(first, last, by, how = {})  two iterators, or one and a number
//
// Returns the end of the elements that remain; parallel_shift_right returns their begin. The places that become free hold
// elements of which nothing is promised but that they may be assigned to. If `by` is not above zero, or not below the number
// of elements, nothing moves; in the second case no element remains.
//
// Throws what moving an element throws, and sennit::cancelled in a cancelled region; the elements have no promised order
// then. Thread-safety: any thread may call it. Cost: a move of each element; where `by` is below a 256th of the elements, memory
// for a sixteenth of them at most, or, if they are no plain bytes, a parallel_rotate.
//
// Example:
//   #include <vector>
//
//   void forget_the_first(std::vector<int>& x) { x.erase(sennit::parallel_shift_left(x, 1), x.end()); }
//   void make_room(std::vector<int>& x) { *x.begin() = (sennit::parallel_shift_right(x, 1), 0); }
inline constexpr detail::algorithm<detail::shift_calls<detail::in_parallel, false>> parallel_shift_left{};
inline constexpr detail::algorithm<detail::shift_calls<detail::in_parallel, true>> parallel_shift_right{};

}  // namespace sennit
