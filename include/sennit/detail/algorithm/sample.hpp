// SPDX-License-Identifier: Apache-2.0
// A sample of elements that are to be sorted, and the buckets between its elements.
#pragma once

#include <sennit/detail/algorithm/guarded.hpp>
#include <sennit/detail/config.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace sennit::detail {

// The places of a sample, one after the other: the same ones each time. A regular distance could match one of the elements'.
class sample_places {
 public:
  sample_places(std::size_t n, std::size_t size) noexcept : distance_(n / size), random_(n) {}
  std::size_t operator()() noexcept {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return std::exchange(begin_, begin_ + distance_) + static_cast<std::size_t>((random_ >> 33) % distance_);
  }

 private:
  std::size_t distance_;
  std::size_t begin_ = 0;
  std::uint64_t random_;
};

// Copies of what elements are compared with lie closer together, or in registers.
template <class T>
inline constexpr bool copied_from_sample =
    std::is_trivially_copyable_v<T> && std::copyable<T> && std::default_initializable<T> && sizeof(T) <= 16;

// Elements of a range of n, in order: a power of two, less one. A bucket is what lies between two of them. If some of
// the sample are equal, elements equal to a splitter have a bucket of their own, whose number is odd.
template <class From, class Less>
class sample_buckets {
 public:
  sample_buckets(From from, std::size_t n, std::size_t most, const Less& less) : from_(from), less_(less) {
    const std::size_t wanted = std::bit_floor(std::clamp<std::size_t>(most, 4, most_splitters + 1));
    levels_ = static_cast<unsigned>(std::bit_width(wanted)) - 1;
    const std::size_t size = wanted * oversampling;
    std::array<std::size_t, (most_splitters + 1) * oversampling> sample;
    sample_places place(n, size);
    for (std::size_t i = 0; i < size; ++i) sample[i] = place();
    guarded_sort(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(size),
                 [&](std::size_t a, std::size_t b) { return less_(*at(a), *at(b)); });
    // Neighbors in order, mostly, share their buckets with those before them.
    std::size_t descents = 0;
    for (std::size_t i = 0; i + 1 < size; ++i) {
      const std::size_t element = sample[i] == n - 1 ? n - 2 : sample[i];
      descents += static_cast<std::size_t>(less_(*at(element + 1), *at(element)));
    }
    in_runs_ = descents < size / 8;
    std::size_t different = 0;
    for (std::size_t i = 1; i < wanted; ++i) {
      const std::size_t candidate = sample[i * oversampling];
      if (different != 0 && !less_(*at(sorted_[different - 1]), *at(candidate))) {
        equals_ = true;
      } else {
        sorted_[different++] = candidate;
      }
    }
    for (std::size_t i = different; i < wanted - 1; ++i) sorted_[i] = sorted_[different - 1];
    std::size_t next = 0;
    lay_out(1, next, wanted);
  }

  std::size_t buckets() const noexcept { return (std::size_t{1} << levels_) * (equals_ ? 2 : 1); }
  bool has_equals() const noexcept { return equals_; }

  // Writes the numbers of the buckets of elements [begin, end).
  void number(std::size_t begin, std::size_t end, std::uint16_t* numbers) const {
    if (in_runs_) return number_runs(begin, end, numbers);
    const std::size_t size = std::size_t{1} << levels_;
    // The processor overlaps the searches of neighbors, as no branch depends on an element.
    std::size_t i = begin;
    for (; i + together <= end; i += together) {
      std::size_t nodes[together];
      for (std::size_t& node : nodes) node = 1;
      for (unsigned level = 0; level < levels_; ++level) {
        [&]<std::size_t... K>(std::index_sequence<K...>) {
          ((nodes[K] = 2 * nodes[K] + static_cast<std::size_t>(!less_(*at(i + K), splitter(nodes[K])))), ...);
        }(std::make_index_sequence<together>());
      }
      for (std::size_t k = 0; k < together; ++k) numbers[i + k] = number_of(i + k, nodes[k] - size);
    }
    for (; i < end; ++i) numbers[i] = number_of(i, count_below(i));
  }

 private:
  using T = std::iter_value_t<From>;
  static constexpr std::size_t most_splitters = 255;
  static constexpr std::size_t oversampling = 8;
  static constexpr bool copied = copied_from_sample<T>;
  static constexpr std::size_t together = copied ? 8 : 1;

  From at(std::size_t i) const { return from_ + static_cast<std::iter_difference_t<From>>(i); }
  SENNIT_INLINE decltype(auto) splitter(std::size_t node) const {
    if constexpr (copied) {
      return (tree_[node]);
    } else {
      return *at(tree_[node]);
    }
  }
  // How many splitters are not above the element.
  std::size_t count_below(std::size_t i) const {
    std::size_t node = 1;
    for (unsigned level = 0; level < levels_; ++level)
      node = 2 * node + static_cast<std::size_t>(!less_(*at(i), splitter(node)));
    return node - (std::size_t{1} << levels_);
  }
  // The same, with the bucket of the element before tried first.
  void number_runs(std::size_t begin, std::size_t end, std::uint16_t* numbers) const {
    const std::size_t last = (std::size_t{1} << levels_) - 1;
    std::size_t below = 0;
    From low = at(sorted_[0]);
    From high = low;
    for (std::size_t i = begin; i < end; ++i) {
      const bool here =
          i != begin && (below == last || less_(*at(i), *high)) && (below == 0 || !less_(*at(i), *low));
      if (!here) {
        below = count_below(i);
        low = at(sorted_[below == 0 ? 0 : below - 1]);
        high = at(sorted_[below == last ? last - 1 : below]);
      }
      numbers[i] = number_of(i, below);
    }
  }
  SENNIT_INLINE std::uint16_t number_of(std::size_t i, std::size_t below) const {
    if (!equals_) return static_cast<std::uint16_t>(below);
    const bool equal = below != 0 && !less_(*at(sorted_[below - 1]), *at(i));
    return static_cast<std::uint16_t>(2 * below - static_cast<std::size_t>(equal));
  }
  // The sorted ones as an implicit tree, whose node k has the children 2 k and 2 k + 1.
  void lay_out(std::size_t node, std::size_t& next, std::size_t size) {
    if (node >= size) return;
    lay_out(2 * node, next, size);
    if constexpr (copied) {
      tree_[node] = *at(sorted_[next++]);
    } else {
      tree_[node] = sorted_[next++];
    }
    lay_out(2 * node + 1, next, size);
  }

  From from_;
  const Less& less_;
  unsigned levels_ = 0;
  bool equals_ = false;
  bool in_runs_ = false;
  std::array<std::size_t, most_splitters> sorted_;
  mutable std::array<std::conditional_t<copied, T, std::size_t>, most_splitters + 1> tree_;
};

}  // namespace sennit::detail
