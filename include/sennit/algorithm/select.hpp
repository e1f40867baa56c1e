// SPDX-License-Identifier: Apache-2.0
// parallel_nth_element, parallel_partial_sort, parallel_partial_sort_copy, parallel_kth_smallest: sorts of a part of the
// result. Sorts of all: sennit/parallel_sort.hpp.
#pragma once

#include <sennit/algorithm/uninitialized.hpp>
#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/pack_forms.hpp>
#include <sennit/detail/algorithm/ranked.hpp>
#include <sennit/detail/algorithm/raw_memory.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sample_sort.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>
#include <sennit/parallel_sort.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit {
namespace detail {

// The forms of parallel_nth_element and parallel_partial_sort, listed below.
template <class Engine, bool Prefix>
struct select_calls {
  template <countable_range R, class Comp = std::less<>, class Proj = std::identity>
    requires std::sortable<std::ranges::iterator_t<R>, Comp, Proj> &&
             writable_in_parallel<std::ranges::iterator_t<R>>
  void
  operator()(R&& range, std::ranges::iterator_t<R> at, Comp comp = {}, Proj proj = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Prefix ? "parallel_partial_sort" : "parallel_nth_element");
    const auto all = sequence_of(range);
    select(all.first, at - all.first, static_cast<std::ptrdiff_t>(all.size), comp, proj);
  }
  template <std::random_access_iterator It, std::sized_sentinel_for<It> End, class Comp = std::less<>,
            class Proj = std::identity>
    requires std::sortable<It, Comp, Proj> && writable_in_parallel<It>
  void operator()(It first, It at, End last, Comp comp = {}, Proj proj = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Prefix ? "parallel_partial_sort" : "parallel_nth_element");
    select(first, at - first, last - first, comp, proj);
  }

  template <class... A>
  static consteval void refuse() {
    refuse_order_around<A...>();
  }

 private:
  template <class It, class Comp, class Proj>
  static void select(It first, std::ptrdiff_t at, std::ptrdiff_t n, Comp& comp, Proj& proj) {
    refuse_state<Comp, std::indirect_result_t<Proj&, It>, std::indirect_result_t<Proj&, It>>();
    if (n < 2 || (Prefix ? at == 0 : at == n)) return;
    const auto end = static_cast<std::size_t>(Prefix ? at : at + 1);
    auto size = static_cast<std::size_t>(n);
    if (are_few(end, size)) {
      const elements<It> all{first, size};
      const std::vector<position> least = ranked_elements<Engine, It, Comp, Proj>(all, comp, proj).least(end);
      if (!least.empty()) {
        bring_to_front(all, least);
        size = least.size();
      }
    }
    if (size > 1) sample_sort<Engine, It, Comp, Proj>(first, size, comp, proj).run(Prefix ? 0 : end - 1, end);
  }

  // Exchanges the elements at places behind the front for those that are to leave it.
  template <class It>
  static void bring_to_front(const elements<It>& all, const std::vector<position>& places) {
    std::vector<position> leaving;
    auto next = places.begin();
    for (position i = 0; i != places.size(); ++i) {
      if (*next == i) {
        ++next;
      } else {
        leaving.push_back(i);
      }
    }
    Engine::for_positions(leaving.size(),
                          [&](position from, position to) {
                            for (auto i = static_cast<std::ptrdiff_t>(from);
                                 i != static_cast<std::ptrdiff_t>(to); ++i)
                              std::ranges::iter_swap(all.at(leaving.begin()[i]), all.at(next[i]));
                          },
                          {});
  }
};

template <class It, class Comp, class Proj>
concept ranked_by = std::indirect_strict_weak_order<Comp, std::projected<It, Proj>> &&
                    // Elements are compared more than once.
                    !std::is_rvalue_reference_v<std::iter_reference_t<It>>;

// Says what is wrong with the order of elements that are not moved: a comparator, which is the I-th argument, and a
// projection.
template <std::size_t I, class It, class... A>
consteval void refuse_rank_order() {
  using Comp = std::decay_t<argument<I, A...>>;
  using Proj = std::decay_t<argument<I + 1, A...>>;
  if constexpr (option<Comp> || option<Proj> || option<argument<I + 2, A...>>) {
    static_assert(never<A...>,
                  "sennit: this algorithm takes no option, such as grain(100), but a comparator and a "
                  "projection");
  } else if constexpr (std::is_void_v<Comp>) {
    static_assert(never<A...>,
                  "sennit: the elements have no order: there is no < of them; give a comparator, as in "
                  "[](const T& a, const T& b) { ... }");
  } else if constexpr (!std::is_void_v<Proj> &&
                       !std::invocable<std::add_lvalue_reference_t<Proj>, std::iter_reference_t<It>>) {
    static_assert(never<A...>,
                  "sennit: the projection, after the comparator, cannot be called with an element");
  } else if constexpr (!ranked_by<It, Comp, std::conditional_t<std::is_void_v<Proj>, std::identity, Proj>>) {
    static_assert(never<A...>,
                  "sennit: the comparator cannot be called with two elements, or gives no bool; give one as "
                  "[](const T& a, const T& b) { ... }, which says whether a comes before b");
  } else {
    refuse_the_rest<A...>();
  }
}

// Copies of elements, made in parallel.
template <class Engine, class It>
class copied_elements {
 public:
  explicit copied_elements(const elements<It>& in)
      : memory_(static_cast<std::size_t>(in.size)), all_{memory_.get(), in.size} {
    begin_objects<Engine>(all_,
                          [&](position from, position to) {
                            std::ranges::uninitialized_copy(in.at(from), in.at(to), all_.at(from),
                                                            all_.at(to));
                          },
                          {});
  }
  copied_elements(const copied_elements&) = delete;
  copied_elements& operator=(const copied_elements&) = delete;
  ~copied_elements() { std::destroy(all_.first, all_.at(all_.size)); }

  std::iter_value_t<It>* begin() const noexcept { return all_.first; }

 private:
  const needed_memory<std::iter_value_t<It>> memory_;
  const elements<std::iter_value_t<It>*> all_;
};

// The forms of parallel_partial_sort_copy, listed below.
template <class Engine>
struct partial_sort_copy_calls {
  template <countable_range R, destination_range Out, class Comp = std::less<>, class Proj = std::identity>
    requires ranked_by<std::ranges::iterator_t<R>, Comp, Proj> &&
             destination<Out, std::ranges::range_reference_t<R>> &&
             destination<Out, std::ranges::range_value_t<R>>
  destination_end<Out> operator()(R&& in, Out&& out, Comp comp = {}, Proj proj = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_partial_sort_copy");
    return copy(sequence_of(in), sequence_of(out), comp, proj);
  }
  template <class It, class End, class Out, class OutEnd, class Comp = std::less<>,
            class Proj = std::identity>
    requires iterator_bounds<It, End> && iterator_bounds<Out, OutEnd> && ranked_by<It, Comp, Proj> &&
             destination<Out, std::iter_reference_t<It>> && destination<Out, std::iter_value_t<It>>
  Out operator()(
      It first, End last, Out out, OutEnd out_end, Comp comp = {}, Proj proj = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_partial_sort_copy");
    return copy(sequence_of(first, last), sequence_of(out, out_end), comp, proj);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto in = require_elements<A...>();
    constexpr std::size_t n = in.arguments;
    if constexpr (n != 0) {
      using It = typename decltype(in)::iterator;
      if constexpr (require_destination<n, std::iter_reference_t<It>, A...>()) {
        constexpr bool is_range = destination_range<argument<n, A...>>;
        if constexpr (!is_range && !iterator_bounds<plain_argument<n, A...>, plain_argument<n + 1, A...>>) {
          static_assert(never<A...>,
                        "sennit: the destination has no end, which says how many elements are wanted; give a "
                        "range, or two iterators, or an iterator and a number");
        } else {
          refuse_rank_order<n + (is_range ? 1 : 2), It, A...>();
        }
      }
    }
  }

 private:
  template <class It, class Out, class Comp, class Proj>
  static Out copy(const elements<It>& in, const elements<Out>& out, Comp& comp, Proj& proj) {
    refuse_state<Comp, std::indirect_result_t<Proj&, It>, std::indirect_result_t<Proj&, It>>();
    refuse_state<Proj, std::iter_reference_t<It>>();
    const position n = std::min(in.size, out.size);
    if (n == 0) return out.first;
    const ranked_elements<Engine, It, Comp, Proj> before(in, comp, proj);
    std::vector<position> lowest;
    if (are_few(n, in.size)) lowest = before.least(n);
    if (!lowest.empty()) {
      select_calls<Engine, true>()(lowest, lowest.begin() + static_cast<std::ptrdiff_t>(n), before);
      put(n, [&](position i) -> decltype(auto) { return *in.at(lowest[static_cast<std::size_t>(i)]); }, out);
    } else {
      const copied_elements<Engine, It> all(in);
      if (n == in.size) {
        sort_calls<Engine, true>()(all.begin(), all.begin() + n, comp, proj);
      } else {
        sample_sort<Engine, std::iter_value_t<It>*, Comp, Proj>(all.begin(),
                                                                static_cast<std::size_t>(in.size), comp, proj)
            .run(0, static_cast<std::size_t>(n));
      }
      put(n, [&](position i) -> decltype(auto) { return std::move(all.begin()[i]); }, out);
    }
    return out.at(n);
  }

  template <class Element, class Out>
  static void put(position n, const Element& element, const elements<Out>& out) {
    Engine::for_positions(n,
                          [&](position from, position to) {
                            for (; from != to; ++from) *out.at(from) = element(from);
                          },
                          {});
  }
};

[[noreturn]] SENNIT_COLD inline void fail_for_rank(position k, position n) {
  fail<std::out_of_range>("sennit::parallel_kth_smallest: there is no element of rank " + std::to_string(k) +
                          " among " + std::to_string(n) +
                          "; ranks are counted from 0, so give one below the number of elements");
}

// The forms of parallel_kth_smallest, listed below.
template <class Engine>
struct kth_smallest_calls {
  template <countable_range R, class Comp = std::less<>, class Proj = std::identity>
    requires ranked_by<std::ranges::iterator_t<R>, Comp, Proj>
  std::ranges::borrowed_iterator_t<R>
  operator()(R&& range, std::size_t k, Comp comp = {}, Proj proj = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_kth_smallest");
    return find(sequence_of(range), k, comp, proj);
  }
  template <class It, class End, class Comp = std::less<>, class Proj = std::identity>
    requires iterator_bounds<It, End> && ranked_by<It, Comp, Proj>
  It operator()(It first, End last, std::size_t k, Comp comp = {}, Proj proj = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_kth_smallest");
    return find(sequence_of(first, last), k, comp, proj);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto all = require_elements<A...>();
    constexpr std::size_t n = all.arguments;
    if constexpr (n != 0) {
      if constexpr (!std::convertible_to<argument<n, A...>, std::size_t>) {
        static_assert(never<A...>,
                      "sennit: there is no rank after the elements: 0 is that of the lowest one");
      } else {
        refuse_rank_order<n + 1, typename decltype(all)::iterator, A...>();
      }
    }
  }

 private:
  template <class It, class Comp, class Proj>
  static It find(const elements<It>& all, std::size_t k, Comp& comp, Proj& proj) {
    refuse_state<Comp, std::indirect_result_t<Proj&, It>, std::indirect_result_t<Proj&, It>>();
    refuse_state<Proj, std::iter_reference_t<It>>();
    if (k >= all.size) fail_for_rank(k, all.size);
    const ranked_elements<Engine, It, Comp, Proj> before(all, comp, proj);
    auto near = before.around(k, k + 1, 2048);
    const auto wanted = near.at.begin() + static_cast<std::ptrdiff_t>(k - near.below);
    guarded_nth_element(near.at.begin(), wanted, near.at.end(), before);
    return all.at(*wanted);
  }
};

}  // namespace detail

// Moves the element that a sort would put at `nth` there, those that are not above it before, and those that are not
// below it behind, as std::ranges::nth_element does. The result is the same in every run, and in sennit::serial.
//
//   parallel_nth_element(range, nth, comp = std::less<>(), proj = std::identity())
//   parallel_nth_element(first, nth, last, comp, proj)
//
// Preconditions, exceptions and thread-safety are those of parallel_sort; but where few elements are before `nth`, these have
// been exchanged when std::bad_alloc comes, and none is lost. Cost: memory for as many elements, about
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
//   parallel_partial_sort(range, middle, comp = std::less<>(), proj = std::identity())
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

// Copies the lowest elements to `out`, sorted: as many as fit there, or all. Equal elements keep their order, and the
// first of them are copied. Returns the end of the copies.
//
//   parallel_partial_sort_copy(range, out, comp = std::less<>(), proj = std::identity())
//   parallel_partial_sort_copy(first, last, out, out_end, comp, proj)
//
// `out` is a range, two iterators, or an iterator and a number, apart from the input. The input stays as it is. Several
// threads call comp and proj at once. Throws what they or an assignment throw, std::bad_alloc before anything is written,
// and sennit::cancelled in a cancelled region. Thread-safety: any thread may call it. Deterministic. Cost: for up to a 16th
// of the elements, one comparison of each, a few for some hundredths of them, and a sort of the positions of those that
// are copied; memory for these positions. For more elements it is parallel_partial_sort of a copy.
//
// Example:
//   #include <array>
//   #include <vector>
//
//   std::array<int, 10> best_ten(const std::vector<int>& scores) {
//     std::array<int, 10> best{};
//     sennit::parallel_partial_sort_copy(scores, best, std::ranges::greater());
//     return best;
//   }
inline constexpr detail::algorithm<detail::partial_sort_copy_calls<detail::in_parallel>>
    parallel_partial_sort_copy{};

// The element of rank k, which is the position that a stable sort would give it, as an iterator: *result is the value. The
// elements stay where they are.
//
//   parallel_kth_smallest(range, k, comp = std::less<>(), proj = std::identity())
//   parallel_kth_smallest(first, last, k, comp, proj)
//
// Throws std::out_of_range if k is not below the number of elements, what comp or proj throw, std::bad_alloc, and
// sennit::cancelled in a cancelled region. Several threads call comp and proj at once. Thread-safety: any thread may call
// it. Deterministic. Cost: about two comparisons of each element with two of a sample; memory for a bit of each, and for the
// positions of some hundredths of the elements.
//
// Example:
//   #include <vector>
//
//   double median(const std::vector<double>& values) {
//     return *sennit::parallel_kth_smallest(values, values.size() / 2);
//   }
inline constexpr detail::algorithm<detail::kth_smallest_calls<detail::in_parallel>> parallel_kth_smallest{};

}  // namespace sennit
