// SPDX-License-Identifier: Apache-2.0
// parallel_histogram, parallel_group_by, parallel_reduce_by_key: elements that belong together because of a key.
#pragma once

#include <sennit/algorithm/pack.hpp>
#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/key_sums.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>
#include <sennit/parallel_reduce.hpp>
#include <sennit/parallel_sort.hpp>
#include <sennit/parallel_transform.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit {
namespace detail {

[[noreturn]] SENNIT_COLD inline void fail_for_key(position key, position keys) {
  fail<std::out_of_range>("sennit::parallel_histogram: the key " + std::to_string(key) +
                          " is not below the number of keys, " + std::to_string(keys) +
                          "; give a greater number, or a function that makes a key of an element");
}

// For run_loop(): each strand at work counts for itself. Positions are units of as many elements as there are keys, so
// that a part that another strand takes is worth its counts.
template <class It, class Key>
struct counting_body {
  using value = std::vector<std::size_t>;
  static constexpr bool whole_chunks = true;

  value make() const { return value(keys); }
  template <class Gate>
  position run(value& counts, position from, position to, Gate) const {
    std::size_t* const count = counts.data();
    auto&& key_of = nearby(key);
    for (It i = all.at(begin_of(from)), end = all.at(begin_of(to)); i != end; ++i) {
      // A negative key becomes a large one.
      const auto k = static_cast<position>(detail::invoke(key_of, *i));
      if (k >= keys) [[unlikely]]
        fail_for_key(k, keys);
      ++count[k];
    }
    return to;
  }
  void run_one(value& counts, position at) const { run(counts, at, at + 1, no_gate()); }
  void merge(value& left, value&& right) const {
    if (left.empty()) left.resize(keys);
    for (std::size_t k = 0; k != right.size(); ++k) left[k] += right[k];
  }
  static std::uintptr_t code() noexcept { return 0; }
  position begin_of(position at) const noexcept { return std::min(at * unit, all.size); }

  elements<It> all;
  held<Key> key;
  position keys;
  position unit;
};

template <class Key, class V>
concept gives_key =
    std::invocable<Key&, V> && std::integral<std::remove_cvref_t<std::invoke_result_t<Key&, V>>>;

// The forms of parallel_histogram, listed below.
template <class Engine>
struct histogram_calls {
  template <countable_range R, class Key = std::identity>
    requires gives_key<given_or<Key, std::identity>, std::ranges::range_reference_t<R>>
  std::vector<std::size_t>
  operator()(R&& range, std::size_t keys, Key key = {}, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_histogram");
    return run(sequence_of(range), keys, given_or_default<std::identity>(key), options_among(key, how));
  }
  template <class It, class End, class Key = std::identity>
    requires iterator_bounds<It, End> && gives_key<given_or<Key, std::identity>, std::iter_reference_t<It>>
  std::vector<std::size_t> operator()(
      It first, End last, std::size_t keys, Key key = {}, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_histogram");
    return run(sequence_of(first, last), keys, given_or_default<std::identity>(key), options_among(key, how));
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_elements<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      if constexpr (!std::convertible_to<argument<n, A...>, std::size_t>) {
        static_assert(never<A...>,
                      "parallel_histogram: there is no number of keys after the elements; all keys are "
                      "below that number");
      } else {
        static_assert(never<A...>,
                      "parallel_histogram: the elements are no integers, so a function is needed that "
                      "makes an integer of each; it comes after the number of keys");
      }
    }
  }

 private:
  template <class It, class Key>
  static std::vector<std::size_t> run(const elements<It>& all, std::size_t keys, const Key& key,
                                      const loop_options& how) {
    refuse_state<Key, std::iter_reference_t<It>>();
    constexpr position cheap = 256;
    const position unit = keys <= cheap ? 1 : keys;
    counting_body<It, const Key> body{all, key, keys, unit};
    const position units = all.size / unit + (all.size % unit != 0 ? 1 : 0);
    if (units == 0) return std::vector<std::size_t>(keys);
    if constexpr (Engine::serial) {
      std::vector<std::size_t> counts(keys);
      Engine::for_positions(1, [&](position, position) { body.run(counts, 0, units, no_gate()); }, how);
      return counts;
    } else {
      return run_loop(units, body, how);
    }
  }
};

}  // namespace detail

// What parallel_group_by returns: for each key, in ascending order, the elements with that key.
//
// Example:
//   #include <cstdio>
//   #include <string>
//   #include <vector>
//
//   void print(const std::vector<std::string>& words) {
//     const sennit::grouped<std::size_t, std::string> groups = sennit::parallel_group_by(words, &std::string::size);
//     for (std::size_t g = 0; g < groups.size(); ++g)
//       for (const std::string& word : groups[g]) std::printf("%zu %s\n", groups.key(g), word.c_str());
//   }
template <class Key, class T>
class grouped {
 public:
  grouped(std::vector<Key> keys, std::vector<std::size_t> begins, std::vector<T> elements) noexcept
      : keys_(std::move(keys)), begins_(std::move(begins)), elements_(std::move(elements)) {}

  // The number of groups, which is that of different keys.
  std::size_t size() const noexcept { return keys_.size(); }
  // Precondition for both: group < size().
  // A reference, or for bool, of which a std::vector has no objects, a copy.
  typename std::vector<Key>::const_reference key(std::size_t group) const noexcept { return keys_[group]; }
  std::span<const T> operator[](std::size_t group) const noexcept {
    const std::size_t end = group + 1 == size() ? elements_.size() : begins_[group + 1];
    return std::span<const T>(elements_).subspan(begins_[group], end - begins_[group]);
  }

 private:
  std::vector<Key> keys_;
  std::vector<std::size_t> begins_;
  std::vector<T> elements_;
};

namespace detail {

template <class R, class Key>
using key_of_element = std::remove_cvref_t<std::invoke_result_t<Key&, const std::ranges::range_value_t<R>&>>;

template <class R, class Key>
concept groupable =
    countable_range<R> && std::invocable<Key&, const std::ranges::range_value_t<R>&> &&
    std::copyable<std::ranges::range_value_t<R>> &&
    std::sortable<typename std::vector<std::ranges::range_value_t<R>>::iterator, std::less<>, Key&> &&
    std::totally_ordered<key_of_element<R, Key>>;

// The form of parallel_group_by, listed below.
template <class Engine>
struct group_by_calls {
  template <class R, class Key>
    requires groupable<R, Key>
  auto operator()(R&& range, Key key SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_group_by");
    using T = std::ranges::range_value_t<R>;
    using K = key_of_element<R, Key>;
    refuse_state<Key, const T&>();
    std::vector<T> all;
    all.reserve(std::ranges::size(range));
    for (auto&& element : range) all.push_back(std::forward<decltype(element)>(element));
    sort_calls<Engine, true>()(all, std::less<>(), std::ref(key));
    const auto begins_group = [&](std::size_t i) {
      return i == 0 || std::invoke(key, std::as_const(all[i - 1])) < std::invoke(key, std::as_const(all[i]));
    };
    std::vector<std::size_t> begins =
        algorithm<filter_calls<Engine>>()(std::views::iota(std::size_t{0}, all.size()), begins_group);
    std::vector<K> keys;
    keys.reserve(begins.size());
    for (const std::size_t begin : begins) keys.push_back(std::invoke(key, std::as_const(all[begin])));
    return grouped<K, T>(std::move(keys), std::move(begins), std::move(all));
  }
  template <class... A>
  static consteval void refuse() {
    static_assert(
        never<A...>,
        "parallel_group_by: the arguments are a random-access, sized range of elements that can be copied, "
        "and a function that makes a key with < and == of an element");
  }
};

// The form of parallel_reduce_by_key, listed below.
template <class Engine>
struct reduce_by_key_calls {
  template <class R, class Key, class T, class Map = std::identity, class Combine = std::plus<>>
    requires groupable<R, Key> && reduce_map<Map, const std::ranges::range_value_t<R>&> &&
             reduce_operation<Combine, T, std::invoke_result_t<Map&, const std::ranges::range_value_t<R>&>>
  std::vector<std::pair<key_of_element<R, Key>, T>>
  operator()(R&& range, Key key, T first, Map map = {}, Combine combine = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_reduce_by_key");
    using K = key_of_element<R, Key>;
    if constexpr (std::integral<K> && integer_key<K>) {
      const auto all = sequence_of(range);
      if (all.size == 0) return {};
      if (has_few_keys(all, key)) return by_table<K>(all, key, first, map, combine);
    }
    const auto groups = group_by_calls<Engine>()(range, key);
    std::vector<std::pair<K, T>> result;
    result.reserve(groups.size());
    for (std::size_t g = 0; g != groups.size(); ++g) result.emplace_back(groups.key(g), first);
    Engine::for_positions(groups.size(),
                          [&](position from, position to) {
                            for (; from != to; ++from) {
                              const auto g = static_cast<std::size_t>(from);
                              result[g].second = reduce_calls<Engine>()(groups[g], first, map, combine);
                            }
                          },
                          {});
    return result;
  }
  template <class... A>
  static consteval void refuse() {
    using Map = plain_argument<3, A...>;
    constexpr bool swapped = [] {
      if constexpr (countable_range<plain_argument<0, A...>> && !std::is_void_v<Map>) {
        using V = const std::ranges::range_value_t<plain_argument<0, A...>>&;
        return std::invocable<plain_argument<2, A...>&, V> && !std::invocable<Map&, V>;
      }
      return false;
    }();
    if constexpr (swapped) {
      static_assert(
          never<A...>,
          "parallel_reduce_by_key: the third argument is the first value, and the fourth one makes a "
          "value of an element; here they stand the other way round");
    } else {
      static_assert(
          never<A...>,
          "parallel_reduce_by_key: the arguments are a random-access, sized range of elements that can be "
          "copied, a function that makes a key with < and == of an element, a first value, a function that "
          "makes a value of its type of an element, and an operation that makes one of two such values");
    }
  }

 private:
  template <class K, class It, class Key, class T, class Map, class Combine>
  static std::vector<std::pair<K, T>> by_table(const elements<It>& all, Key& key, const T& first, Map& map,
                                               Combine& combine) {
    refuse_state<Key, const std::iter_value_t<It>&>();
    refuse_state<Map, const std::iter_value_t<It>&>();
    key_sums_body<It, Key, K, T, Map, Combine> body{all, key, map, combine};
    std::vector<std::pair<K, T>> result = std::move(Engine::fold(all.size, body, {}).all());
    sort_calls<Engine, false>()(result, std::less<>(), &std::pair<K, T>::first);
    for (auto& [k, value] : result) {
      T sum = first;
      combine_into(combine, sum, std::move(value));
      value = std::move(sum);
    }
    return result;
  }
};

}  // namespace detail

// How often each key below `keys` occurs. An element is its key, or key(element) is.
//
//   parallel_histogram(range, keys, key = std::identity(), how = {})        random-access, sized
//   parallel_histogram(first, last, keys, key = std::identity(), how = {})  two iterators, or one and a number
//
// Throws std::out_of_range for a key that is negative or not below `keys`, what key() threw for the lowest element,
// std::bad_alloc, and sennit::cancelled in a cancelled region. Thread-safety: any thread may call it. Cost: one pass.
// Each strand that takes a part of the elements has counts of its own, so a part has at least `keys` elements, if
// those are more than 256. Memory: counts for each such part.
//
// Example:
//   #include <vector>
//
//   std::vector<std::size_t> byte_counts(const std::vector<unsigned char>& text) {
//     return sennit::parallel_histogram(text, 256);
//   }
inline constexpr detail::algorithm<detail::histogram_calls<detail::in_parallel>> parallel_histogram{};

// Copies of the elements, by key(element): parallel_group_by(range, key). Keys have < and ==. Groups are in ascending
// order of the keys, and elements of a group in the order of the range. Exceptions and threads are as with
// parallel_stable_sort of a copy. Cost: that of such a sort, and a pass over the keys.
inline constexpr detail::algorithm<detail::group_by_calls<detail::in_parallel>> parallel_group_by{};

// For each key, in ascending order, parallel_reduce(elements with that key, first, map, combine). Returns a std::vector
// of std::pair(key, value).
//
//   parallel_reduce_by_key(range, key, first, map = std::identity(), combine = std::plus<>())
//
// The elements of a group are combined in the order of the range. Keys are as with parallel_group_by, as are exceptions and
// threads. Integer keys that are few, up to some hundred thousand, as a sample of the elements says, cost one pass over the
// elements, with a table of keys and values for each strand at work. Other keys cost what parallel_group_by does; groups are
// then reduced in parallel, and a long group is split.
//
// Example:
//   #include <string>
//   #include <utility>
//   #include <vector>
//
//   struct sale {
//     std::string customer;
//     double price;
//   };
//   std::vector<std::pair<std::string, double>> totals(const std::vector<sale>& sales) {
//     return sennit::parallel_reduce_by_key(sales, &sale::customer, 0.0, &sale::price);
//   }
inline constexpr detail::algorithm<detail::reduce_by_key_calls<detail::in_parallel>> parallel_reduce_by_key{};

}  // namespace sennit
