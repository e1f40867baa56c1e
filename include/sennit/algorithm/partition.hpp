// SPDX-License-Identifier: Apache-2.0
// parallel_partition, parallel_stable_partition, parallel_partition_copy: the elements for which a predicate holds,
// and the others.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/pack_forms.hpp>
#include <sennit/detail/algorithm/packing.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/algorithm/splitting.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

struct partitioning {
  static constexpr const char* name = "parallel_partition";
  template <class Engine, class It, class F, class Proj>
  static It run(const elements<It>& all, F& predicate, Proj& proj, const loop_options& how) {
    It middle = all.first;
    if constexpr (require_movable<It>()) {
      using keep = wanted_elements<F, Proj, true>;
      if constexpr (Engine::serial) {
        Engine::for_positions(
            1,
            [&](position, position) {
              middle =
                  std::partition(all.first, all.at(all.size), [test = keep(predicate, proj)](auto&& element) {
                    return test.accepts(std::forward<decltype(element)>(element));
                  });
            },
            how);
      } else if (all.size != 0) {
        middle = all.at(swapping_split<It, keep>(all, keep(predicate, proj), how).run());
      }
    }
    return middle;
  }
};

struct stable_partitioning {
  static constexpr const char* name = "parallel_stable_partition";
  template <class Engine, class It, class F, class Proj>
  static It run(const elements<It>& all, F& predicate, Proj& proj, const loop_options& how) {
    It middle = all.first;
    if constexpr (require_movable<It>()) {
      using keep = wanted_elements<F, Proj, true>;
      if constexpr (Engine::serial) {
        Engine::for_positions(
            1,
            [&](position, position) { middle = all.at(split_stably_in_order(all, keep(predicate, proj))); },
            how);
      } else {
        middle = all.at(split_stably(all, keep(predicate, proj), how));
      }
    }
    return middle;
  }
};

// The forms of parallel_partition_copy, listed below.
template <class Engine>
struct partition_copy_calls {
  template <countable_range R, class Kept, class Others, class F, class Proj = std::identity>
    requires searched_by<std::ranges::iterator_t<R>, F, Proj> &&
             destination<Kept, std::ranges::range_reference_t<R>> &&
             destination<Others, std::ranges::range_reference_t<R>>
  std::pair<destination_end<Kept>, destination_end<Others>> operator()(
      R&& in, Kept&& kept, Others&& others, F&& predicate, Proj proj = {},
      const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, name);
    return run(sequence_of(in), kept, others, predicate, proj, how);
  }
  template <class It, class End, class Kept, class Others, class F, class Proj = std::identity>
    requires iterator_bounds<It, End> && searched_by<It, F, Proj> &&
             destination<Kept, std::iter_reference_t<It>> && destination<Others, std::iter_reference_t<It>>
  std::pair<destination_end<Kept>, destination_end<Others>> operator()(
      It first, End last, Kept&& kept, Others&& others, F&& predicate, Proj proj = {},
      const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, name);
    return run(sequence_of(first, last), kept, others, predicate, proj, how);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_elements<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      using V = typename decltype(sequence)::value;
      if constexpr (require_destination<n, V, A...>() && require_destination<n + 1, V, A...>())
        refuse_projection<n + 3, V, A...>();
    }
  }

 private:
  static constexpr const char* name = "parallel_partition_copy";

  template <class In, class Kept, class Others, class F, class Proj>
  static auto run(const elements<In>& in, Kept& kept, Others& others, F& predicate, Proj& given,
                  const loop_options& how) {
    auto&& proj = given_or_default<std::identity>(given);
    using projection = std::remove_reference_t<decltype(proj)>;
    refuse_state<F, projected<Proj, std::iter_reference_t<In>>>();
    refuse_state<Proj, std::iter_reference_t<In>>();
    const auto to = packed_output_of(kept, name);
    const auto rest = packed_output_of(others, name);
    using keep = wanted_elements<F, projection, true>;
    split_elements work(in, to, rest, keep(predicate, proj));
    const position size = pack_all<Engine>(work, in.size, options_among(given, how));
    return std::pair{to.to.at(size), rest.to.at(in.size - size)};
  }
};

template <class Engine>
using partition_calls = predicate_forms<Engine, partitioning>;
template <class Engine>
using stable_partition_calls = predicate_forms<Engine, stable_partitioning>;

}  // namespace detail

// Moves the elements for which pred(proj(element)) holds before the others. Returns where the others begin.
//
//   parallel_partition(range, pred, proj = std::identity(), how = {})        random-access, sized
//   parallel_partition(first, last, pred, proj = std::identity(), how = {})  two iterators, or one and a number
//
// The order of the elements of each part is unspecified, and may differ from run to run. Options may stand in
// the place of the projection.
//
// pred is called once for each element, by several threads at once. Throws what a call of pred or a swap threw,
// std::bad_alloc, and sennit::cancelled in a cancelled region. Elements are only swapped, so the
// sequence has all of them then. Thread-safety: any thread may call it. Cost: one pass over memory. Memory: a
// bit for each element, and a record for each of about sqrt(n) blocks.
//
// Example:
//   #include <vector>
//
//   long count_negative_first(std::vector<double>& x) {
//     return sennit::parallel_partition(x, [](double v) { return v < 0; }) - x.begin();
//   }
//   void negative_first_in_order(std::vector<double>& x) {
//     sennit::parallel_stable_partition(x, [](double v) { return v < 0; });
//   }
inline constexpr detail::algorithm<detail::partition_calls<detail::in_parallel>> parallel_partition{};

// The same, and the elements of each part keep their order. The result is the same in each run.
//
// Precondition: moving an element does not throw; an exception there ends the program. Throws what pred threw for
// the lowest element for which it threw, std::bad_alloc before any call, and sennit::cancelled in a cancelled
// region. The sequence has all its elements then, in some order. Memory: for as many elements, of which only those
// that belong behind are used, and what parallel_partition takes.
inline constexpr detail::algorithm<detail::stable_partition_calls<detail::in_parallel>>
    parallel_stable_partition{};

// Copies the elements for which pred(proj(element)) holds to `kept`, and the others to `others`, in order.
// Returns the ends of both, as a std::pair.
//
//   parallel_partition_copy(range, kept, others, pred, proj = std::identity(), how = {})        random-access, sized
//   parallel_partition_copy(first, last, kept, others, pred, proj = std::identity(), how = {})  two iterators, or
//                                                                                               one and a number
//
// Both destinations are iterators with enough room, or ranges. Nothing may overlap. Calls, exceptions, threads,
// memory and cost are as with parallel_copy_if.
//
// Example:
//   #include <vector>
//
//   void split(const std::vector<int>& x, std::vector<int>& even, std::vector<int>& odd) {
//     even.resize(x.size());
//     odd.resize(x.size());
//     const auto [e, o] = sennit::parallel_partition_copy(x, even, odd, [](int v) { return v % 2 == 0; });
//     even.erase(e, even.end());
//     odd.erase(o, odd.end());
//   }
inline constexpr detail::algorithm<detail::partition_copy_calls<detail::in_parallel>>
    parallel_partition_copy{};

}  // namespace sennit
