// SPDX-License-Identifier: Apache-2.0
// The lowest position at which something holds: searched in windows, one after the other, each a parallel loop.
#pragma once

#include <sennit/detail/clock.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/for_positions.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/observed.hpp>
#include <sennit/detail/loop/pace.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/region.hpp>
#include <sennit/worker.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>

namespace sennit::detail {

// How large the windows of a search are. Of several workers, each window is at most twice as large as the one before it. So
// behind a match, no more positions are looked at than before it, and `least`. A single worker looks at nothing behind a
// match, so that fewer windows do. Pure: the caller has the clock.
class search_windows {
 public:
  // In ticks, about a millisecond. What it costs to begin a window is little beside that, and what is looked at
  // behind the match takes no longer.
  static constexpr ticks enough = 3'000'000;

  constexpr search_windows(position least, unsigned workers) noexcept
      : least_(least), growth_(workers == 1 ? 8 : 2), size_(least) {}

  constexpr position size() const noexcept { return size_; }

  // A window of that size took so long. A window may have been interrupted, so the size falls by halves.
  constexpr void took(ticks time) noexcept {
    constexpr position most = position{1} << 59;
    if (time < enough / growth_) {
      size_ = std::min(growth_ * size_, most);
    } else if (time > 2 * enough) {
      size_ = std::max(size_ / 2, least_);
    }
  }

 private:
  const position least_;
  const position growth_;
  position size_;
};

// `Find`: find(from, to) returns the lowest match of [from, to), or `to`. It looks at positions in their order.
template <class Find>
class match_search {
 public:
  explicit match_search(const Find& find) noexcept : find_(find) {}

  // The lowest match of [0, n), or n.
  position run(position n, const loop_options& how) {
    if (n <= pace::block) {
      look_at_window(0, n, how);
      return matched() ? lowest_position() : n;
    }
    // What is recorded of one run must be found again in the next, so the number of loops must depend on nothing but n.
    const bool timed = !(any_gate_shut() && in_observed_region());
    const unsigned workers = timed ? worker_count() : 2;
    search_windows windows(least_window(n, how, workers), workers);
    for (position begin = 0; begin != n;) {
      const position size = std::min(windows.size(), n - begin);
      const ticks begun = read_clock();
      look_at_window(begin, size, how);
      if (matched()) return lowest_position();
      windows.took(timed ? read_clock() - begun : 0);
      begin += size;
    }
    return n;
  }

 private:
  // What the lowest chunk with a match or an exception has found: twice the position of the match, or one more than
  // twice the position where the chunk began.
  using event = position;
  static constexpr event none = ~event{0};

  // A few chunks for each worker, and a block in any case.
  static position least_window(position n, const loop_options& how, unsigned workers) {
    const position chunks = position{4} * workers;
    const position grain = std::max<position>(how.grain, 1);
    return grain > n / chunks ? n : std::max(pace::block, chunks * grain);
  }

  void look_at_window(position begin, position size, const loop_options& how) {
#if SENNIT_EXCEPTIONS
    try {
      loop_over_window(begin, size, how);
    } catch (const cancelled&) {
      throw;
    } catch (...) {
      // A serial search would not have come to what is behind a match.
      if (!matched()) throw;
    }
#else
    loop_over_window(begin, size, how);
#endif
  }

  void loop_over_window(position begin, position size, const loop_options& how) {
    for_positions(
        size, [this, begin](position from, position to) { look_at(begin + from, begin + to); }, how);
  }

  SENNIT_INLINE void look_at(position from, position to) {
    if (from >= lowest_position()) return;
#if SENNIT_EXCEPTIONS
    try {
      find_in_chunk(from, to);
    } catch (const cancelled&) {
      throw;
    } catch (...) {
      lower_to(2 * from + 1);
      throw;
    }
#else
    find_in_chunk(from, to);
#endif
  }

  SENNIT_INLINE void find_in_chunk(position from, position to) {
    const position at = find_(from, to);
    if (at != to) lower_to(2 * at);
  }

  bool matched() const noexcept { return lowest_.load(std::memory_order_relaxed) % 2 == 0; }
  position lowest_position() const noexcept { return lowest_.load(std::memory_order_relaxed) / 2; }

  void lower_to(event found) noexcept {
    event before = lowest_.load(std::memory_order_relaxed);
    while (found < before && !lowest_.compare_exchange_weak(before, found, std::memory_order_relaxed)) {
    }
  }

  const Find& find_;
  // Nothing else is read by it: the loop's end orders what the caller reads.
  std::atomic<event> lowest_{none};
};

// The lowest match of [0, n), or n. An exception counts as a match of which the search throws the exception; so an
// exception behind the lowest match is dropped.
template <class Engine, class Find>
position first_match(position n, const Find& find, const loop_options& how) {
  if constexpr (Engine::serial) {
    position at = n;
    Engine::for_positions(n, [&](position from, position to) { at = find(from, to); }, how);
    return at;
  } else {
    return n == 0 ? 0 : match_search<Find>(find).run(n, how);
  }
}

// The first of the iterators [i, end) for which holds(i, others...), where the others go along with i; or `end`.
// Compilers do not unroll a loop that may end early.
template <class It, class Holds, class... Others>
SENNIT_INLINE It first_in(It i, const It end, const Holds& holds, Others... others) {
  for (auto rounds = (end - i) / 4; rounds > 0; --rounds) {
    if (holds(i, others...)) return i;
    (++i, ..., ++others);
    if (holds(i, others...)) return i;
    (++i, ..., ++others);
    if (holds(i, others...)) return i;
    (++i, ..., ++others);
    if (holds(i, others...)) return i;
    (++i, ..., ++others);
  }
  while (i != end && !holds(i, others...)) (++i, ..., ++others);
  return i;
}

// The position of the first of `n` elements for whose iterator holds(i) is true, or n.
template <class Engine, class Sequence, class Holds>
position first_element(const Sequence& sequence, position n, const loop_options& how, const Holds& holds) {
  return first_match<Engine>(
      n,
      [&](position from, position to) {
        const auto begin = sequence.at(from);
        return from + static_cast<position>(first_in(begin, sequence.at(to), holds) - begin);
      },
      how);
}

// The position of the first element for which holds(i, j) is true of its predecessor's iterator and its own. Zero, which
// has no predecessor, if there is none.
template <class Engine, class Sequence, class Holds>
position first_neighbors(const Sequence& sequence, const loop_options& how, const Holds& holds) {
  if (sequence.size < 2) return 0;
  const position pairs = sequence.size - 1;
  const auto both = [&](const auto& i) { return static_cast<bool>(holds(i, std::next(i))); };
  const position at = first_element<Engine>(sequence, pairs, how, both);
  return at == pairs ? 0 : at + 1;
}

// The first position below n for whose iterators, in both sequences, holds(i, j) is true; or n.
template <class Engine, class Left, class Right, class Holds>
position first_in_both(const Left& left, const Right& right, position n, const loop_options& how,
                       const Holds& holds) {
  return first_match<Engine>(
      n,
      [&](position from, position to) {
        const auto begin = left.at(from);
        return from + static_cast<position>(first_in(begin, left.at(to), holds, right.at(from)) - begin);
      },
      how);
}

}  // namespace sennit::detail
