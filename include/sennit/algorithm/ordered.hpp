// SPDX-License-Identifier: Apache-2.0
// parallel_is_sorted, parallel_is_partitioned, parallel_is_heap: whether elements have an order, and how far.
#pragma once

#include <sennit/algorithm/find.hpp>
#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/first_match.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/projected_relation.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <functional>

namespace sennit {
namespace detail {

struct sorted_elements {
  static constexpr const char* name = "parallel_is_sorted";
  // The end of the longest sorted part at the begin.
  template <class Engine, class Sequence, class F, class Proj>
  static position end(const Sequence& sequence, F& function, Proj& proj, const loop_options& how) {
    const auto descend = [less = related_by(function, proj)](const auto& i, const auto& next) {
      return less.at(next, i);
    };
    const position at = first_neighbors<Engine>(sequence, how, descend);
    return at == 0 ? sequence.size : at;
  }
};

struct heap_elements {
  static constexpr const char* name = "parallel_is_heap";
  template <class Engine, class Sequence, class F, class Proj>
  static position end(const Sequence& sequence, F& function, Proj& proj, const loop_options& how) {
    if (sequence.size < 2) return sequence.size;
    const auto less = related_by(function, proj);
    return 1 + first_match<Engine>(
                   sequence.size - 1,
                   [&](position from, position to) {
                     position at = from;
                     for (auto i = sequence.at(at + 1); at != to; ++at, ++i) {
                       if (less.at(sequence.at(at / 2), i)) break;
                     }
                     return at;
                   },
                   how);
  }
};

template <class Elements>
struct asking_for_order : Elements {
  using default_function = std::less<>;
  template <class Engine, class Sequence, class F, class Proj>
  static bool run(const Sequence& sequence, F& function, Proj& proj, const loop_options& how) {
    return Elements::template end<Engine>(sequence, function, proj, how) == sequence.size;
  }
};
template <class Elements>
struct finding_order : Elements {
  using default_function = std::less<>;
  template <class Engine, class Sequence, class F, class Proj>
  static auto run(const Sequence& sequence, F& function, Proj& proj, const loop_options& how) {
    return sequence.at(Elements::template end<Engine>(sequence, function, proj, how));
  }
};

struct asking_for_partition {
  static constexpr const char* name = "parallel_is_partitioned";
  template <class Engine, class Sequence, class F, class Proj>
  static bool run(const Sequence& sequence, F& predicate, Proj& proj, const loop_options& how) {
    const position middle = find_first<Engine, false>(sequence, predicate, proj, how);
    if (middle == sequence.size) return true;
    // The element in the middle is known.
    const Sequence rest{sequence.at(middle + 1), sequence.size - middle - 1};
    return find_first<Engine, true>(rest, predicate, proj, how) == rest.size;
  }
};

template <class Engine>
using is_sorted_calls = order_forms<Engine, asking_for_order<sorted_elements>>;
template <class Engine>
using is_sorted_until_calls = order_forms<Engine, finding_order<sorted_elements>>;
template <class Engine>
using is_heap_calls = order_forms<Engine, asking_for_order<heap_elements>>;
template <class Engine>
using is_heap_until_calls = order_forms<Engine, finding_order<heap_elements>>;
template <class Engine>
using is_partitioned_calls = predicate_forms<Engine, asking_for_partition>;

}  // namespace detail

// Whether no element comes before its predecessor.
//
//   parallel_is_sorted(range, less = std::less<>(), projection = {}, how = {})        random-access, sized
//   parallel_is_sorted(first, last, less = std::less<>(), projection = {}, how = {})  two iterators, or one and a number
//
// What is looked at behind the first element that is out of order, exceptions, threads and cost are as with
// parallel_find_if. Options may stand in the place of any argument that has a default.
//
// Example:
//   #include <string>
//   #include <vector>
//
//   struct city {
//     std::string name;
//     long people;
//   };
//   bool by_people(const std::vector<city>& cities) { return sennit::parallel_is_sorted(cities, {}, &city::people); }
//   long ordered_so_far(const std::vector<int>& x) { return sennit::parallel_is_sorted_until(x) - x.begin(); }
//   bool is_queue(const std::vector<int>& x) {
//     return sennit::parallel_is_heap(x) && sennit::parallel_is_heap_until(x) == x.end();
//   }
//   bool negative_first(const std::vector<int>& x) {
//     return sennit::parallel_is_partitioned(x, [](int v) { return v < 0; });
//   }
inline constexpr detail::algorithm<detail::is_sorted_calls<detail::in_parallel>> parallel_is_sorted{};
// The iterator of the first element that comes before its predecessor, or the end.
inline constexpr detail::algorithm<detail::is_sorted_until_calls<detail::in_parallel>>
    parallel_is_sorted_until{};

// Whether the elements are a heap, as std::make_heap makes them; and the iterator of the first element that comes behind
// its parent in `less`, or the end. The arguments are as in parallel_is_sorted.
inline constexpr detail::algorithm<detail::is_heap_calls<detail::in_parallel>> parallel_is_heap{};
inline constexpr detail::algorithm<detail::is_heap_until_calls<detail::in_parallel>> parallel_is_heap_until{};

// Whether all elements for which a predicate is true come before all others: parallel_is_partitioned(range, predicate,
// projection = {}, how = {}). Everything else is as for parallel_is_sorted.
inline constexpr detail::algorithm<detail::is_partitioned_calls<detail::in_parallel>>
    parallel_is_partitioned{};

}  // namespace sennit
