// SPDX-License-Identifier: Apache-2.0
// Sorts by texts: a radix sort of some bytes of each at a time, with the positions of the elements.
#pragma once

#include <sennit/detail/algorithm/first_failure.hpp>
#include <sennit/detail/algorithm/in_order.hpp>
#include <sennit/detail/algorithm/keyed_sort.hpp>
#include <sennit/detail/algorithm/merge_sort.hpp>
#include <sennit/detail/algorithm/permute.hpp>
#include <sennit/detail/algorithm/radix_sort.hpp>
#include <sennit/detail/algorithm/raw_memory.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

template <class K>
inline constexpr bool is_text = false;
template <class A>
inline constexpr bool is_text<std::basic_string<char, std::char_traits<char>, A>> = true;
template <>
inline constexpr bool is_text<std::string_view> = true;

// The comparisons of a sort that are those of std::string, so that their outcome is known without the comparator.
template <class It, class Comp, class Proj>
inline constexpr bool sorted_by_text = [] {
  if constexpr (std::permutable<It> && std::indirectly_unary_invocable<Proj, It>) {
    using K = key_of<It, Proj>;
    return is_text<K> && is_less<Comp, K>;
  }
  return false;
}();

// Bytes of texts are compared where they lie together, and most texts differ in few of them: so a text is mostly read once
// (Kärkkäinen and Rantala, "Engineering Radix Sort for Strings", 2008, keep such bytes, too). Equal texts keep their order.
template <class Engine, class It, class Proj>
class text_sort {
 public:
  // Up to so many elements comparisons are faster.
  static constexpr std::size_t few = 64;

  text_sort(It first, std::size_t n, Proj& proj) : first_(first), size_(n), proj_(proj) {}

  // False if there was no memory. The elements are where they were then, and if the projection throws.
  bool run() {
    const auto texts_descend = [this](auto&& a, auto&& b) {
      auto&& x = detail::invoke(proj_, std::forward<decltype(a)>(a));
      auto&& y = detail::invoke(proj_, std::forward<decltype(b)>(b));
      return std::string_view(x) < std::string_view(y);
    };
    if (is_in_order<Engine>(first_, size_, texts_descend)) return true;
    const raw_memory<keyed_position> order(size_);
    const raw_memory<T> buffer(size_);
    {
      const raw_memory<keyed_position> other(size_);
      if (order.get() == nullptr || other.get() == nullptr || buffer.get() == nullptr) return false;
      order_ = order.get();
      other_ = other.get();
      for_each(0, size_, [&](std::size_t i) {
        std::construct_at(order_ + i,
                          with_text(i, [](std::string_view text) { return key_of_text(text, 0); }), i);
      });
      sort(0, size_, 0);
    }
    permute<Engine>(first_, size_, order_, buffer.get());
    return true;
  }

 private:
  using T = std::iter_value_t<It>;

  // Of texts that have more bytes, the last byte of the key is one more than this number.
  static constexpr std::size_t bytes_of_key = 7;
  struct range {
    std::size_t from;
    std::size_t to;
  };

  // Bytes of a text, which is at least so long, and how many of them there are: a text comes before all that it begins. So
  // texts of equal keys are equal, or go on.
  static std::uint64_t key_of_text(std::string_view text, std::size_t from) {
    unsigned char bytes[bytes_of_key + 1] = {};
    const std::string_view left = behind(text, from);
    std::memcpy(bytes, left.data(), std::min(left.size(), bytes_of_key));
    bytes[bytes_of_key] = static_cast<unsigned char>(std::min(left.size(), bytes_of_key + 1));
    const auto key = std::bit_cast<std::uint64_t>(bytes);
    return std::endian::native == std::endian::little ? __builtin_bswap64(key) : key;
  }
  // A projection may give a shorter text when it is called again.
  static std::string_view behind(std::string_view text, std::size_t at) {
    return text.substr(std::min(at, text.size()));
  }
  static bool goes_on(std::uint64_t key) noexcept { return (key & 0xff) > bytes_of_key; }

  template <class F>
  auto with_text(std::size_t i, F&& f) const {
    // The text may be a part of an element that is made here.
    auto&& element = *(first_ + static_cast<std::iter_difference_t<It>>(i));
    auto&& text = detail::invoke(proj_, std::forward<decltype(element)>(element));
    return f(std::string_view(text));
  }
  template <class F>
  static void for_each(std::size_t from, std::size_t to, F&& f) {
    Engine::for_positions(to - from,
                          [&](position begin, position end) {
                            for (auto i = static_cast<std::size_t>(begin); i != end; ++i) f(from + i);
                          },
                          {});
  }

  // Sorts the positions of texts that are equal up to `at`, where their keys begin. The longest range of those that are equal
  // behind, too, is next in the loop; so calls are nested less than the binary logarithm of n times.
  void sort(std::size_t from, std::size_t to, std::size_t at, unsigned keys = 1) {
    for (;; ++keys) {
      const position_key key;
      radix_sort<Engine, keyed_position, position_key>(order_ + from, other_ + from, key).run(to - from);
      std::vector<range> ties = ties_among(from, to);
      if (ties.empty()) return;
      at += bytes_of_key;
      const auto longest = std::ranges::max_element(ties, {}, [](const range& r) { return r.to - r.from; });
      const range last = *longest;
      *longest = ties.back();
      ties.pop_back();
      for_each(0, ties.size(), [&](std::size_t i) {
        if (!compare(ties[i], at, keys)) {
          take_keys(ties[i], at);
          sort(ties[i].from, ties[i].to, at, keys + 1);
        }
      });
      if (last.to - last.from == to - from) at = common(last, at);
      if (compare(last, at, keys)) return;
      take_keys(last, at);
      from = last.from;
      to = last.to;
    }
  }

  // Sorts texts that are equal up to `at` by comparisons, where that is faster than the next key: a few, or after so many keys.
  bool compare(const range& ties, std::size_t at, unsigned keys) {
    constexpr unsigned most_keys = 4;
    const std::size_t n = ties.to - ties.from;
    if (n > few && keys < most_keys) return false;
    const auto less = [&](const keyed_position& a, const keyed_position& b) {
      return with_text(a.position, [&](std::string_view x) {
        return with_text(b.position, [&](std::string_view y) { return behind(x, at) < behind(y, at); });
      });
    };
    first_failure failure;
    merge_sort<Engine, keyed_position*, std::remove_const_t<decltype(less)>>(
        order_ + ties.from, static_cast<std::ptrdiff_t>(n), other_ + ties.from, less, failure)
        .run();
    failure.rethrow();
    return true;
  }

  void take_keys(const range& texts, std::size_t at) {
    for_each(texts.from, texts.to, [&](std::size_t i) {
      order_[i].key =
          with_text(order_[i].position, [&](std::string_view text) { return key_of_text(text, at); });
    });
  }

  // Up to where texts are equal that are so up to `at`.
  std::size_t common(const range& texts, std::size_t at) const {
    return with_text(order_[texts.from].position, [&](std::string_view first) {
      std::atomic<std::size_t> least{first.size()};
      for_each(texts.from, texts.to, [&](std::size_t i) {
        with_text(order_[i].position, [&](std::string_view text) {
          std::size_t equal = least.load(std::memory_order_relaxed);
          const std::string_view begin = first.substr(at, equal - at);
          if (behind(text, at).starts_with(begin)) return;
          equal = at + static_cast<std::size_t>(std::ranges::mismatch(begin, behind(text, at)).in1 -
                                                begin.begin());
          // Another strand may have found less meanwhile.
          std::size_t known = least.load(std::memory_order_relaxed);
          while (equal < known && !least.compare_exchange_weak(known, equal, std::memory_order_relaxed)) {
          }
        });
      });
      return least.load(std::memory_order_relaxed);
    });
  }

  // For Engine::fold: the ranges of equal keys whose texts go on.
  struct tie_body {
    using value = std::vector<range>;
    static constexpr bool whole_chunks = true;

    value make() const { return {}; }
    template <class Gate>
    position run(value& ties, position begin, position end, Gate) const {
      for (std::size_t i = from + begin; i < from + end; ++i) {
        const std::uint64_t key = order[i].key;
        if (!goes_on(key) || i + 1 == to || order[i + 1].key != key || (i != from && order[i - 1].key == key))
          continue;
        std::size_t last = i + 1;
        while (last + 1 != to && order[last + 1].key == key) ++last;
        ties.push_back({i, last + 1});
        i = last;
      }
      return end;
    }
    void run_one(value& ties, position at) const { run(ties, at, at + 1, no_gate()); }
    void merge(value& left, value&& right) const { left.insert(left.end(), right.begin(), right.end()); }
    static std::uintptr_t code() noexcept { return 0; }

    const keyed_position* order;
    std::size_t from;
    std::size_t to;
  };
  std::vector<range> ties_among(std::size_t from, std::size_t to) const {
    return Engine::fold(to - from, tie_body{order_, from, to}, {});
  }

  It first_;
  std::size_t size_;
  Proj& proj_;
  keyed_position* order_ = nullptr;
  keyed_position* other_ = nullptr;
};

}  // namespace sennit::detail
