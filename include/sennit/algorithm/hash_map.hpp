// parallel_hash_map, and the hash_map that it makes: values found by keys.
#pragma once

#include <sennit/algorithm/integer_sort.hpp>
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
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit {
namespace detail {

template <class Engine>
struct hash_map_calls;

// The part of a map for which some bits of hashes are the same. Places are probed one after the other.
template <class Key, class T>
class hash_map_part {
 public:
  using value_type = std::pair<Key, T>;
  static constexpr std::size_t none = ~std::size_t{0};

  template <class K, class Equal>
  std::size_t find(std::uint32_t hash, const K& key, const Equal& equal) const {
    if (places_.empty()) return none;
    for (std::size_t at = hash & last();; at = (at + 1) & last()) {
      const place& p = places_[at];
      if (p.entry == 0) return none;
      if (p.hash == hash && equal(entries_[p.entry - 1].first, key)) return p.entry - 1;
    }
  }
  // Precondition: the key is not here. Nothing has changed after an exception.
  template <class K, class V>
  void add(std::uint32_t hash, K&& key, V&& value) {
    if (2 * entries_.size() >= places_.size()) grow();
    entries_.emplace_back(std::forward<K>(key), std::forward<V>(value));
    occupy(places_, {hash, static_cast<std::uint32_t>(entries_.size())});
  }
  std::vector<value_type>& entries() noexcept { return entries_; }
  const std::vector<value_type>& entries() const noexcept { return entries_; }

 private:
  struct place {
    std::uint32_t hash = 0;
    std::uint32_t entry = 0;  // its number, counted from 1
  };

  std::size_t last() const noexcept { return places_.size() - 1; }
  void grow() {
    std::vector<place> more(std::max<std::size_t>(2 * places_.size(), 16));
    for (const place& p : places_) {
      if (p.entry != 0) occupy(more, p);
    }
    places_.swap(more);
  }
  static void occupy(std::vector<place>& places, place p) noexcept {
    std::size_t at = p.hash & (places.size() - 1);
    while (places[at].entry != 0) at = (at + 1) & (places.size() - 1);
    places[at] = p;
  }

  std::vector<value_type> entries_;
  std::vector<place> places_;
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
    const std::uint64_t hash = hash_of(key);
    const detail::hash_map_part<Key, T>& part = parts_[part_of(hash)];
    const std::size_t at = part.find(static_cast<std::uint32_t>(hash), key, equal_);
    return at == part.none ? nullptr : &part.entries()[at].second;
  }
  bool contains(const Key& key) const { return find(key) != nullptr; }

  // All keys with their values are in parts() vectors, in the order in which the input first has the keys of a part. For a
  // loop over parts. Precondition: i < parts().
  std::size_t parts() const noexcept { return parts_.size(); }
  std::span<const value_type> part(std::size_t i) const noexcept { return parts_[i].entries(); }

 private:
  template <class Engine>
  friend struct detail::hash_map_calls;

  // Bits of the hash that are not for places within a part come first.
  template <class K>
  std::uint64_t hash_of(const K& key) const {
    return detail::mix(static_cast<std::uint64_t>(hash_(key)));
  }
  std::size_t part_of(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(hash >> 32U) & (parts_.size() - 1);
  }

  std::vector<detail::hash_map_part<Key, T>> parts_;
  std::size_t size_ = 0;
  Hash hash_;
  Equal equal_;
};

// For parallel_hash_map: of elements with equal keys the first one has the value.
struct first_value {
  template <class T, class V>
  void operator()(T&, const V&) const noexcept {}
};

namespace detail {

template <class R, class F>
using made_of_element = std::remove_cvref_t<std::invoke_result_t<const F&, std::ranges::range_reference_t<R>>>;

template <class R, class Key, class Value, class Combine, class Hash, class Equal>
concept mapped_elements =
    countable_range<R> && std::invocable<const Key&, std::ranges::range_reference_t<R>> &&
    std::invocable<const Value&, std::ranges::range_reference_t<R>> &&
    std::move_constructible<made_of_element<R, Key>> && std::move_constructible<made_of_element<R, Value>> &&
    combines<const Combine, made_of_element<R, Value>> &&
    std::is_invocable_r_v<std::size_t, const Hash&, const made_of_element<R, Key>&> &&
    std::predicate<const Equal&, const made_of_element<R, Key>&, const made_of_element<R, Key>&>;

// The form of parallel_hash_map, listed below.
template <class Engine>
struct hash_map_calls {
  template <class R, class Key, class Value, class Combine = first_value,
            class Hash = std::hash<made_of_element<R, Key>>, class Equal = std::equal_to<>>
    requires mapped_elements<R, Key, Value, Combine, Hash, Equal>
  hash_map<made_of_element<R, Key>, made_of_element<R, Value>, Hash, Equal>
  operator()(R&& range, Key key, Value value, Combine combine = {}, Hash hash = {},
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
      static_assert(never<A...>,
                    "parallel_hash_map: the arguments are a range, a function that makes a key of an element, "
                    "and one that makes a value of it");
    } else if constexpr (all.arguments == 1) {
      using V = typename decltype(all)::value;
      refuse_state<Key, V>();
      refuse_state<Value, V>();
      if constexpr (!std::invocable<const Key&, V> || !std::invocable<const Value&, V>) {
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
  struct hashed_position {
    std::uint32_t part;
    std::uint32_t hash;
    position at;
  };

  template <class Map, class It, class Key, class Value, class Combine>
  static void fill(Map& map, const elements<It>& all, const Key& key, const Value& value,
                   const Combine& combine) {
    if (all.size == 0) return;
    // A part is a cache's size or smaller, and there are some for each of many workers.
    map.parts_.resize(static_cast<std::size_t>(std::bit_floor(std::clamp<position>(all.size / 1024, 1, 256))));
    const auto hashes =
        std::make_unique_for_overwrite<hashed_position[]>(static_cast<std::size_t>(all.size));
    Engine::for_positions(all.size,
                          [&](position from, position to) {
                            for (; from != to; ++from) {
                              const std::uint64_t hash = map.hash_of(detail::invoke(key, *all.at(from)));
                              hashes[from] = {static_cast<std::uint32_t>(map.part_of(hash)),
                                              static_cast<std::uint32_t>(hash), from};
                            }
                          },
                          {});
    hashed_position* const begin = hashes.get();
    hashed_position* const end = begin + all.size;
    const auto part_of = [](const hashed_position& h) { return static_cast<std::uint8_t>(h.part); };
    if (map.parts_.size() != 1) integer_sort_calls<Engine>()(begin, end, part_of);
    Engine::for_positions(
        map.parts_.size(),
        [&](position from, position to) {
          const auto below = [](std::size_t part) { return [part](const hashed_position& h) { return h.part < part; }; };
          for (auto part = static_cast<std::size_t>(from); part != to; ++part) {
            hash_map_part<typename Map::key_type, typename Map::mapped_type>& filled = map.parts_[part];
            const hashed_position* next = std::partition_point(begin, end, below(part));
            for (; next != end && next->part == part; ++next) {
              auto&& element = *all.at(next->at);
              auto&& k = detail::invoke(key, element);
              const std::size_t entry = filled.find(next->hash, k, map.equal_);
              if (entry == filled.none) {
                filled.add(next->hash, k, detail::invoke(value, element));
              } else {
                combine_into(combine, filled.entries()[entry].second,
                             static_cast<typename Map::mapped_type>(detail::invoke(value, element)));
              }
            }
          }
        },
        grain_of_one);
    for (const auto& part : map.parts_) map.size_ += part.entries().size();
  }

  static constexpr loop_options grain_of_one{.grain = 1};
};

}  // namespace detail

// A hash_map that has value(element) for key(element). Where several elements have equal keys, their values are combined
// in the order of the range: combine(combine(first, second), third), or combine(first, second) appends to the first one.
//
//   parallel_hash_map(range, key, value, combine = sennit::first_value(), hash = std::hash<Key>(), equal = std::equal_to<>())
//
// The range has random access and a size. key is called twice for each element, and value once, by several threads at once;
// so are hash and equal. All are called as constants. Throws what one of them throws, or a copy of a key or value; std::bad_alloc;
// sennit::cancelled in a cancelled region. There is no map then, and the range is as it was. Thread-safety: any thread may
// call it. Deterministic: values and the order of entries are the same in every run. Cost: hashes, which are sorted into
// up to 256 parts, and then a serial fill of each part; so elements of one key are combined by one strand. Where all
// hashes are the same, a fill is quadratic in the number of keys, as that of a std::unordered_map. Memory: 32
// bytes for each element while it runs.
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
inline constexpr detail::algorithm<detail::hash_map_calls<detail::in_parallel>> parallel_hash_map{};

}  // namespace sennit
