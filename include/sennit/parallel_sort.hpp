// parallel_sort, parallel_stable_sort.
#pragma once

#include <sennit/detail/engine.hpp>
#include <sennit/detail/merge_sort.hpp>
#include <sennit/detail/sequence.hpp>

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>

namespace sennit {
namespace detail {

// parallel_sort and parallel_stable_sort, and their serial elision. See below.
template <class Engine, bool Stable>
struct sorting {
  template <std::random_access_iterator It, std::sized_sentinel_for<It> End, class Comp = std::ranges::less,
            class Proj = std::identity>
    requires std::sortable<It, Comp, Proj> && writable_in_parallel<It>
  void operator()(It first, End last, Comp comp = {}, Proj proj = {}) const {
    sort(sequence_of(first, last), comp, proj);
  }
  template <countable_range R, class Comp = std::ranges::less, class Proj = std::identity>
    requires std::sortable<std::ranges::iterator_t<R>, Comp, Proj> &&
             writable_in_parallel<std::ranges::iterator_t<R>>
  void operator()(R&& range, Comp comp = {}, Proj proj = {}) const {
    sort(sequence_of(range), comp, proj);
  }

 private:
  template <class It, class Comp, class Proj>
  static void sort(const elements<It>& all, Comp& comp, Proj& proj) {
    if (all.size < 2) return;
    merge_sort<Engine, It, Comp, Proj, Stable>(all.first, static_cast<std::ptrdiff_t>(all.size), comp, proj)
        .run();
  }
};

}  // namespace detail

// Sorts as std::ranges::sort does: a comes before b where comp(proj(a), proj(b)). Which of several equal
// elements comes first is the same in every run, and in sennit::serial.
//
//   parallel_sort(range, comp = std::ranges::less(), proj = std::identity())        random-access, sized
//   parallel_sort(first, last, comp = std::ranges::less(), proj = std::identity())  two iterators
//
// comp and proj are called by several threads at once; elements are moved, never copied unless that is
// trivial, and moving one must not throw (it ends the program). Throws std::bad_alloc, before anything has
// moved, what comp or proj throw, and sennit::cancelled in a cancelled region: the range then holds all its
// elements, in some order. Cost: memory for as many elements; about n log n comparisons, and a critical path
// of about log^3 n. A merge moves each of its elements, where std::sort leaves many in place: on one worker
// numbers take less time than with std::sort, strings on the heap up to a fifth more, elements that are large
// and cheap to compare up to twice as much. Sort pointers to those, or their positions.
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
inline constexpr detail::sorting<detail::in_parallel, false> parallel_sort{};

// The same, as std::ranges::stable_sort: equal elements keep their order.
inline constexpr detail::sorting<detail::in_parallel, true> parallel_stable_sort{};

}  // namespace sennit
