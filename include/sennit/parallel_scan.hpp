// parallel_scan, parallel_exclusive_scan: all prefixes of a sequence, combined.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/engine.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop.hpp>
#include <sennit/detail/sequence.hpp>
#include <sennit/region.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <exception>
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

template <class T, class Combine, class Right>
SENNIT_INLINE T combine_scan(Combine& combine, const T& left, Right&& right) {
  return static_cast<T>(detail::invoke(combine, left, std::forward<Right>(right)));
}

// Writes the prefixes of [i, end), which is not empty; `sum` is that of *i. Returns the last.
template <class In, class Out, class T, class Combine>
T scan_from(In i, In end, Out o, T sum, Combine& combine) {
  *o = std::as_const(sum);
  for (++i, ++o; i != end; ++i, ++o) {
    sum = combine_scan<T>(combine, sum, *i);
    *o = std::as_const(sum);
  }
  return sum;
}

// Writes what comes before each of [i, end); `sum` comes before the first. Returns what comes before the end.
template <class In, class Out, class T, class Combine>
T scan_before(In i, In end, Out o, T sum, Combine& combine) {
  for (; i != end; ++i, ++o) {
    T next = combine_scan<T>(combine, sum, *i);
    *o = std::move(sum);
    sum = std::move(next);
  }
  return sum;
}

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

    parts_.resize(blocks > 1 ? static_cast<std::size_t>(blocks) : 0);
    std::exception_ptr failure = failure_of([&] {
      for_positions(
          blocks,
          [&](position from, position to, auto gate) {
            position b = from;
            do visit_block(b);
            while (goes_on(++b, from, to, gate));
            return b;
          },
          by_block);
    });
    // All before it has been scanned: nothing lower can fail.
    if (at_frontier_) std::rethrow_exception(failure);

    const position first = done_.load(std::memory_order_relaxed);
    const position end = find_prefixes(first, blocks, failure);
    for_positions(
        end - first,
        [&](position from, position to, auto gate) {
          position b = from;
          do scan_block(first + b, parts_[static_cast<std::size_t>(first + b)]);
          while (goes_on(++b, from, to, gate));
          return b;
        },
        by_block);
    if (failure != nullptr) std::rethrow_exception(failure);
  }

 private:
  // In the first pass.
  void visit_block(position b) {
    // ORD[D21] acquire: carry_ and at_frontier_; pairs with the release below.
    if (done_.load(std::memory_order_acquire) == b) {
      at_frontier_ = true;
      scan_block(b, carry_);
      at_frontier_ = false;
      // ORD[D21] release: carry_ and at_frontier_, to the strand that comes to the next block.
      done_.store(b + 1, std::memory_order_release);
    } else {
      parts_[static_cast<std::size_t>(b)].emplace(reduced(b));
    }
  }

  // Puts what comes before each block, from `first` on, in the place of what it adds up to. Returns the end
  // of the blocks of which that is known: where one has failed, it is the last. Scanning them is what finds
  // the lowest failure, as a block may also fail at its first element, which has met no other in the first
  // pass.
  position find_prefixes(position first, position blocks, std::exception_ptr& failure) {
    position b = first;
    while (b != blocks && carry_) {
      std::optional<T>& part = parts_[static_cast<std::size_t>(b++)];
      std::optional<T> next;
      if (part) {
        std::exception_ptr lower = failure_of([&] { next.emplace(combined(*carry_, *std::move(part))); });
        if (lower != nullptr) failure = std::move(lower);
      }
      part = std::exchange(carry_, std::move(next));
    }
    return b;
  }

  // What work() throws, but for a cancellation: that is thrown on.
  template <class Work>
  static std::exception_ptr failure_of(Work&& work) {
#if SENNIT_EXCEPTIONS
    try {
      work();
    } catch (const cancelled&) {
      throw;
    } catch (...) {
      return std::current_exception();
    }
#else
    work();
#endif
    return nullptr;
  }

  // As many blocks as a block has elements: what is done serially for each block is then next to nothing.
  position default_block() const {
    return static_cast<position>(std::sqrt(static_cast<double>(in_.size))) + 1;
  }

  position end_of(position block) const { return std::min(in_.size, (block + 1) * block_); }

  template <class Right>
  T combined(const T& left, Right&& right) const {
    return combine_scan<T>(combine_, left, std::forward<Right>(right));
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
      carry = scan_from(i, end, o, carry ? combined(*carry, *i) : static_cast<T>(*i), combine_);
    } else {
      carry = scan_before(i, end, o, *std::move(carry), combine_);
    }
  }

  const elements<In> in_;
  const elements<Out> out_;
  Combine& combine_;
  position block_ = 1;
  std::atomic<position> done_{0};
  std::optional<T> carry_;
  // Of the strand at the block done_, as carry_ is.
  bool at_frontier_ = false;
  std::vector<std::optional<T>> parts_;
};

template <class Engine, class In, class D, class Combine>
void inclusive_scan(const elements<In>& in, D& out, Combine& combine,
                    [[maybe_unused]] const loop_options& how) {
  using target = typename destination_of<D>::iterator;
  const elements<target> to{begin_of(out, in.size, "parallel_scan"), in.size};
  using T = std::iter_value_t<In>;
  if constexpr (Engine::serial) {
    if (in.size > 0) scan_from(in.at(0), in.at(in.size), to.at(0), static_cast<T>(*in.at(0)), combine);
  } else {
    scan<scan_kind::inclusive, In, target, T, Combine>(in, to, combine).run(how);
  }
}

template <class Engine, class In, class D, class T, class Combine>
T exclusive_scan(const elements<In>& in, D& out, T initial, Combine& combine,
                 [[maybe_unused]] const loop_options& how) {
  static_assert(!drops_fractions<std::invoke_result_t<Combine&, const T&, std::iter_reference_t<In>>, T> &&
                    !drops_fractions<std::invoke_result_t<Combine&, const T&, T>, T>,
                "parallel_exclusive_scan: the initial value is an integer, so the fraction of each prefix "
                "would be lost; give it the type of the prefixes, as in 0.0");
  using target = typename destination_of<D>::iterator;
  const elements<target> to{begin_of(out, in.size, "parallel_exclusive_scan"), in.size};
  if constexpr (Engine::serial) {
    return scan_before(in.at(0), in.at(in.size), to.at(0), std::move(initial), combine);
  } else {
    scan<scan_kind::exclusive, In, target, T, Combine> all(in, to, combine, std::move(initial));
    all.run(how);
    return std::move(all).total();
  }
}

// parallel_scan, and its serial elision. See below.
template <class Engine>
struct inclusive_scanning {
  template <countable_range R, class Out, class Combine = std::plus<>>
    requires scan_result<std::ranges::range_value_t<R>, std::ranges::range_reference_t<R>> &&
             scan_operation<Combine, std::ranges::range_value_t<R>, std::ranges::range_reference_t<R>> &&
             destination<Out, const std::ranges::range_value_t<R>&>
  void operator()(R&& in, Out&& out, Combine&& combine = {}, const loop_options& how = {}) const {
    inclusive_scan<Engine>(sequence_of(in), out, combine, how);
  }
  template <class It, class End, class Out, class Combine = std::plus<>>
    requires iterator_bounds<It, End> && scan_result<std::iter_value_t<It>, std::iter_reference_t<It>> &&
             scan_operation<Combine, std::iter_value_t<It>, std::iter_reference_t<It>> &&
             destination<Out, const std::iter_value_t<It>&>
  void operator()(It first, End last, Out&& out, Combine&& combine = {}, const loop_options& how = {}) const {
    inclusive_scan<Engine>(sequence_of(first, last), out, combine, how);
  }
};

// parallel_exclusive_scan, likewise.
template <class Engine>
struct exclusive_scanning {
  template <countable_range R, class Out, class T, class Combine = std::plus<>>
    requires scan_result<T, std::ranges::range_reference_t<R>> &&
             scan_operation<Combine, T, std::ranges::range_reference_t<R>> && destination<Out, T>
  T operator()(R&& in, Out&& out, T initial, Combine&& combine = {}, const loop_options& how = {}) const {
    return exclusive_scan<Engine>(sequence_of(in), out, std::move(initial), combine, how);
  }
  template <class It, class End, class Out, class T, class Combine = std::plus<>>
    requires iterator_bounds<It, End> && scan_result<T, std::iter_reference_t<It>> &&
             scan_operation<Combine, T, std::iter_reference_t<It>> && destination<Out, T>
  T operator()(It first, End last, Out&& out, T initial, Combine&& combine = {},
               const loop_options& how = {}) const {
    return exclusive_scan<Engine>(sequence_of(first, last), out, std::move(initial), combine, how);
  }
};

}  // namespace detail

// The inclusive scan: out[i] = combine(... combine(in[0], in[1]) ..., in[i]), in any bracketing.
//
//   parallel_scan(range, out, combine = std::plus<>(), how = {})        random-access, sized
//   parallel_scan(first, last, out, combine = std::plus<>(), how = {})  two iterators
//
// combine is associative; it need not be commutative: the order is that of the elements. `out` is an
// iterator, with room behind it, or a range; it may be that of the input, but not otherwise overlap it.
//
// combine is called by several threads at once, once for each element where one worker does it all, and at
// most about twice where several do. grain(n) makes blocks of n elements. Throws what combine(prefix,
// element) threw for the lowest element for which it throws, as the serial scan does; if it does for none,
// what combining the sums of several elements threw. Throws what copying a value throws,
// std::invalid_argument if `out` is a range with too few elements, std::bad_alloc, and sennit::cancelled in a
// cancelled region; what `out` holds then is unspecified. Cost: one pass and, over what other workers took, a
// second one; the square root of the number of elements is allocated.
//
// Example:
//   #include <vector>
//
//   void running_total(std::vector<double>& x) { sennit::parallel_scan(x, x); }
//   void running_maximum(const std::vector<int>& x, std::vector<int>& y) {
//     sennit::parallel_scan(x, y, [](int a, int b) { return a < b ? b : a; });
//   }
inline constexpr detail::inclusive_scanning<detail::in_parallel> parallel_scan{};

// The exclusive scan: out[0] = initial, out[i] = combine(... combine(initial, in[0]) ..., in[i - 1]). Returns
// all of it combined, which is what would come next.
//
//   parallel_exclusive_scan(range, out, initial, combine = std::plus<>(), how = {})
//   parallel_exclusive_scan(first, last, out, initial, combine = std::plus<>(), how = {})
//
// The prefixes have the type of `initial`; where that is an integer and combine gives floating-point numbers,
// it does not compile. Otherwise as parallel_scan.
//
// Example:
//   #include <vector>
//
//   long offsets(const std::vector<long>& sizes, std::vector<long>& begins) {
//     return sennit::parallel_exclusive_scan(sizes, begins, 0L);
//   }
inline constexpr detail::exclusive_scanning<detail::in_parallel> parallel_exclusive_scan{};

}  // namespace sennit
