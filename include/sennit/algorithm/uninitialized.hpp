// SPDX-License-Identifier: Apache-2.0
// parallel_uninitialized_copy and its kin: objects that begin or end in parallel.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/frontier.hpp>
#include <sennit/detail/algorithm/marked_blocks.hpp>
#include <sennit/detail/algorithm/plain_forms.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <vector>

namespace sennit {
namespace detail {

// Calls begin(from, to) for chunks of the target, each of which begins its objects, or none and throws. If one throws,
// or the region is cancelled, the objects of all others are ended.
template <class Engine, class It, class Begin>
void begin_objects(const elements<It>& target, Begin&& begin, const loop_options& how) {
  if constexpr (std::is_trivially_destructible_v<std::iter_value_t<It>>) {
    Engine::for_positions(target.size, begin, how);
  } else {
    const position block = elements_in_block(target.size, how, sizeof(std::iter_value_t<It>));
    const position blocks = target.size / block + (target.size % block != 0 ? 1 : 0);
    const auto end_of = [&](position b) { return b * block + std::min(target.size - b * block, block); };
    struct unless_complete {
      ~unless_complete() {
        if (complete) return;
        for (position b = 0; b != begun.size(); ++b) {
          if (begun[static_cast<std::size_t>(b)] != 0) std::destroy(target.at(b * block), target.at(end(b)));
        }
      }
      const elements<It>& target;
      position block;
      const decltype(end_of)& end;
      std::vector<unsigned char> begun;
      bool complete = false;
    } work{target, block, end_of, std::vector<unsigned char>(static_cast<std::size_t>(blocks))};
    for_each_block<Engine>(blocks, how, [&](position b) {
      begin(b * block, end_of(b));
      work.begun[static_cast<std::size_t>(b)] = 1;
    });
    work.complete = true;
  }
}

template <class It, class... V>
concept begins_objects = std::is_lvalue_reference_v<std::iter_reference_t<It>> && writable_in_parallel<It> &&
                         std::constructible_from<std::iter_value_t<It>, V...>;

struct beginning_copies {
  static constexpr const char* name = "parallel_uninitialized_copy";
  template <class It, class Out>
  static constexpr bool takes =
      begins_objects<typename destination_of<Out>::iterator, std::iter_reference_t<It>>;
  template <class Engine, class It, class Out>
  static void run(const elements<It>& in, const elements<Out>& out, const loop_options& how) {
    begin_objects<Engine>(
        out,
        [&](position from, position to) { std::uninitialized_copy(in.at(from), in.at(to), out.at(from)); },
        how);
  }
};
struct beginning_moved {
  static constexpr const char* name = "parallel_uninitialized_move";
  template <class It, class Out>
  static constexpr bool takes =
      begins_objects<typename destination_of<Out>::iterator, std::iter_rvalue_reference_t<It>>;
  template <class Engine, class It, class Out>
  static void run(const elements<It>& in, const elements<Out>& out, const loop_options& how) {
    begin_objects<Engine>(
        out,
        [&](position from, position to) { std::uninitialized_move(in.at(from), in.at(to), out.at(from)); },
        how);
  }
};
struct beginning_filled {
  static constexpr const char* name = "parallel_uninitialized_fill";
  template <class It, class T>
  static constexpr bool takes = (!option<T>) && begins_objects<It, const T&>;
  template <class Engine, class It, class T>
  static void run(const elements<It>& all, const T& value, const loop_options& how) {
    begin_objects<Engine>(
        all, [&](position from, position to) { std::uninitialized_fill(all.at(from), all.at(to), value); },
        how);
  }
};
struct beginning_with_values {
  static constexpr const char* name = "parallel_uninitialized_value_construct";
  template <class It>
  static constexpr bool takes = begins_objects<It>;
  template <class Engine, class It>
  static void run(const elements<It>& all, const loop_options& how) {
    begin_objects<Engine>(
        all,
        [&](position from, position to) { std::uninitialized_value_construct(all.at(from), all.at(to)); },
        how);
  }
};
struct beginning_by_default {
  static constexpr const char* name = "parallel_uninitialized_default_construct";
  template <class It>
  static constexpr bool takes = begins_objects<It>;
  template <class Engine, class It>
  static void run(const elements<It>& all, const loop_options& how) {
    begin_objects<Engine>(
        all,
        [&](position from, position to) { std::uninitialized_default_construct(all.at(from), all.at(to)); },
        how);
  }
};
struct ending {
  static constexpr const char* name = "parallel_destroy";
  template <class It>
  static constexpr bool takes = std::destructible<std::iter_value_t<It>>;
  template <class Engine, class It>
  static void run(const elements<It>& all, const loop_options& how) {
    Engine::for_positions(
        all.size, [&](position from, position to) { std::destroy(all.at(from), all.at(to)); }, how);
  }
};

template <class Engine>
using uninitialized_copy_calls = output_forms<Engine, beginning_copies, 0>;
template <class Engine>
using uninitialized_move_calls = output_forms<Engine, beginning_moved, 0>;
template <class Engine>
using uninitialized_fill_calls = sequence_forms<Engine, beginning_filled, 1>;
template <class Engine>
using uninitialized_value_construct_calls = sequence_forms<Engine, beginning_with_values, 0>;
template <class Engine>
using uninitialized_default_construct_calls = sequence_forms<Engine, beginning_by_default, 0>;
template <class Engine>
using destroy_calls = sequence_forms<Engine, ending, 0>;

}  // namespace detail

// Objects begin in memory that has none: copies of the elements of a sequence, elements moved there, copies of a value,
// or objects without a value or with the default one. Each takes a random-access, sized range, or two iterators, or
// an iterator and a number; `out` is an iterator or a range, and its end is returned.
//
//   parallel_uninitialized_copy(range, out, how = {})
//   parallel_uninitialized_move(range, out, how = {})
//   parallel_uninitialized_fill(range, value, how = {})
//   parallel_uninitialized_value_construct(range, how = {})
//   parallel_uninitialized_default_construct(range, how = {})
//
// Throws what the construction of the lowest element threw for which it did so, std::bad_alloc before any, and
// sennit::cancelled in a cancelled region. All objects that have begun are ended then. Thread-safety: any thread may
// call them. Cost: as parallel_for; the pages of fresh memory are placed on the nodes of the workers. Memory: a byte
// for each of about sqrt(n) blocks, unless ending an object is trivial.
//
// Example:
//   #include <memory>
//   #include <string>
//   #include <vector>
//
//   void copy_to(const std::vector<std::string>& words, std::string* memory) {
//     sennit::parallel_uninitialized_copy(words, memory);
//   }
//   void move_to(std::vector<std::string>& words, std::string* memory) {
//     sennit::parallel_uninitialized_move(words, memory);
//   }
//   void begin_and_end(std::string* memory, long n) {
//     sennit::parallel_uninitialized_fill(memory, memory + n, "a word");
//     sennit::parallel_destroy(memory, memory + n);
//   }
//   void begin_numbers(double* memory, long n, bool zero) {
//     if (zero) return static_cast<void>(sennit::parallel_uninitialized_value_construct(memory, memory + n));
//     sennit::parallel_uninitialized_default_construct(memory, memory + n);
//   }
inline constexpr detail::algorithm<detail::uninitialized_copy_calls<detail::in_parallel>>
    parallel_uninitialized_copy{};
inline constexpr detail::algorithm<detail::uninitialized_move_calls<detail::in_parallel>>
    parallel_uninitialized_move{};
inline constexpr detail::algorithm<detail::uninitialized_fill_calls<detail::in_parallel>>
    parallel_uninitialized_fill{};
inline constexpr detail::algorithm<detail::uninitialized_value_construct_calls<detail::in_parallel>>
    parallel_uninitialized_value_construct{};
inline constexpr detail::algorithm<detail::uninitialized_default_construct_calls<detail::in_parallel>>
    parallel_uninitialized_default_construct{};

// Ends the objects of a sequence: parallel_destroy(range, how = {}), or with iterators. In a cancelled region some
// objects may not be ended.
inline constexpr detail::algorithm<detail::destroy_calls<detail::in_parallel>> parallel_destroy{};

}  // namespace sennit
