// SPDX-License-Identifier: Apache-2.0
// What is made of the elements of each key, in one pass over the elements, for keys that are few.
#pragma once

#include <sennit/detail/algorithm/combine.hpp>
#include <sennit/detail/algorithm/integer_key.hpp>
#include <sennit/detail/algorithm/parts.hpp>
#include <sennit/detail/algorithm/sample.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/held.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sennit::detail {

// The values of keys in the order in which the keys came. Keys are dense or scattered, and mostly known already: so three of
// four places are free, and a product is hash enough. The table of a hash_map, which keeps hashes, takes about twice as long.
template <class K, class T>
class key_table {
 public:
  using entries = std::vector<std::pair<K, T>>;

  // The value of the key, or null.
  SENNIT_INLINE T* find(K key) noexcept {
    for (std::size_t at = begin_of(key);; ++at) {
      const std::uint32_t place = places_[at & mask_];
      if (place == 0) return nullptr;
      if (entries_[place - 1].first == key) return &entries_[place - 1].second;
    }
  }
  // Precondition: find(key) is null.
  void add(K key, T&& value) {
    if (4 * (entries_.size() + 1) > places_.size()) enlarge();
    entries_.emplace_back(key, std::move(value));
    put(entries_.size());
  }
  entries& all() noexcept { return entries_; }

 private:
  void enlarge() {
    if (bits_ == 34) [[unlikely]]
      fail<std::length_error>("sennit::parallel_reduce_by_key: there are more than 2^32 keys");
    std::vector<std::uint32_t> places(2 * places_.size());
    places_.swap(places);
    mask_ = places_.size() - 1;
    ++bits_;
    for (std::size_t place = 1; place <= entries_.size(); ++place) put(place);
  }
  void put(std::size_t place) noexcept {
    std::size_t at = begin_of(entries_[place - 1].first);
    while (places_[at & mask_] != 0) ++at;
    places_[at & mask_] = static_cast<std::uint32_t>(place);
  }
  std::size_t begin_of(K key) const noexcept {
    return (std::uint64_t{ordered_bits(key)} * 0x9e3779b97f4a7c15U) >> (64 - bits_);
  }

  unsigned bits_ = 6;
  std::size_t mask_ = (std::size_t{1} << bits_) - 1;
  // One more than the index of an entry, or 0.
  std::vector<std::uint32_t> places_ = std::vector<std::uint32_t>(mask_ + 1);
  entries entries_;
};

// For Engine::fold: each strand at work has a table. Tables are combined in the order of the elements.
template <class It, class Key, class K, class T, class Map, class Combine>
struct key_sums_body {
  using value = key_table<K, T>;
  static constexpr bool whole_chunks = false;

  value make() const { return {}; }
  template <class Gate>
  position run(value& sums, position from, position to, Gate gate) const {
    auto&& key_of = nearby(key);
    auto&& value_of = nearby(map);
    auto&& combined = nearby(combine);
    It i = all.at(from);
    position at = from;
    do {
      const std::iter_value_t<It>& element = *i;
      const K k = detail::invoke(key_of, element);
      if (T* const sum = sums.find(k); sum != nullptr) {
        combine_into(combined, *sum, convert<T>(detail::invoke(value_of, element)));
      } else {
        sums.add(k, T(convert<T>(detail::invoke(value_of, element))));
      }
      ++i;
    } while (goes_on(++at, from, to, gate));
    return at;
  }
  void run_one(value& sums, position at) const { run(sums, at, at + 1, no_gate()); }
  void merge(value& left, value&& right) const {
    auto&& combined = nearby(combine);
    for (auto& [k, sum] : right.all()) {
      if (T* const before = left.find(k); before != nullptr) {
        combine_into(combined, *before, std::move(sum));
      } else {
        left.add(k, std::move(sum));
      }
    }
  }
  static std::uintptr_t code() noexcept { return 0; }

  elements<It> all;
  held<Key> key;
  held<Map> map;
  held<Combine> combine;
};

// Whether there are up to some hundred thousand keys: so it seems from a sample, in which some come twice then. A table of so many
// takes less than a sort.
template <class It, class Key>
bool has_few_keys(const elements<It>& all, Key& key) {
  constexpr std::size_t most = 4096;
  const std::size_t size = std::min(most, static_cast<std::size_t>(all.size));
  if (all.size <= most) return true;
  using K = std::remove_cvref_t<std::invoke_result_t<Key&, const std::iter_value_t<It>&>>;
  std::vector<bits_of_key<K>> keys;
  keys.reserve(size);
  sample_places place(static_cast<std::size_t>(all.size), size);
  for (std::size_t i = 0; i != size; ++i) {
    const std::iter_value_t<It>& element = *all.at(place());
    keys.push_back(ordered_bits<K>(detail::invoke(key, element)));
  }
  std::ranges::sort(keys);
  return std::ranges::unique(keys).size() >= size / 64;
}

}  // namespace sennit::detail
