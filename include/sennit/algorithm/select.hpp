// parallel_nth_element, parallel_partial_sort: sorts of a part of the result.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/few_least.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sample_sort.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/shared_body.hpp>

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>

namespace sennit {
namespace detail {

// The forms of parallel_nth_element and parallel_partial_sort, listed below.
template <class Engine, bool Prefix>
struct select_calls {
  template <countable_range R, class Comp = std::ranges::less, class Proj = std::identity>
    requires std::sortable<std::ranges::iterator_t<R>, Comp, Proj> &&
             writable_in_parallel<std::ranges::iterator_t<R>>
  void
  operator()(R&& range, std::ranges::iterator_t<R> at, Comp comp = {}, Proj proj = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Prefix ? "parallel_partial_sort" : "parallel_nth_element");
    const auto all = sequence_of(range);
    select(all.first, at - all.first, static_cast<std::ptrdiff_t>(all.size), comp, proj);
  }
  template <std::random_access_iterator It, std::sized_sentinel_for<It> End, class Comp = std::ranges::less,
            class Proj = std::identity>
    requires std::sortable<It, Comp, Proj> && writable_in_parallel<It>
  void operator()(It first, It at, End last, Comp comp = {}, Proj proj = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Prefix ? "parallel_partial_sort" : "parallel_nth_element");
    select(first, at - first, last - first, comp, proj);
  }

  template <class... A>
  static consteval void refuse() {
    if constexpr (require_sequence<A...>().arguments != 0) refuse_the_rest<A...>();
  }

 private:
  template <class It, class Comp, class Proj>
  static void select(It first, std::ptrdiff_t at, std::ptrdiff_t n, Comp& comp, Proj& proj) {
    refuse_state<Comp, std::indirect_result_t<Proj&, It>, std::indirect_result_t<Proj&, It>>();
    if (n < 2 || (Prefix ? at == 0 : at == n)) return;
    const auto end = static_cast<std::size_t>(Prefix ? at : at + 1);
    auto size = static_cast<std::size_t>(n);
    using few = few_least<Engine, It, Comp, Proj>;
    if (few::are_few(end, size)) {
      const std::size_t least = few(first, size, comp, proj).bring_to_front(end);
      if (least != 0) size = least;
    }
    sample_sort<Engine, It, Comp, Proj, false>(first, size, comp, proj).run(Prefix ? 0 : end - 1, end);
  }
};

}  // namespace detail

// Moves the element that a sort would put at `nth` there, those that are not above it before, and those that are not
// below it behind, as std::ranges::nth_element does. The result is the same in every run, and in sennit::serial.
//
//   parallel_nth_element(range, nth, comp = std::ranges::less(), proj = std::identity())
//   parallel_nth_element(first, nth, last, comp, proj)
//
// Preconditions, exceptions and thread-safety are those of parallel_sort. Cost: memory for as many elements, about
// eight comparisons and two moves of each element, and a sort of a few thousand. If at most a sixteenth of many elements is
// before `nth`: one comparison of each, memory for a bit of each, and the same for about twice that part.
//
// Example:
//   #include <cstddef>
//   #include <vector>
//
//   double median_of(std::vector<double>& values) {
//     const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
//     sennit::parallel_nth_element(values, middle);
//     return *middle;
//   }
inline constexpr detail::algorithm<detail::select_calls<detail::in_parallel, false>> parallel_nth_element{};

// Moves the lowest elements before `middle`, sorted, and the others behind it, as std::ranges::partial_sort does.
//
//   parallel_partial_sort(range, middle, comp = std::ranges::less(), proj = std::identity())
//   parallel_partial_sort(first, middle, last, comp, proj)
//
// As parallel_nth_element otherwise. Cost: that, and a sort of the lowest elements.
//
// Example:
//   #include <vector>
//
//   void best_ten_first(std::vector<int>& scores) {
//     sennit::parallel_partial_sort(scores.begin(), scores.begin() + 10, scores.end(), std::ranges::greater());
//   }
inline constexpr detail::algorithm<detail::select_calls<detail::in_parallel, true>> parallel_partial_sort{};

}  // namespace sennit
