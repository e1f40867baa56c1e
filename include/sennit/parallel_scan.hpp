// parallel_scan, parallel_exclusive_scan: all prefixes of a sequence, combined.
#pragma once

#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop.hpp>
#include <sennit/detail/sequence.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit {
namespace detail {

// combine(T, element) and combine(T, T), both of which give a T.
template <class F, class T, class V>
concept scan_operation =
    std::invocable<F&, const T&, V> && std::convertible_to<std::invoke_result_t<F&, const T&, V>, T> &&
    std::invocable<F&, const T&, T> && std::convertible_to<std::invoke_result_t<F&, const T&, T>, T>;

// The type of the prefixes: they are written and carried on. An element is the prefix of itself.
template <class T, class V>
concept scan_result = std::copyable<T> && std::convertible_to<V, T>;

enum class scan_kind { inclusive, exclusive };

// The sequence is cut into blocks. Whoever comes to a block when all before it are done scans it at once: one
// worker does so for all of them, in a single pass. The others, ahead of that frontier, only reduce their
// blocks; these are scanned in a second pass, once their prefixes are known. (Two passes over blocks:
// Blelloch, "Prefix sums and their applications", 1990, 1.2.1; those at the frontier need but one, as in
// Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016.)
template <scan_kind Kind, class In, class Out, class T, class Combine>
class scan {
 public:
  // `initial` is a T, or nothing.
  template <class... Initial>
  scan(const elements<In>& in, const elements<Out>& out, Combine& combine, Initial&&... initial)
      : in_(in), out_(out), combine_(combine) {
    (carry_.emplace(std::forward<Initial>(initial)), ...);
  }

  // All of it combined, once run() has returned.
  T total() && { return *std::move(carry_); }

  void run(const loop_options& how) {
    block_ = how.grain != 0 ? how.grain : default_block();
    const position blocks = (in_.size + block_ - 1) / block_;
    loop_options by_block = how;
    if (how.grain != 0) by_block.grain = 1;

    std::vector<std::optional<T>> parts(blocks > 1 ? static_cast<std::size_t>(blocks) : 0);
    for_positions(
        blocks,
        [&](position from, position to) {
          for (position b = from; b != to; ++b) {
            // Acquire: carry_, as the strand that did the block before left it by the release below.
            if (done_.load(std::memory_order_acquire) == b) {
              scan_block(b, carry_);
              done_.store(b + 1, std::memory_order_release);
            } else {
              parts[static_cast<std::size_t>(b)].emplace(reduced(b));
            }
          }
        },
        by_block);

    const position first = done_.load(std::memory_order_relaxed);
    for (position b = first; b != blocks; ++b) {
      std::optional<T>& part = parts[static_cast<std::size_t>(b)];
      std::optional<T> next(combined(*carry_, *std::move(part)));
      part = std::exchange(carry_, std::move(next));
    }
    for_positions(
        blocks - first,
        [&](position from, position to) {
          for (position b = first + from; b != first + to; ++b)
            scan_block(b, parts[static_cast<std::size_t>(b)]);
        },
        by_block);
  }

 private:
  // As many blocks as a block has elements: what is done serially for each block is then next to nothing.
  position default_block() const {
    return static_cast<position>(std::sqrt(static_cast<double>(in_.size))) + 1;
  }

  position end_of(position block) const { return std::min(in_.size, (block + 1) * block_); }

  template <class Right>
  T combined(const T& left, Right&& right) const {
    return static_cast<T>(detail::invoke(combine_, left, std::forward<Right>(right)));
  }

  T reduced(position block) const {
    In i = in_.at(block * block_);
    const In end = in_.at(end_of(block));
    T sum = static_cast<T>(*i);
    for (++i; i != end; ++i) sum = combined(sum, *i);
    return sum;
  }

  // `carry` is what comes before the block, and then what comes before the next one.
  void scan_block(position block, std::optional<T>& carry) const {
    In i = in_.at(block * block_);
    const In end = in_.at(end_of(block));
    Out o = out_.at(block * block_);
    if constexpr (Kind == scan_kind::inclusive) {
      T sum = carry ? combined(*carry, *i) : static_cast<T>(*i);
      *o = std::as_const(sum);
      for (++i, ++o; i != end; ++i, ++o) {
        sum = combined(sum, *i);
        *o = std::as_const(sum);
      }
      carry = std::move(sum);
    } else {
      T sum = *std::move(carry);
      for (; i != end; ++i, ++o) {
        T next = combined(sum, *i);
        *o = std::move(sum);
        sum = std::move(next);
      }
      carry = std::move(sum);
    }
  }

  const elements<In> in_;
  const elements<Out> out_;
  Combine& combine_;
  position block_ = 1;
  std::atomic<position> done_{0};
  std::optional<T> carry_;
};

template <class In, class D, class Combine>
void inclusive_scan(const elements<In>& in, D& out, Combine& combine, const loop_options& how) {
  using target = typename destination_of<D>::iterator;
  const elements<target> to{begin_of(out, in.size, "parallel_scan"), in.size};
  scan<scan_kind::inclusive, In, target, std::iter_value_t<In>, Combine>(in, to, combine).run(how);
}

template <class In, class D, class T, class Combine>
T exclusive_scan(const elements<In>& in, D& out, T initial, Combine& combine, const loop_options& how) {
  using target = typename destination_of<D>::iterator;
  const elements<target> to{begin_of(out, in.size, "parallel_exclusive_scan"), in.size};
  scan<scan_kind::exclusive, In, target, T, Combine> all(in, to, combine, std::move(initial));
  all.run(how);
  return std::move(all).total();
}

}  // namespace detail

// The inclusive scan: out[i] = combine(... combine(in[0], in[1]) ..., in[i]), in any bracketing, for the
// elements of a range or of [first, last). combine is associative; it need not be commutative: the order is
// that of the elements. `out` is an iterator, with room behind it, or a range; it may be that of the input,
// but not otherwise overlap it.
//
// combine is called by several threads at once, once for each element where one worker does it all, and at
// most about twice where several do. grain(n) makes blocks of n elements. Throws what combine or copying a
// value throws, std::invalid_argument if `out` is a range with too few elements, std::bad_alloc, and
// sennit::cancelled in a cancelled region; what `out` holds then is unspecified. Cost: one pass and, over
// what other workers took, a second one; the square root of the number of elements is allocated.
//
// Example:
//   #include <vector>
//
//   void running_total(std::vector<double>& x) { sennit::parallel_scan(x, x); }
//   void running_maximum(const std::vector<int>& x, std::vector<int>& y) {
//     sennit::parallel_scan(x, y, [](int a, int b) { return a < b ? b : a; });
//   }
template <detail::countable_range R, class Out, class Combine = std::plus<>>
  requires detail::scan_result<std::ranges::range_value_t<R>, std::ranges::range_reference_t<R>> &&
           detail::scan_operation<Combine, std::ranges::range_value_t<R>,
                                  std::ranges::range_reference_t<R>> &&
           detail::destination<Out, const std::ranges::range_value_t<R>&>
void parallel_scan(R&& in, Out&& out, Combine&& combine = {}, const loop_options& how = {}) {
  detail::inclusive_scan(detail::sequence_of(in), out, combine, how);
}
template <class It, class End, class Out, class Combine = std::plus<>>
  requires detail::iterator_bounds<It, End> &&
           detail::scan_result<std::iter_value_t<It>, std::iter_reference_t<It>> &&
           detail::scan_operation<Combine, std::iter_value_t<It>, std::iter_reference_t<It>> &&
           detail::destination<Out, const std::iter_value_t<It>&>
void parallel_scan(It first, End last, Out&& out, Combine&& combine = {}, const loop_options& how = {}) {
  detail::inclusive_scan(detail::sequence_of(first, last), out, combine, how);
}

// The exclusive scan: out[0] = initial, out[i] = combine(... combine(initial, in[0]) ..., in[i - 1]). Returns
// all of it combined, which is what would come next. Otherwise as parallel_scan.
//
// Example:
//   #include <vector>
//
//   long offsets(const std::vector<long>& sizes, std::vector<long>& begins) {
//     return sennit::parallel_exclusive_scan(sizes, begins, 0L);
//   }
template <detail::countable_range R, class Out, class T, class Combine = std::plus<>>
  requires detail::scan_result<T, std::ranges::range_reference_t<R>> &&
           detail::scan_operation<Combine, T, std::ranges::range_reference_t<R>> &&
           detail::destination<Out, T>
T parallel_exclusive_scan(R&& in, Out&& out, T initial, Combine&& combine = {},
                          const loop_options& how = {}) {
  return detail::exclusive_scan(detail::sequence_of(in), out, std::move(initial), combine, how);
}
template <class It, class End, class Out, class T, class Combine = std::plus<>>
  requires detail::iterator_bounds<It, End> && detail::scan_result<T, std::iter_reference_t<It>> &&
           detail::scan_operation<Combine, T, std::iter_reference_t<It>> && detail::destination<Out, T>
T parallel_exclusive_scan(It first, End last, Out&& out, T initial, Combine&& combine = {},
                          const loop_options& how = {}) {
  return detail::exclusive_scan(detail::sequence_of(first, last), out, std::move(initial), combine, how);
}

}  // namespace sennit
