// SPDX-License-Identifier: Apache-2.0
// How prefixes are computed: in one pass at the frontier, and in two passes ahead of it.
#pragma once

#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/for_positions.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/region.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace sennit::detail {

template <class T, class Combine, class Right>
SENNIT_INLINE T combine_scan(Combine& combine, const T& left, Right&& right) {
  return static_cast<T>(detail::invoke(combine, left, std::forward<Right>(right)));
}

// Writes the prefixes of [i, end), which is not empty. `sum` is the prefix of *i. Returns the last prefix.
template <class In, class Out, class T, class Combine>
T scan_from(In i, In end, Out o, T sum, Combine& combine) {
  *o = std::as_const(sum);
  for (++i, ++o; i != end; ++i, ++o) {
    sum = combine_scan<T>(combine, sum, *i);
    *o = std::as_const(sum);
  }
  return sum;
}

// Writes the exclusive prefixes of [i, end); `sum` is the first one. Returns the exclusive prefix of `end`.
template <class In, class Out, class T, class Combine>
T scan_before(In i, In end, Out o, T sum, Combine& combine) {
  for (; i != end; ++i, ++o) {
    T next = combine_scan<T>(combine, sum, *i);
    *o = std::move(sum);
    sum = std::move(next);
  }
  return sum;
}

// Work on blocks whose prefixes are values of type T. A strand that begins a block after all blocks before it are done scans
// the block at once; so a single worker scans all blocks in one pass. Strands ahead of that frontier only
// reduce their blocks. These blocks are scanned in a second pass, once their prefixes are known. (Two passes
// over blocks: Blelloch, "Prefix sums and their applications", 1990, 1.2.1. One pass at the frontier:
// Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016.)
//
// `Work` has `T reduced(block)`, `T combined(const T&, T&&)`, and `void scan_block(block, std::optional<T>& carry)`, whose
// carry is the prefix before the block, or nothing before the first one, and afterwards the prefix before the next one.
template <class T, class Work>
class block_scan {
 public:
  explicit block_scan(const Work& work) : work_(work) {}

  // `carry`: as scan_block() has it for the first block; afterwards for the block after the last.
  void run(position blocks, std::optional<T>& carry, const loop_options& by_block) {
    carry_ = &carry;
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
    // All earlier blocks have been scanned, so no lower element can fail.
    if (at_frontier_) std::rethrow_exception(failure);

    const position first = done_.load(std::memory_order_relaxed);
    const position end = find_prefixes(first, blocks, failure);
    for_positions(
        end - first,
        [&](position from, position to, auto gate) {
          position b = from;
          do work_.scan_block(first + b, parts_[static_cast<std::size_t>(first + b)]);
          while (goes_on(++b, from, to, gate));
          return b;
        },
        by_block);
    if (failure != nullptr) std::rethrow_exception(failure);
  }

 private:
  // The work for a block in the first pass.
  void visit_block(position b) {
    // ORD[D21] acquire: *carry_ and at_frontier_; pairs with the release below.
    if (done_.load(std::memory_order_acquire) == b) {
      at_frontier_ = true;
      work_.scan_block(b, *carry_);
      at_frontier_ = false;
      // ORD[D21] release: *carry_ and at_frontier_, to the strand that comes to the next block.
      done_.store(b + 1, std::memory_order_release);
    } else {
      parts_[static_cast<std::size_t>(b)].emplace(work_.reduced(b));
    }
  }

  // Replaces the sum of each block, from `first` on, by the prefix before the block. Returns the end of the
  // blocks whose prefix is known; if a block failed, that is the last one. Only the scan of these blocks
  // finds the lowest failure: a block may also fail at its first element, which the first pass combines with
  // no other.
  position find_prefixes(position first, position blocks, std::exception_ptr& failure) {
    position b = first;
    while (b != blocks && *carry_) {
      std::optional<T>& part = parts_[static_cast<std::size_t>(b++)];
      std::optional<T> next;
      if (part) {
        std::exception_ptr lower =
            failure_of([&] { next.emplace(work_.combined(**carry_, *std::move(part))); });
        if (lower != nullptr) failure = std::move(lower);
      }
      part = std::exchange(*carry_, std::move(next));
    }
    return b;
  }

  // Calls work() and returns its exception, but rethrows a cancellation.
  template <class F>
  static std::exception_ptr failure_of(F&& work) {
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

  const Work& work_;
  std::atomic<position> done_{0};
  // Used by the strand at the block done_, as at_frontier_ is.
  std::optional<T>* carry_ = nullptr;
  bool at_frontier_ = false;
  std::vector<std::optional<T>> parts_;
};

// Elements cut into blocks.
struct blocks {
  // As many blocks as a block has elements. The serial work for each block is then negligible.
  blocks(position elements, const loop_options& how) : n(elements), by_block(how) {
    if (how.grain != 0) {
      length = std::min<position>(how.grain, std::max<position>(n, 1));
      by_block.grain = 1;
    } else {
      length = static_cast<position>(std::sqrt(static_cast<double>(n))) + 1;
    }
    count = n / length + (n % length != 0 ? 1 : 0);
  }
  position begin(position block) const { return block * length; }
  position end(position block) const { return begin(block) + std::min(n - begin(block), length); }

  position n;
  position length = 1;
  position count = 0;
  loop_options by_block;
};

enum class scan_kind { inclusive, exclusive };

// The scan of a sequence.
template <scan_kind Kind, class In, class Out, class T, class Combine>
class scan {
 public:
  // `initial` is a T, or nothing.
  template <class... Initial>
  scan(const elements<In>& in, const elements<Out>& out, Combine& combine, const loop_options& how,
       Initial&&... initial)
      : in_(in), out_(out), combine_(combine), blocks_(in.size, how) {
    (carry_.emplace(std::forward<Initial>(initial)), ...);
  }

  // The combination of all elements. Precondition: run() has returned.
  T total() && { return *std::move(carry_); }

  void run() { block_scan<T, scan>(*this).run(blocks_.count, carry_, blocks_.by_block); }

  template <class Right>
  T combined(const T& left, Right&& right) const {
    return combine_scan<T>(combine_, left, std::forward<Right>(right));
  }
  T reduced(position block) const {
    In i = in_.at(blocks_.begin(block));
    const In end = in_.at(blocks_.end(block));
    T sum = static_cast<T>(*i);
    for (++i; i != end; ++i) sum = combined(sum, *i);
    return sum;
  }
  void scan_block(position block, std::optional<T>& carry) const {
    In i = in_.at(blocks_.begin(block));
    const In end = in_.at(blocks_.end(block));
    Out o = out_.at(blocks_.begin(block));
    if constexpr (Kind == scan_kind::inclusive) {
      carry = scan_from(i, end, o, carry ? combined(*carry, *i) : static_cast<T>(*i), combine_);
    } else {
      carry = scan_before(i, end, o, *std::move(carry), combine_);
    }
  }

 private:
  const elements<In> in_;
  const elements<Out> out_;
  Combine& combine_;
  const blocks blocks_;
  std::optional<T> carry_;
};

}  // namespace sennit::detail
