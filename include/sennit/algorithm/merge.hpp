// SPDX-License-Identifier: Apache-2.0
// parallel_merge, parallel_inplace_merge: one sorted sequence of two.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/co_rank.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/first_failure.hpp>
#include <sennit/detail/algorithm/in_place_sort.hpp>
#include <sennit/detail/algorithm/merge_from_ends.hpp>
#include <sennit/detail/algorithm/merge_sort.hpp>
#include <sennit/detail/algorithm/projected_relation.hpp>
#include <sennit/detail/algorithm/raw_memory.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/algorithm/sorted_forms.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/shared_body.hpp>
#include <sennit/parallel_sort.hpp>
#include <sennit/region.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

namespace sennit {
namespace detail {

// The forms of parallel_merge, listed below.
template <class Engine>
struct merge_calls {
  template <countable_range R, countable_range S, class Out, class Comp = std::less<>,
            class P = std::identity, class Q = std::identity>
    requires comparable_sequences<std::ranges::iterator_t<R>, std::ranges::iterator_t<S>, Comp, P, Q> &&
             destination<Out, std::ranges::range_reference_t<R>> &&
             destination<Out, std::ranges::range_reference_t<S>>
  auto operator()(
      R&& left, S&& right, Out&& out, Comp comp = {}, P left_key = {}, Q right_key = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_merge");
    return merge(sequence_of(left), sequence_of(right), out, comp, left_key, right_key);
  }
  template <std::random_access_iterator It, std::sized_sentinel_for<It> End, std::random_access_iterator Jt,
            std::sized_sentinel_for<Jt> Jend, class Out, class Comp = std::less<>, class P = std::identity,
            class Q = std::identity>
    requires comparable_sequences<It, Jt, Comp, P, Q> && destination<Out, std::iter_reference_t<It>> &&
             destination<Out, std::iter_reference_t<Jt>>
  auto operator()(
      It left, End left_end, Jt right, Jend right_end, Out&& out, Comp comp = {}, P left_key = {},
      Q right_key = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_merge");
    return merge(sequence_of(left, left_end), sequence_of(right, right_end), out, comp, left_key, right_key);
  }

  template <class... A>
  static consteval void refuse() {
    refuse_sorted<behind_sorted::destination, A...>();
  }

 private:
  // A chunk of fewer elements is not worth the searches for its bounds.
  static constexpr std::ptrdiff_t block = 4096;

  template <class It, class Jt, class Out, class Comp, class P, class Q>
  static auto merge(const elements<It>& a, const elements<Jt>& b, Out& out, Comp& comp, P& left_key,
                    Q& right_key) {
    refuse_state<Comp, std::indirect_result_t<P&, It>, std::indirect_result_t<Q&, Jt>>();
    const auto lefts = static_cast<std::ptrdiff_t>(a.size);
    const auto rights = static_cast<std::ptrdiff_t>(b.size);
    const auto target = begin_of(out, a.size + b.size, "parallel_merge");
    const It left = a.first;
    const Jt right = b.first;
    const auto less = related_by(comp, right_key, left_key);
    const std::ptrdiff_t all = lefts + rights;
    const auto merge_blocks = [&] {
      Engine::for_positions(
          static_cast<position>((all + block - 1) / block),
          [&](position first, position last) {
            const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(first) * block;
            const std::ptrdiff_t to = std::min(all, static_cast<std::ptrdiff_t>(last) * block);
            const std::ptrdiff_t i = co_rank(from, left, lefts, right, rights, less);
            const std::ptrdiff_t i_end = co_rank(to, left, lefts, right, rights, less);
            if (i > i_end || from - i > to - i_end) fail_for_order("parallel_merge");
            if constexpr (std::same_as<It, Jt>) {
              merge_of_runs<It, decltype(target + from)> runs{left + i, left + i_end, right + (from - i),
                                                              right + (to - i_end), target + from};
              runs.run(less, [](const auto& place, const auto& element) { *place = *element; });
              std::ranges::copy(runs.right, runs.right_end,
                                std::ranges::copy(runs.left, runs.left_end, runs.out).out);
            } else {
              std::ranges::merge(left + i, left + i_end, right + (from - i), right + (to - i_end),
                                 target + from, std::ref(comp), std::ref(left_key), std::ref(right_key));
            }
          },
          {});
    };
#if SENNIT_EXCEPTIONS
    try {
      merge_blocks();
    } catch (const cancelled&) {
      throw;
    } catch (...) {
      // Cuts are searched first, and blocks are merged from both ends. So another comparison may have thrown first.
      std::ranges::merge(left, left + lefts, right, right + rights, target, std::ref(comp),
                         std::ref(left_key), std::ref(right_key));
      throw;
    }
#else
    merge_blocks();
#endif
    return target + all;
  }
};

// The forms of parallel_inplace_merge, listed below.
template <class Engine>
struct in_place_merge_calls {
  template <countable_range R, class Comp = std::less<>, class Proj = std::identity>
    requires std::sortable<std::ranges::iterator_t<R>, Comp, Proj> &&
             writable_in_parallel<std::ranges::iterator_t<R>>
  void operator()(
      R&& range, std::ranges::iterator_t<R> middle, Comp comp = {}, Proj proj = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_inplace_merge");
    const auto all = sequence_of(range);
    merge(all.first, middle - all.first, static_cast<std::ptrdiff_t>(all.size), comp, proj);
  }
  template <std::random_access_iterator It, std::sized_sentinel_for<It> End, class Comp = std::less<>,
            class Proj = std::identity>
    requires std::sortable<It, Comp, Proj> && writable_in_parallel<It>
  void operator()(It first, It middle, End last, Comp comp = {}, Proj proj = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_inplace_merge");
    merge(first, middle - first, last - first, comp, proj);
  }

  template <class... A>
  static consteval void refuse() {
    refuse_order_around<A...>();
  }

 private:
  template <class It, class Comp, class Proj>
  static void merge(It first, std::ptrdiff_t middle, std::ptrdiff_t n, Comp& comp, Proj& proj) {
    refuse_state<Comp, std::indirect_result_t<Proj&, It>, std::indirect_result_t<Proj&, It>>();
    if (middle == 0 || middle == n) return;
    const auto less = related_by(comp, proj);
    if (!less(first[middle], first[middle - 1])) return;
    const raw_memory<std::iter_value_t<It>> memory(static_cast<std::size_t>(n));
    if (memory.get() == nullptr) return in_place_merge<Engine>(first, first + middle, first + n, less);
    first_failure failure;
    merge_sort<Engine, It, relation_by<Comp, Proj>>(first, n, memory.get(), less, failure).run_merge(middle);
    failure.rethrow();
  }
};

}  // namespace detail

// Merges two sorted sequences into a third one, as std::ranges::merge does: equal elements keep their order, and those of
// the left sequence come first. Returns the end of what it has written.
//
//   parallel_merge(left, right, out, comp = std::less<>(), left_key = std::identity(), right_key = ...)
//   parallel_merge(left, left_end, right, right_end, out, comp, left_key, right_key)
//
// `out` is a range or an iterator, with room for all elements, apart from both sequences. Precondition: both are sorted
// by comp. Several threads call comp and the keys at once, in any order. Throws std::invalid_argument if the destination is
// a range with too little room, or if it is noticed that a sequence is not sorted; what comp, a key or an assignment throws;
// and sennit::cancelled in a cancelled region. To find the exception that std::merge would have thrown, the merge is then
// done once more in order. Thread-safety: any thread may call it. Cost: that of std::merge, and about 2 log n comparisons
// for a chunk; no memory.
//
// Example:
//   #include <vector>
//
//   std::vector<int> merged(const std::vector<int>& left, const std::vector<int>& right) {
//     std::vector<int> result(left.size() + right.size());
//     sennit::parallel_merge(left, right, result);
//     return result;
//   }
inline constexpr detail::algorithm<detail::merge_calls<detail::in_parallel>> parallel_merge{};

// Merges two neighboring sorted parts of a range, as std::ranges::inplace_merge does.
//
//   parallel_inplace_merge(range, middle, comp = std::less<>(), proj = std::identity())
//   parallel_inplace_merge(first, middle, last, comp, proj)
//
// Precondition: moving an element does not throw. Throws what comp or proj throw, and sennit::cancelled in a cancelled
// region; the range then has all its elements, in some order. Thread-safety: any thread may call it. Cost: memory for as
// many elements and two moves of each; without that memory about n log n moves in place.
//
// Example:
//   #include <cstddef>
//   #include <vector>
//
//   void add_sorted(std::vector<int>& all, const std::vector<int>& more) {
//     const auto middle = static_cast<std::ptrdiff_t>(all.size());
//     all.insert(all.end(), more.begin(), more.end());
//     sennit::parallel_inplace_merge(all, all.begin() + middle);
//   }
inline constexpr detail::algorithm<detail::in_place_merge_calls<detail::in_parallel>>
    parallel_inplace_merge{};

}  // namespace sennit
