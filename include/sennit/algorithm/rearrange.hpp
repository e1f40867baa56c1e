// SPDX-License-Identifier: Apache-2.0
// parallel_reverse, parallel_rotate, parallel_swap_ranges, parallel_move: loops that move each element. By a number of places:
// algorithm/shift.hpp; copies: sennit/parallel_transform.hpp.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/plain_forms.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

template <class It>
concept rearranged = std::permutable<It> && writable_in_parallel<It>;

struct reversing {
  static constexpr const char* name = "parallel_reverse";
  template <class It>
  static constexpr bool takes = rearranged<It>;
  template <class Engine, class It>
  static void run(const elements<It>& all, const loop_options& how) {
    Engine::for_positions(
        all.size / 2,
        [&](position from, position to) {
          It i = all.at(from);
          It j = all.at(all.size - from);
          for (const It end = all.at(to); i != end; ++i) std::ranges::iter_swap(i, --j);
        },
        how);
  }
};

// Swaps the shorter part with as many elements of the longer one, which are then in their places, again and again, until
// the rest is shorter than that part (Gries and Mills, "Swapping sections", 1981). These swaps are a loop over the
// elements of the shorter part. Where that is very short, blocks of the sequence are rotated on their own; the elements
// that each has at the wrong end then pass to the block before it, or behind it.
struct rotating {
  static constexpr const char* name = "parallel_rotate";
  template <class It, class Middle>
  static constexpr bool takes = rearranged<It> && std::convertible_to<Middle, It>;
  template <class Engine, class It>
  static void run(const elements<It>& all, const It& middle, const loop_options& how) {
    if constexpr (Engine::serial) {
      Engine::for_positions(
          1, [&](position, position) { std::ranges::rotate(all.first, middle, all.at(all.size)); }, how);
    } else {
      position begin = 0;
      auto left = static_cast<position>(middle - all.first);
      position right = all.size - left;
      for (;;) {
        const position few = std::min(left, right);
        const position times = few == 0 ? 0 : std::max(left, right) / few;
        const elements<It> rest{all.at(begin), left + right};
        if (times == 0) return;
        if (times >= many_times) return rotate_blocks<Engine>(rest, left, right, how);
        if (left <= right) {
          swap_forwards<Engine>(rest, left, times, how);
          begin += times * left;
          right -= times * left;
        } else {
          swap_backwards<Engine>(rest, right, times, how);
          left -= times * right;
        }
      }
    }
  }
  template <class Engine, class I, class J>
  static void swap(const I& left, const J& right, position n, const loop_options& how) {
    const elements<I> a{left, n};
    const elements<J> b{right, n};
    Engine::for_positions(
        n, [&](position from, position to) { swap_all(a.at(from), a.at(to), b.at(from)); }, how);
  }

  // The longer part is so many times as long as the other one. The elements that pass from one block to the other are a
  // small part of all.
  static constexpr position many_times = 256;
  // A grain counts elements, and each iteration of a loop has so many.
  static loop_options for_iterations_of(position elements, loop_options how) {
    if (how.grain != 0) how.grain = std::max<position>(how.grain / elements, 1);
    return how;
  }

 private:
  static constexpr position in_block = 32;
  static constexpr std::size_t least_block_bytes = std::size_t{1} << 17;

  template <class I, class J>
  static void swap_all(I i, const I& end, J j) {
    for (; i != end; ++i, ++j) std::ranges::iter_swap(i, j);
  }

  template <class Engine, class It>
  static void swap_forwards(const elements<It>& all, position n, position times, const loop_options& how) {
    Engine::for_positions(
        n,
        [&](position from, position to) {
          for (position k = 0; k != times; ++k)
            swap_all(all.at(k * n + from), all.at(k * n + to), all.at((k + 1) * n + from));
        },
        for_iterations_of(times, how));
  }
  template <class Engine, class It>
  static void swap_backwards(const elements<It>& all, position n, position times, const loop_options& how) {
    Engine::for_positions(
        n,
        [&](position from, position to) {
          for (position k = 1; k <= times; ++k) {
            const position last = all.size - k * n;
            swap_all(all.at(last + from), all.at(last + to), all.at(last - n + from));
          }
        },
        for_iterations_of(times, how));
  }

  // Precondition: one of both parts is at most 1 / many_times of the other one.
  template <class Engine, class It>
  static void rotate_blocks(const elements<It>& all, position left, position right, const loop_options& how) {
    const position few = std::min(left, right);
    const position block =
        std::max<position>(in_block * few, least_block_bytes / sizeof(std::iter_value_t<It>));
    // The last block is longer than the others, not shorter.
    const position blocks = std::max<position>(all.size / block, 1);
    const auto end = [&](position b) { return b == blocks ? all.size : b * block; };
    Engine::for_positions(
        blocks,
        [&](position from, position to) {
          for (position b = from; b != to; ++b) {
            const It last = all.at(end(b + 1));
            std::ranges::rotate(all.at(end(b)), left == few ? all.at(end(b) + few) : all.at(end(b + 1) - few),
                                last);
          }
        },
        for_iterations_of(block, how));
    if (left == few) {
      for (position b = 1; b != blocks; ++b)
        swap_all(all.at(end(b) - few), all.at(end(b)), all.at(end(b + 1) - few));
    } else {
      for (position b = blocks - 1; b != 0; --b)
        swap_all(all.at(end(b)), all.at(end(b) + few), all.at(end(b - 1)));
    }
  }
};

struct moving {
  static constexpr const char* name = "parallel_move";
  template <class It, class Out>
  static constexpr bool takes = destination<Out, std::iter_rvalue_reference_t<It>>;
  template <class Engine, class It, class Out>
  static void run(const elements<It>& in, const elements<Out>& out, const loop_options& how) {
    Engine::for_positions(
        in.size, [&](position from, position to) { std::ranges::move(in.at(from), in.at(to), out.at(from)); },
        how);
  }
};
struct reverse_copying {
  static constexpr const char* name = "parallel_reverse_copy";
  template <class It, class Out>
  static constexpr bool takes = destination<Out, std::iter_reference_t<It>>;
  template <class Engine, class It, class Out>
  static void run(const elements<It>& in, const elements<Out>& out, const loop_options& how) {
    Engine::for_positions(
        in.size,
        [&](position from, position to) {
          std::ranges::reverse_copy(in.at(in.size - to), in.at(in.size - from), out.at(from));
        },
        how);
  }
};
struct rotate_copying {
  static constexpr const char* name = "parallel_rotate_copy";
  using standard = void;
  template <class It, class Out, class Middle>
  static constexpr bool takes =
      std::convertible_to<Middle, It> && destination<Out, std::iter_reference_t<It>>;
  template <class Engine, class It, class Out>
  static void run(const elements<It>& in, const elements<Out>& out, const It& middle,
                  const loop_options& how) {
    const auto left = static_cast<position>(middle - in.first);
    const position right = in.size - left;
    Engine::for_positions(
        in.size,
        [&](position from, position to) {
          if (from < right) {
            const position end = std::min(to, right);
            std::ranges::copy(in.at(left + from), in.at(left + end), out.at(from));
            from = end;
          }
          if (from < to) std::ranges::copy(in.at(from - right), in.at(to - right), out.at(from));
        },
        how);
  }
};

// The forms of parallel_swap_ranges, listed below.
template <class Engine>
struct swap_ranges_calls {
  template <countable_range Left, countable_range Right>
    requires std::indirectly_swappable<std::ranges::iterator_t<Left>, std::ranges::iterator_t<Right>> &&
             writable_in_parallel<std::ranges::iterator_t<Left>> &&
             writable_in_parallel<std::ranges::iterator_t<Right>>
  void operator()(Left&& left, Right&& right, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, name);
    const auto a = sequence_of(left);
    const auto b = sequence_of(right);
    rotating::swap<Engine>(a.first, b.first, std::min(a.size, b.size), how);
  }
  template <class It, class End, std::random_access_iterator Other>
    requires iterator_bounds<It, End> && std::indirectly_swappable<It, Other> && writable_in_parallel<It> &&
             writable_in_parallel<Other>
  void operator()(It first, End last, Other other, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, name);
    const auto a = sequence_of(first, last);
    rotating::swap<Engine>(a.first, other, a.size, how);
  }
  template <class... A>
  static consteval void refuse() {
    sequence_refusal<void>::refuse<A...>();
  }

 private:
  static constexpr const char* name = "parallel_swap_ranges";
};

template <class Engine>
using reverse_calls = sequence_forms<Engine, reversing, 0>;
// The forms of parallel_rotate, listed below.
template <class Engine>
struct rotate_calls : sequence_refusal<rotating> {
  template <countable_range R>
    requires(rotating::template takes<std::ranges::iterator_t<R>, std::ranges::iterator_t<R>>)
  void
  operator()(R&& range, std::ranges::iterator_t<R> middle, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, rotating::name);
    rotating::template run<Engine>(sequence_of(range), middle, how);
  }
  template <class It, class End>
    requires iterator_bounds<It, End> && (rotating::template takes<It, It>)
  void operator()(It first, It middle, End last, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, rotating::name);
    rotating::template run<Engine>(sequence_of(first, last), middle, how);
  }
};
template <class Engine>
using move_calls = output_forms<Engine, moving, 0>;
template <class Engine>
using reverse_copy_calls = output_forms<Engine, reverse_copying, 0>;
// The forms of parallel_rotate_copy, listed below.
template <class Engine>
struct rotate_copy_calls : output_base<Engine, rotate_copying> {
  template <countable_range R, class Out>
    requires(rotate_copying::template takes<std::ranges::iterator_t<R>, Out, std::ranges::iterator_t<R>>)
  destination_end<Out> operator()(R&& in, std::ranges::iterator_t<R> middle, Out&& out,
                                  const loop_options& how = {},
                                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, rotate_copying::name);
    return this->run(sequence_of(in), out, where, how, middle);
  }
  template <class It, class End, class Out>
    requires iterator_bounds<It, End> && (rotate_copying::template takes<It, Out, It>)
  destination_end<Out> operator()(It first, It middle, End last, Out&& out, const loop_options& how = {},
                                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, rotate_copying::name);
    return this->run(sequence_of(first, last), out, where, how, middle);
  }
};

}  // namespace detail

// What all algorithms here have in common: they take a random-access, sized range, or two iterators, or an iterator
// and a number of elements. Destinations are iterators with enough room, or ranges, and must not overlap the input.
// Algorithms with a destination return the end of the output. Options are the last argument, and may not stand in
// the place of others.
//
// Throws the exception of the lowest element for which there was one, std::invalid_argument before any call if a destination
// is a range with too few elements, and sennit::cancelled in a cancelled region; elements may have been written then.
// Elements are moved by swaps, so none is lost. Thread-safety: any thread may call them. Cost: as parallel_for; no memory.

// Reverses the order of the elements.
//
//   parallel_reverse(range, how = {})
//   parallel_reverse_copy(range, out, how = {})
//
// Example:
//   #include <vector>
//
//   void turn(std::vector<int>& x) { sennit::parallel_reverse(x); }
//   void turn_to(const std::vector<int>& x, std::vector<int>& out) { sennit::parallel_reverse_copy(x, out); }
inline constexpr detail::algorithm<detail::reverse_calls<detail::in_parallel>> parallel_reverse{};
inline constexpr detail::algorithm<detail::reverse_copy_calls<detail::in_parallel>> parallel_reverse_copy{};

// Moves the elements from `middle` on to the front, and those before it behind them.
//
//   parallel_rotate(range, middle, how = {})
//   parallel_rotate(first, middle, last, how = {})
//   parallel_rotate_copy(range, middle, out, how = {})
//   parallel_rotate_copy(first, middle, last, out, how = {})
//
// About as many swaps as there are elements.
//
// Example:
//   #include <vector>
//
//   void last_tenth_first(std::vector<int>& x) {
//     sennit::parallel_rotate(x, x.end() - static_cast<long>(x.size() / 10));
//   }
//   void second_half_first(const std::vector<int>& x, std::vector<int>& out) {
//     sennit::parallel_rotate_copy(x, x.begin() + static_cast<long>(x.size() / 2), out);
//   }
inline constexpr detail::algorithm<detail::rotate_calls<detail::in_parallel>> parallel_rotate{};
inline constexpr detail::algorithm<detail::rotate_copy_calls<detail::in_parallel>> parallel_rotate_copy{};

// Swaps the elements of two ranges, as long as both have some.
//
//   parallel_swap_ranges(left, right, how = {})
//   parallel_swap_ranges(first, last, other, how = {})  as many elements from `other` on
//
// Example:
//   #include <vector>
//
//   void trade(std::vector<double>& a, std::vector<double>& b) { sennit::parallel_swap_ranges(a, b); }
inline constexpr detail::algorithm<detail::swap_ranges_calls<detail::in_parallel>> parallel_swap_ranges{};

// Moves elements to a destination: parallel_move(range, out, how = {}).
//
// Example:
//   #include <string>
//   #include <vector>
//
//   void take(std::vector<std::string>& from, std::vector<std::string>& to) { sennit::parallel_move(from, to); }
inline constexpr detail::algorithm<detail::move_calls<detail::in_parallel>> parallel_move{};

}  // namespace sennit
