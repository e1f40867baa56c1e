// SPDX-License-Identifier: Apache-2.0
// The parallel algorithms of C++17 in libstdc++, as std::sort(std::execution::par, ...), on Sennit: the functions that they
// ask of a back end. Comes before any header of the standard library, best by -include sennit/std_execution.hpp on the
// command line. See integrations/std_execution/README.md.
#pragma once

#if defined(_PSTL_PARALLEL_BACKEND_H)
#error "sennit/std_execution.hpp: include it before <execution>, best by -include on the command line"
#endif
// libstdc++ has no place for a back end from outside. With the guard of the header that selects one set, the one below is
// it, whether oneTBB is installed or not.
#define _PSTL_PARALLEL_BACKEND_H

#include <sennit/algorithm/select.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/parts.hpp>
#include <sennit/detail/algorithm/raw_memory.hpp>
#include <sennit/detail/algorithm/scan.hpp>
#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/parallel_sort.hpp>
#include <sennit/worker.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#if !defined(__GLIBCXX__)
#error "sennit/std_execution.hpp: this is for libstdc++, whose parallel algorithms have a back end"
#endif

namespace sennit::std_execution {

using detail::position;

// A function of the program that several strands call, and that need not be constant.
template <class F>
struct shared {
  template <class... A>
  decltype(auto) operator()(A&&... arguments) const {
    return function(std::forward<A>(arguments)...);
  }
  F& function;
};

// The values of parts of [first, last) as libstdc++ has them: unary(i) of one element, reduce(i, j, left) appends some.
template <class Index, class T, class Unary, class Combine, class Reduce>
class reduced_parts
    : public detail::parts<reduced_parts<Index, T, Unary, Combine, Reduce>, T, const shared<Combine>> {
 public:
  static constexpr bool whole_chunks = true;
  static constexpr position begins_after = 1;

  reduced_parts(Index first, Unary& unary, const shared<Combine>& combine, Reduce& reduce)
      : reduced_parts::parts(combine), first_(first), unary_(unary), reduce_(reduce) {}

  T begin(position from) const { return unary_(at(from)); }
  template <class Gate>
  position extend(T& left, position from, position to, Gate) const {
    left = reduce_(at(from), at(to), left);
    return to;
  }
  std::uintptr_t code() const noexcept { return 0; }

 private:
  Index at(position p) const { return first_ + static_cast<std::ptrdiff_t>(p); }

  Index first_;
  Unary& unary_;
  Reduce& reduce_;
};

// The value of elements as a tree of halves. To combine two values may take as long as there are elements in them, which are
// moved, or copied: from left to right that would be a square. `fold(i, j)` reduces a leaf.
template <class Index, class T, class Fold, class Combine>
class halves {
 public:
  halves(Index first, Fold& fold, Combine& combine) : first_(first), fold_(fold), combine_(combine) {}

  T run(position n) const {
    const position workers = worker_count();
    const position leaves = workers == 1 ? 1 : leaves_a_worker * workers;
    return detail::reduction_tree<detail::in_parallel, T, halves>(*this, n, leaves).fold(0, n);
  }

  T fold(position from, position to) const { return fold_(at(from), at(to)); }
  T combined(T&& left, T&& right) const { return combine_(std::move(left), std::move(right)); }

 private:
  static constexpr position leaves_a_worker = 32;

  Index at(position p) const { return first_ + static_cast<std::ptrdiff_t>(p); }

  Index first_;
  Fold& fold_;
  Combine& combine_;
};

// [0, n) in parts of equal length, so that the sums of all can be had before the second pass: some for each worker, as
// they may take different times; one where there is one worker.
struct tiles {
  explicit tiles(std::size_t elements) {
    const std::size_t workers = worker_count();
    const std::size_t wanted = workers == 1 ? 1 : 8 * workers;
    length = std::max<std::size_t>((elements + wanted - 1) / wanted, 1);
    count = (elements + length - 1) / length;
    n = elements;
  }
  std::size_t begin(std::size_t tile) const { return tile * length; }
  std::size_t size(std::size_t tile) const { return std::min(length, n - begin(tile)); }

  std::size_t n = 0;
  std::size_t length = 1;
  std::size_t count = 0;
};

// A scan as libstdc++ has it: unary(i) of one element, reduce(i, j, left) appends the elements of [i, j), and scan(i, j, left)
// writes their prefixes, too.
template <class Index, class T, class Unary, class Combine, class Reduce, class Scan>
class scan_of_blocks {
 public:
  scan_of_blocks(Index n, Unary& unary, Combine& combine, Reduce& reduce, Scan& scan)
      : blocks_(static_cast<position>(n), {}),
        unary_(unary),
        combine_(combine),
        reduce_(reduce),
        scan_(scan) {}

  T run(T initial) {
    std::optional<T> carry(std::move(initial));
    detail::block_scan<T, scan_of_blocks>(*this).run(blocks_.count, carry, blocks_.by_block);
    return *std::move(carry);
  }

  T combined(const T& left, T&& right) const { return combine_(left, right); }
  T reduced(position block) const {
    const Index first = begin(block);
    return reduce_(first + 1, end(block), unary_(first));
  }
  void scan_block(position block, std::optional<T>& carry) const {
    carry = scan_(begin(block), end(block), *carry);
  }

 private:
  Index begin(position block) const { return static_cast<Index>(blocks_.begin(block)); }
  Index end(position block) const { return static_cast<Index>(blocks_.end(block)); }

  detail::blocks blocks_;
  Unary& unary_;
  Combine& combine_;
  Reduce& reduce_;
  Scan& scan_;
};

// Brings the least `wanted` of two neighboring parts to the front, in order. Of each part, the least `wanted` already are
// at its front, in order.
template <class It, class Compare>
void keep_least(It first, It middle, It last, std::ptrdiff_t wanted, Compare& compare) {
  It left = first;
  It right = middle;
  const It left_end = first + std::min(wanted, middle - first);
  const It right_end = middle + std::min(wanted, last - middle);
  for (std::ptrdiff_t taken = 0; taken != wanted && right != right_end; ++taken) {
    if (left != left_end && !compare(*right, *left)) {
      ++left;
    } else {
      ++right;
    }
  }
  const auto from_right = right - middle;
  if (left + from_right <= middle) {
    std::swap_ranges(middle, right, left);
  } else {
    std::rotate(left, middle, right);
  }
  std::inplace_merge(first, left, left + from_right, compare);
}

// Brings the least `wanted` to the front, in order. `leaf` sorts a part, and is called once for each of
// some that cover all: it may also bring the elements there.
template <class It, class Compare, class Leaf>
void sort_by_leaves(It first, It last, std::ptrdiff_t wanted, Compare& compare, Leaf& leaf,
                    std::ptrdiff_t longest) {
  if (last - first <= longest) {
    leaf(first, last, compare);
    return;
  }
  const It middle = first + (last - first) / 2;
  sennit::join([&] { sort_by_leaves(first, middle, wanted, compare, leaf, longest); },
               [&] { sort_by_leaves(middle, last, wanted, compare, leaf, longest); });
  keep_least(first, middle, last, std::min(wanted, last - first), compare);
}

template <class It, class Compare>
void sort_values(It first, It last, Compare& compare);

// Sorts; equal elements keep their order.
template <class It, class Compare>
void sort(It first, It last, Compare& compare) {
  if constexpr (!std::permutable<It>) {
    sort_values(first, last, compare);
  } else if constexpr (std::predicate<const Compare&, std::iter_reference_t<It>, std::iter_reference_t<It>>) {
    sennit::parallel_stable_sort(first, last, std::as_const(compare));
  } else {
    // A comparison of the program may be one that changes itself: who gives it knows whether it may be shared.
    sennit::parallel_stable_sort(first, last, [&](const auto& a, const auto& b) { return compare(a, b); });
  }
}

// Sorts copies. An iterator of C++17 may refer by an object that stands for several elements, as a zip_iterator of Thrust does;
// that is no iterator to sort with in C++20.
template <class It, class Compare>
void sort_values(It first, It last, Compare& compare) {
  using value = typename std::iterator_traits<It>::value_type;
  const std::ptrdiff_t n = last - first;
  const detail::needed_memory<value> memory(static_cast<std::size_t>(n));
  value* const copies = memory.get();
  // In order: where one throws, those before it are ended.
  std::uninitialized_copy(first, last, copies);
  const auto destroy = [n](value* begin) { std::destroy_n(begin, n); };
  const std::unique_ptr<value, decltype(destroy)> alive(copies, destroy);
  sennit::std_execution::sort(copies, copies + n, compare);
  sennit::parallel_for(std::ptrdiff_t{0}, n, [&](std::ptrdiff_t i) { *(first + i) = std::move(copies[i]); });
}

// Merges two sorted sequences; of equal elements, those of the first come first. `leaf` merges what is short.
template <class X, class Y, class Z, class Compare, class Leaf>
void merge(X x, X x_end, Y y, Y y_end, Z z, Compare& compare, Leaf& leaf) {
  constexpr std::ptrdiff_t short_enough = 2048;
  if ((x_end - x) + (y_end - y) <= short_enough) {
    leaf(x, x_end, y, y_end, z, compare);
    return;
  }
  X x_middle = x;
  Y y_middle = y;
  if (x_end - x < y_end - y) {
    y_middle = y + (y_end - y) / 2;
    x_middle = std::upper_bound(x, x_end, *y_middle, compare);
  } else {
    x_middle = x + (x_end - x) / 2;
    y_middle = std::lower_bound(y, y_end, *x_middle, compare);
  }
  const Z z_middle = z + ((x_middle - x) + (y_middle - y));
  sennit::join([&] { merge(x, x_middle, y, y_middle, z, compare, leaf); },
               [&] { merge(x_middle, x_end, y_middle, y_end, z_middle, compare, leaf); });
}

}  // namespace sennit::std_execution

// The names and their meaning are those of libstdc++'s other back ends.
namespace __pstl {
namespace __sennit_backend {

template <typename T>
class __buffer {
 public:
  explicit __buffer(std::size_t n) : memory_(n) {}

  operator bool() const { return true; }
  T* get() const { return memory_.get(); }

 private:
  sennit::detail::needed_memory<T> memory_;
};

// What is asked of the strands that have something left to do. They see it themselves: each looks for a match, or whether
// there is one, before it begins a chunk.
inline void __cancel_execution() {}

template <class Policy, class Index, class F>
void __parallel_for(Policy&&, Index first, Index last, F f) {
  sennit::parallel_for(std::ptrdiff_t{0}, static_cast<std::ptrdiff_t>(last - first),
                       [&](std::ptrdiff_t from, std::ptrdiff_t to) { f(first + from, first + to); });
}

template <class Policy, class Value, class Index, typename Body, typename Combine>
Value __parallel_reduce(Policy&&, Index first, Index last, const Value& identity, const Body& body,
                        const Combine& combine) {
  if (first == last) return identity;
  const auto fold = [&](Index from, Index to) { return body(from, to, identity); };
  return sennit::std_execution::halves<Index, Value, decltype(fold), const Combine>(first, fold, combine)
      .run(static_cast<sennit::detail::position>(last - first));
}

template <class Policy, class Index, class Unary, class T, class Combine, class Reduce>
T __parallel_transform_reduce(Policy&&, Index first, Index last, Unary unary, T initial, Combine combine,
                              Reduce reduce) {
  if (first == last) return initial;
  const auto n = static_cast<sennit::detail::position>(last - first);
  if constexpr (std::is_trivially_copyable_v<T>) {
    const sennit::std_execution::shared<Combine> shared{combine};
    using parts = sennit::std_execution::reduced_parts<Index, T, Unary, Combine, Reduce>;
    return combine(std::move(initial),
                   *sennit::detail::in_parallel::fold(n, parts(first, unary, shared, reduce), {}));
  } else {
    const auto fold = [&](Index from, Index to) { return reduce(from + 1, to, unary(from)); };
    return combine(
        std::move(initial),
        sennit::std_execution::halves<Index, T, decltype(fold), Combine>(first, fold, combine).run(n));
  }
}

// `reduce` and `scan` are called once for each tile. `apex` is called between, with the sum of all.
template <class Policy, typename Index, typename T, typename Reduce, typename Combine, typename Scan,
          typename Apex>
void __parallel_strict_scan(Policy&&, Index n, T initial, Reduce reduce, Combine combine, Scan scan,
                            Apex apex) {
  const sennit::std_execution::tiles tiles(static_cast<std::size_t>(n));
  const auto begin = [&](std::size_t tile) { return static_cast<Index>(tiles.begin(tile)); };
  const auto size = [&](std::size_t tile) { return static_cast<Index>(tiles.size(tile)); };
  __buffer<T> sums(tiles.count);
  T* const sum = sums.get();
  sennit::parallel_for(
      tiles.count, [&](std::size_t tile) { ::new (sum + tile) T(reduce(begin(tile), size(tile))); },
      sennit::grain(1));
  for (std::size_t tile = 0; tile != tiles.count; ++tile) {
    T next = combine(initial, sum[tile]);
    sum[tile] = std::exchange(initial, std::move(next));
  }
  apex(initial);
  sennit::parallel_for(
      tiles.count, [&](std::size_t tile) { scan(begin(tile), size(tile), sum[tile]); }, sennit::grain(1));
}

template <class Policy, class Index, class Unary, class T, class Combine, class Reduce, class Scan>
T __parallel_transform_scan(Policy&&, Index n, Unary unary, T initial, Combine combine, Reduce reduce,
                            Scan scan) {
  using blocks = sennit::std_execution::scan_of_blocks<Index, T, Unary, Combine, Reduce, Scan>;
  return blocks(n, unary, combine, reduce, scan).run(std::move(initial));
}

template <class Policy, typename It, typename Compare, typename Leaf>
void __parallel_stable_sort(Policy&&, It first, It last, Compare compare, Leaf) {
  sennit::std_execution::sort(first, last, compare);
}

// `leaf` puts the elements there, and `wanted` of them are to be sorted.
template <class Policy, typename It, typename Compare, typename Leaf, typename Count>
void __parallel_stable_sort(Policy&&, It first, It last, Compare compare, Leaf leaf, Count wanted) {
  const auto n = last - first;
  // That of std::partial_sort knows `wanted` and no other place, so the elements are there. Others bring them.
  if constexpr (sizeof(Leaf) == sizeof(Count) && std::permutable<It>) {
    if (static_cast<std::ptrdiff_t>(wanted) < n) {
      sennit::parallel_partial_sort(first, first + static_cast<std::ptrdiff_t>(wanted), last,
                                    [&](const auto& a, const auto& b) { return compare(a, b); });
      return;
    }
  }
  const auto longest =
      static_cast<std::ptrdiff_t>(sennit::std_execution::tiles(static_cast<std::size_t>(n)).length);
  const auto least = std::min(static_cast<std::ptrdiff_t>(wanted), n);
  sennit::std_execution::sort_by_leaves(first, last, least, compare, leaf,
                                        std::max<std::ptrdiff_t>(longest, 500));
  if (least == n) sennit::std_execution::sort(first, last, compare);
}

template <class Policy, typename X, typename Y, typename Z, typename Compare, typename Leaf>
void __parallel_merge(Policy&&, X x, X x_end, Y y, Y y_end, Z z, Compare compare, Leaf leaf) {
  sennit::std_execution::merge(x, x_end, y, y_end, z, compare, leaf);
}

template <class Policy, typename F, typename G>
void __parallel_invoke(Policy&&, F&& f, G&& g) {
  sennit::join([&] { std::forward<F>(f)(); }, [&] { std::forward<G>(g)(); });
}

}  // namespace __sennit_backend
namespace __par_backend = __sennit_backend;
}  // namespace __pstl
