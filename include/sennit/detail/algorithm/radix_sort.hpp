// SPDX-License-Identifier: Apache-2.0
// A stable parallel radix sort of elements that are copied as bytes are.
#pragma once

#include <sennit/detail/algorithm/first_failure.hpp>
#include <sennit/detail/algorithm/in_place_sort.hpp>
#include <sennit/detail/algorithm/radix_leaf.hpp>
#include <sennit/detail/algorithm/radix_scatter.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <type_traits>
#include <utility>

namespace sennit::detail {

// Elements go from the range to a buffer, or back, into buckets by the leading digit of their keys; buckets that fit in
// a cache are sorted by radix_leaf, others likewise. Blocks of the elements are counted and moved in parallel. A pass
// copies, so that a part that failed, or that a cancelled region dropped, has lost nothing.
template <class Engine, class T, class Key>
class radix_sort {
 public:
  using leaf = radix_leaf<T, Key>;
  using bits = typename leaf::bits;

  radix_sort(T* range, T* buffer, const Key& key) : range_(range), buffer_(buffer), key_(key) {}

  // Sorts the first n elements of the range, or throws what a key throws, and sennit::cancelled; the range then has
  // its elements in some order.
  void run(std::size_t n) {
    sort(0, n, false, false);
    failure_.rethrow();
  }

 private:
  static constexpr std::size_t leaf_size =
      std::min(std::size_t{1} << (sizeof(bits) == 8 ? 14 : 16), std::size_t{1 << 18} / sizeof(T));
  static constexpr unsigned most_digits = 11;
  static constexpr std::size_t smallest_block = std::size_t{1} << 16;
  static constexpr std::size_t most_blocks = 1024;
  static constexpr std::size_t samples = 128;

  // Sorts [from, to), which is in the buffer or in the range, into the range. The elements are there in any case.
  void sort(std::size_t from, std::size_t to, bool in_buffer, bool exactly) noexcept {
    const std::size_t n = to - from;
    if (failure_.occurred()) {
      if (in_buffer) copy(buffer_ + from, range_ + from, n);
      return;
    }
    T* const data = (in_buffer ? buffer_ : range_) + from;
    T* const other = (in_buffer ? range_ : buffer_) + from;
    if (n <= leaf_size) {
      failure_.attempt([&] { leaf::sort(data, other, n, in_buffer, key_); });
      return;
    }
    radix_digit<bits> digit;
    bool in_order = false;
    std::unique_ptr<std::size_t[]> ends;
    const bool moved = failure_.attempt([&] {
      in_order = is_in_order(data, n);
      if (in_order) return;
      digit = digit_of(data, n, exactly);
      ends = distribute(data, other, n, digit);
    });
    if (moved && ends != nullptr) return sort_buckets(from, !in_buffer, digit, ends.get());
    if (in_buffer) copy(data, other, n);
    if (!moved || in_order) return;
    // There was no memory for the counters.
    failure_.attempt([&] {
      in_place_sort<Engine>(range_ + from, range_ + to, [this](T& a, T& b) { return key_(a) < key_(b); });
    });
  }

  void sort_buckets(std::size_t from, bool in_buffer, const radix_digit<bits>& digit,
                    std::size_t* ends) noexcept {
    const auto begin = [=](std::size_t bucket) { return bucket == 0 ? 0 : ends[bucket - 1]; };
    const std::size_t n = ends[digit.buckets - 1];
    std::unique_ptr<bool[]> is_done(new (std::nothrow) bool[digit.buckets]());
    const auto sort_one = [&](std::size_t b) {
      const std::size_t first = begin(b);
      const std::size_t size = ends[b] - first;
      const bool outer = b == 0 || b + 1 == digit.buckets;
      if (size == 0) return;
      if (digit.shift == 0 && !outer) {
        if (in_buffer) copy(buffer_ + from + first, range_ + from + first, size);
      } else {
        sort(from + first, from + ends[b], in_buffer, outer && size > n / 2);
      }
    };
    const auto run = [&](position first, position last) {
      for (auto b = static_cast<std::size_t>(first); b != last; ++b) {
        sort_one(b);
        is_done[b] = true;
      }
    };
    if (is_done != nullptr && failure_.attempt([&] { Engine::for_positions(digit.buckets, run, {}); }))
      return;
    for (std::size_t b = 0; b < digit.buckets; ++b) {
      if (is_done == nullptr || !is_done[b]) sort_one(b);
    }
  }

  // Copies in parallel, and as a whole even if the region is cancelled.
  void copy(const T* source, T* target, std::size_t n) noexcept {
    const auto run = [=](position from, position to) {
      std::copy(source + from, source + to, target + from);
    };
    first_failure dropped;
    if (n < smallest_block) {
      std::copy_n(source, n, target);
    } else if (!dropped.attempt([&] { Engine::for_positions(n, run, {}); })) {
      std::copy_n(source, n, target);
    }
  }

  // Whether the elements are sorted already, or have been reversed to that.
  bool is_in_order(T* data, std::size_t n) {
    const bool descends = key_(data[1]) < key_(data[0]);
    std::atomic<bool> none{false};
    Engine::for_positions(
        n - 1,
        [&](position from, position to) {
          if (none.load(std::memory_order_relaxed)) return;
          if (!leaf::is_in_order(data + from, static_cast<std::size_t>(to - from), descends, key_))
            none.store(true, std::memory_order_relaxed);
        },
        {});
    if (none.load(std::memory_order_relaxed)) return false;
    if (descends) std::reverse(data, data + n);
    return true;
  }

  // The leading digits of keys between the lowest and the highest of some, and a bucket for those outside.
  radix_digit<bits> digit_of(T* data, std::size_t n, bool exactly) {
    const std::size_t stride = exactly ? 1 : n / samples;
    bits lowest = key_(data[stride / 2]);
    bits highest = lowest;
    for (std::size_t i = stride / 2; i < n; i += stride) {
      const bits k = key_(data[i]);
      lowest = std::min(lowest, k);
      highest = std::max(highest, k);
    }
    // As few levels as possible, of as many digits each.
    const auto wanted = static_cast<unsigned>(std::bit_width(n / leaf_size));
    const unsigned levels = (wanted + most_digits - 1) / most_digits;
    const unsigned digits = (wanted + levels - 1) / levels;
    const auto width = static_cast<unsigned>(std::bit_width(static_cast<bits>(highest - lowest)));
    return radix_digit<bits>(lowest, highest, width > digits ? width - digits : 0);
  }

  // Copies elements into their buckets in `other`. Returns the ends of the buckets, or null if there is no
  // memory for counters.
  std::unique_ptr<std::size_t[]> distribute(T* data, T* other, std::size_t n,
                                            const radix_digit<bits>& digit) {
    const std::size_t buckets = digit.buckets;
    const std::size_t block = std::max(smallest_block, n / most_blocks + 1);
    const std::size_t blocks = (n + block - 1) / block;
    std::unique_ptr<std::size_t[]> places(new (std::nothrow) std::size_t[(blocks + 1) * buckets]);
    if (places == nullptr) return places;
    std::size_t* const sums = places.get();
    const auto counts = [=](std::size_t b) { return sums + (b + 1) * buckets; };
    Engine::for_positions(blocks,
                          [&](position first, position last) {
                            for (auto b = static_cast<std::size_t>(first); b != last; ++b)
                              count_digits(data + b * block, std::min(block, n - b * block), counts(b), key_,
                                           digit);
                          },
                          {});
    std::fill_n(sums, buckets, std::size_t{0});
    for (std::size_t b = 0; b < blocks; ++b) {
      for (std::size_t i = 0; i < buckets; ++i) sums[i] += counts(b)[i];
    }
    std::exclusive_scan(sums, sums + buckets, sums, std::size_t{0});
    for (std::size_t b = 0; b < blocks; ++b) {
      for (std::size_t i = 0; i < buckets; ++i) sums[i] += std::exchange(counts(b)[i], sums[i]);
    }
    Engine::for_positions(blocks,
                          [&](position first, position last) {
                            for (auto b = static_cast<std::size_t>(first); b != last; ++b)
                              scatter(data + b * block, std::min(block, n - b * block), other, counts(b),
                                      key_, digit);
                          },
                          {});
    return places;
  }

  T* range_;
  T* buffer_;
  const Key& key_;
  first_failure failure_;
};

}  // namespace sennit::detail
