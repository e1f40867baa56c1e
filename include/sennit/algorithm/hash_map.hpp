// SPDX-License-Identifier: Apache-2.0
// parallel_hash_map, and the hash_map that it makes: values found by keys.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/combine.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>
#include <sennit/detail/mix.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit {
namespace detail {

template <class Engine>
struct hash_map_calls;

// Keys with their values, and with the places where their hashes are looked for, one after the other.
template <class Key, class T>
class hash_map_part {
 public:
  using value_type = std::pair<Key, T>;
  static constexpr std::size_t none = ~std::size_t{0};

  template <class K, class Equal>
  std::size_t find(std::uint32_t hash, const K& key, const Equal& equal) const {
    if (places_.empty()) return none;
    for (std::size_t at = hash;; ++at) {
      const place& p = places_[at & mask_];
      if (p.entry == 0) return none;
      if (p.hash == hash && detail::invoke(equal, entries_[p.entry - 1].first, key)) return p.entry - 1;
    }
  }
  // Gives the key the value, or combines this with the one that it has.
  template <class K, class Combine, class Equal>
  void add(std::uint32_t hash, K&& key, T&& value, const Combine& combine, const Equal& equal) {
    const std::size_t entry = find(hash, key, equal);
    if (entry != none) return combine_into(combine, entries_[entry].second, std::move(value));
    if (4 * entries_.size() >= places_.size()) grow();
    hashes_.push_back(hash);
    entries_.emplace_back(std::forward<K>(key), std::move(value));
    occupy({hash, static_cast<std::uint32_t>(entries_.size())});
  }
  std::vector<value_type>& entries() noexcept { return entries_; }
  const std::vector<value_type>& entries() const noexcept { return entries_; }
  // Of the entries, in their order.
  const std::vector<std::uint32_t>& hashes() const noexcept { return hashes_; }

 private:
  struct place {
    std::uint32_t hash = 0;
    std::uint32_t entry = 0;  // its number, counted from 1
  };

  void grow() {
    std::vector<place> fewer(std::max<std::size_t>(2 * places_.size(), 16));
    places_.swap(fewer);
    mask_ = places_.size() - 1;
    for (const place& p : fewer) {
      if (p.entry != 0) occupy(p);
    }
  }
  void occupy(place p) noexcept {
    std::size_t at = p.hash;
    while (places_[at & mask_].entry != 0) ++at;
    places_[at & mask_] = p;
  }

  std::vector<value_type> entries_;
  std::vector<std::uint32_t> hashes_;
  // Three of four are free, so that few searches meet another key.
  std::vector<place> places_;
  std::size_t mask_ = 0;
};

}  // namespace detail

// What parallel_hash_map returns: a value for each key. It does not change. Any number of threads may call its members.
//
// Example:
//   #include <string>
//   #include <vector>
//
//   int occurrences(const std::vector<std::string>& words, const std::string& word) {
//     const auto counts = sennit::parallel_hash_map(words, std::identity(), [](const auto&) { return 1; }, std::plus<>());
//     const int* const count = counts.find(word);
//     return count == nullptr ? 0 : *count;
//   }
template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<>>
class hash_map {
 public:
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<Key, T>;

  // A map without any key.
  explicit hash_map(Hash hash = Hash(), Equal equal = Equal())
      : hash_(std::move(hash)), equal_(std::move(equal)) {}

  // The number of keys.
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  // The value of the key; null if there is none. Throws what the hash or the equality throws.
  const T* find(const Key& key) const {
    if (parts_.empty()) return nullptr;
    const std::uint32_t hash = hash_of(key);
    const detail::hash_map_part<Key, T>& part = parts_[part_of(hash)];
    const std::size_t at = part.find(hash, key, equal_);
    return at == part.none ? nullptr : &part.entries()[at].second;
  }
  bool contains(const Key& key) const { return find(key) != nullptr; }

  // Pairs of keys and values, one part after the other.
  class iterator {
   public:
    using value_type = std::pair<Key, T>;
    using difference_type = std::ptrdiff_t;

    iterator() = default;
    const value_type& operator*() const noexcept { return map_->part(part_)[at_]; }
    const value_type* operator->() const noexcept { return &**this; }
    iterator& operator++() noexcept {
      ++at_;
      skip();
      return *this;
    }
    iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const iterator& other) const noexcept { return part_ == other.part_ && at_ == other.at_; }

   private:
    friend class hash_map;
    iterator(const hash_map& map, std::size_t part) noexcept : map_(&map), part_(part) { skip(); }
    void skip() noexcept {
      while (part_ != map_->parts() && at_ == map_->part(part_).size()) {
        ++part_;
        at_ = 0;
      }
    }

    const hash_map* map_ = nullptr;
    std::size_t part_ = 0;
    std::size_t at_ = 0;
  };
  iterator begin() const noexcept { return iterator(*this, 0); }
  iterator end() const noexcept { return iterator(*this, parts()); }

  // The same as parts() sequences, in the order in which the input first has the keys of a part: for a parallel loop over
  // parts. Precondition: i < parts().
  std::size_t parts() const noexcept { return parts_.size(); }
  std::span<const value_type> part(std::size_t i) const noexcept { return parts_[i].entries(); }

 private:
  template <class Engine>
  friend struct detail::hash_map_calls;

  template <class K>
  std::uint32_t hash_of(const K& key) const {
    return static_cast<std::uint32_t>(detail::mix(static_cast<std::uint64_t>(detail::invoke(hash_, key))));
  }
  // By the first bits; a part looks at the last ones.
  std::size_t part_of(std::uint32_t hash) const noexcept { return (hash >> 24U) & (parts_.size() - 1); }

  std::vector<detail::hash_map_part<Key, T>> parts_;
  std::size_t size_ = 0;
  Hash hash_;
  Equal equal_;
};

// For parallel_hash_map: of elements with equal keys the first one has the value.
struct first_value {
  // Does nothing.
  template <class T, class V>
  void operator()(T&, const V&) const noexcept {}
};

namespace detail {

// As key and value get it: by its name, as both do.
template <class R>
using named_element = std::remove_reference_t<std::ranges::range_reference_t<R>>&;
template <class R, class F>
using made_of_element = std::remove_cvref_t<std::invoke_result_t<const F&, named_element<R>>>;

template <class R, class Key, class Value, class Combine, class Hash, class Equal>
concept mapped_elements =
    countable_range<R> && std::invocable<const Key&, named_element<R>> &&
    std::invocable<const Value&, named_element<R>> && std::move_constructible<made_of_element<R, Key>> &&
    std::move_constructible<made_of_element<R, Value>> &&
    std::constructible_from<made_of_element<R, Key>, std::invoke_result_t<const Key&, named_element<R>>> &&
    std::constructible_from<made_of_element<R, Value>,
                            std::invoke_result_t<const Value&, named_element<R>>> &&
    combines<const Combine, made_of_element<R, Value>> &&
    std::is_invocable_r_v<std::size_t, const Hash&, const made_of_element<R, Key>&> &&
    std::predicate<const Equal&, const made_of_element<R, Key>&, const made_of_element<R, Key>&>;

// The form of parallel_hash_map, listed below.
template <class Engine>
struct hash_map_calls {
  template <class R, class Key, class Value, class Combine = first_value,
            class Hash = std::hash<made_of_element<R, Key>>, class Equal = std::equal_to<>>
    requires mapped_elements<R, Key, Value, Combine, Hash, Equal>
  hash_map<made_of_element<R, Key>, made_of_element<R, Value>, Hash, Equal> operator()(
      R&& range, Key key, Value value, Combine combine = {}, Hash hash = {},
      Equal equal = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_hash_map");
    hash_map<made_of_element<R, Key>, made_of_element<R, Value>, Hash, Equal> map(std::move(hash),
                                                                                  std::move(equal));
    fill(map, sequence_of(range), key, value, combine);
    return map;
  }
  template <class... A>
  static consteval void refuse() {
    using Key = plain_argument<1, A...>;
    using Value = plain_argument<2, A...>;
    constexpr auto all = require_sequence<A...>();
    if constexpr (all.arguments == 2 || (all.arguments == 1 && std::is_void_v<Value>)) {
      static_assert(
          never<A...>,
          "parallel_hash_map: the arguments are a range, a function that makes a key of an element, "
          "and one that makes a value of it");
    } else if constexpr (all.arguments == 1) {
      using V = typename decltype(all)::value;
      refuse_state<Key, V>();
      refuse_state<Value, V>();
      if constexpr (option<plain_argument<3, A...>> || option<plain_argument<4, A...>> ||
                    option<plain_argument<5, A...>> || option<plain_argument<6, A...>>) {
        static_assert(never<A...>,
                      "parallel_hash_map: this algorithm takes no option, such as grain(100), but a "
                      "combination, a hash and an equality");
      } else if constexpr (!std::invocable<const Key&, V> || !std::invocable<const Value&, V>) {
        static_assert(never<A...>,
                      "parallel_hash_map: the second argument, which makes a key of an element, or the third "
                      "one, which makes a value of it, cannot be called with an element");
      } else {
        static_assert(never<A...>,
                      "parallel_hash_map: the combination does not make one value of two, or there is no "
                      "std::hash of the keys, or no ==; give functions for these after that for the value");
      }
    }
  }

 private:
  // A stretch of the input has a map of its own. All of its entries, by their parts: those of part p are
  // order[begins[p]], ... before begins[p + 1].
  template <class Key, class T>
  struct stretch {
    hash_map_part<Key, T> map;
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> begins;
  };

  template <class Map, class It, class Key, class Value, class Combine>
  static void fill(Map& map, const elements<It>& all, const Key& key, const Value& value,
                   const Combine& combine) {
    using K = typename Map::key_type;
    using T = typename Map::mapped_type;
    if (all.size == 0) return;
    // Stretches depend on nothing else, so that the same values are combined in every run.
    const position length = std::max<position>(all.size / 64 + 1, position{1} << 14);
    std::vector<stretch<K, T>> stretches(static_cast<std::size_t>((all.size + length - 1) / length));
    if (stretches.size() == 1) {
      map.parts_.resize(1);
      Engine::for_positions(
          1, [&](position, position) { add(map.parts_[0], map, all, 0, all.size, key, value, combine); }, {});
    } else {
      map.parts_.resize(256);
      for_each_of(stretches.size(), [&](std::size_t s) {
        const position begin = s * length;
        add(stretches[s].map, map, all, begin, std::min(all.size, begin + length), key, value, combine);
        sort_by_parts(stretches[s], map);
      });
      for_each_of(map.parts_.size(), [&](std::size_t part) {
        for (stretch<K, T>& from : stretches) {
          for (std::uint32_t i = from.begins[part]; i != from.begins[part + 1]; ++i) {
            const std::uint32_t entry = from.order[i];
            auto& [k, v] = from.map.entries()[entry];
            map.parts_[part].add(from.map.hashes()[entry], std::move(k), std::move(v), combine, map.equal_);
          }
        }
      });
    }
    for (const auto& part : map.parts_) map.size_ += part.entries().size();
  }

  template <class Part, class Map, class It, class Key, class Value, class Combine>
  static void add(Part& part, const Map& map, const elements<It>& all, position from, position to,
                  const Key& key, const Value& value, const Combine& combine) {
    using T = typename Map::mapped_type;
    for (; from != to; ++from) {
      auto&& element = *all.at(from);
      auto&& k = detail::invoke(key, element);
      const std::uint32_t hash = map.hash_of(k);
      auto v = static_cast<T>(detail::invoke(value, element));
      if constexpr (std::is_reference_v<decltype(detail::invoke(key, element))>) {
        part.add(hash, std::as_const(k), std::move(v), combine, map.equal_);
      } else {
        part.add(hash, std::move(k), std::move(v), combine, map.equal_);
      }
    }
  }

  template <class Stretch, class Map>
  static void sort_by_parts(Stretch& all, const Map& map) {
    const std::vector<std::uint32_t>& hashes = all.map.hashes();
    all.begins.resize(map.parts() + 1);
    for (const std::uint32_t hash : hashes) ++all.begins[map.part_of(hash) + 1];
    std::inclusive_scan(all.begins.begin(), all.begins.end(), all.begins.begin());
    std::vector<std::uint32_t> next = all.begins;
    all.order.resize(hashes.size());
    for (std::uint32_t entry = 0; entry != hashes.size(); ++entry)
      all.order[next[map.part_of(hashes[entry])]++] = entry;
  }

  template <class Run>
  static void for_each_of(std::size_t n, const Run& run) {
    Engine::for_positions(
        n,
        [&](position from, position to) {
          for (; from != to; ++from) run(static_cast<std::size_t>(from));
        },
        loop_options{.grain = 1});
  }
};

}  // namespace detail

// A hash_map that has value(element) for key(element). Where elements have equal keys, their values are combined in the
// order of the range: combine(first, second) returns both, or appends the second to the first.
//
//   parallel_hash_map(range, key, value, combine = sennit::first_value(), hash = std::hash<Key>(), equal = std::equal_to<>())
//
// The range has random access and a size. Precondition: combine is associative. key and value are called once for each
// element, by several threads at once, and so are combine, hash and equal; all of them as constants. Throws what one of
// them throws, or a copy of a key or value; std::bad_alloc; sennit::cancelled in a cancelled region. There is no map then,
// and the range is as it was. Thread-safety: any thread may call it. Deterministic: values are the same in every run and in
// sennit::serial, and so is the order of entries. Cost: each of 64 stretches of the range, of 16,384 elements at least,
// fills a map of its own, and these are put together, in 256 parts. Where all hashes are the same, that is quadratic in the
// number of keys, as with a std::unordered_map. Memory: for up to as many entries as there are elements, and about 52 bytes
// for each entry.
//
// Example:
//   #include <string>
//   #include <vector>
//
//   struct sale {
//     std::string customer;
//     double price;
//   };
//   auto totals(const std::vector<sale>& sales) {
//     return sennit::parallel_hash_map(sales, &sale::customer, &sale::price, std::plus<>());
//   }
//   auto first_prices(const std::vector<sale>& sales) {
//     return sennit::parallel_hash_map(sales, &sale::customer, &sale::price, sennit::first_value());
//   }
inline constexpr detail::algorithm<detail::hash_map_calls<detail::in_parallel>> parallel_hash_map{};

}  // namespace sennit
