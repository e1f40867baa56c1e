// SPDX-License-Identifier: Apache-2.0
// What the chunks of a parallel_for are for its body: indices, with or without a step, or elements.
#pragma once

#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/code_of.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/held.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>

#include <concepts>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace sennit::detail {

// A body is called for each iteration, or for each chunk with its bounds.
template <class F, class I>
concept iteration_body = shared_body<F, I>;
template <class F, class It>
concept element_body = shared_body<F, std::iter_reference_t<It>>;

// The body, over chunks of positions from `first` on, as far as the gate is open: each returns where it has
// stopped.
template <class I, class F>
struct index_chunks {
  using offset = std::make_unsigned_t<I>;
  static constexpr bool whole_chunks = !iteration_body<F, I>;
  I first_;
  held_body<F> body_;

  SENNIT_INLINE I at(position p) const noexcept {
    return static_cast<I>(static_cast<offset>(first_) + static_cast<offset>(p));
  }
  template <class Gate>
  SENNIT_INLINE position operator()(position from, position to, Gate gate) const {
    auto&& body = nearby(body_);
    if constexpr (iteration_body<F, I>) {
      // Read once: as far as the compiler knows, an iteration that writes such integers might write the
      // bound.
      const I begin = at(from);
      const I end = at(to);
      I i = begin;
      do {
        body(i);
        ++i;
      } while (goes_on(i, begin, end, gate));
      return from + static_cast<offset>(static_cast<offset>(i) - static_cast<offset>(begin));
    } else {
      body(at(from), at(to));
      return to;
    }
  }
  SENNIT_INLINE void one(position p) const {
    if constexpr (iteration_body<F, I>) {
      body_(at(p));
    } else {
      body_(at(p), at(p + 1));
    }
  }
  std::uintptr_t code() const noexcept { return code_of(body_); }
};

SENNIT_EXPORT [[noreturn]] void refuse_step();

// The number of first, first + step, ... before last: below it, or above it if the step is negative.
template <class First, class Last, std::integral Step>
  requires integer_bounds<First, Last>
constexpr position count(First first, Last last, Step step) {
  if (step == 0) refuse_step();
  const bool down = std::is_signed_v<Step> && step < 0;
  const position distance = down ? count(last, first) : count(first, last);
  const position width = down ? position{0} - static_cast<position>(step) : static_cast<position>(step);
  return distance / width + (distance % width != 0 ? 1 : 0);
}

// Calls the body with every `step`-th index. The calls are counted, not compared with an end, which may wrap
// around to an index in between.
template <class I, class F>
struct stepped_chunks {
  static constexpr bool whole_chunks = false;
  I first_;
  position step_;  // modulo 2^64
  held_body<F> body_;

  template <class Gate>
  SENNIT_INLINE position operator()(position from, position to, Gate gate) const {
    auto&& body = nearby(body_);
    position i = static_cast<position>(first_) + from * step_;
    position at = from;
    do {
      body(static_cast<I>(i));
      i += step_;
    } while (goes_on(++at, from, to, gate));
    return at;
  }
  SENNIT_INLINE void one(position p) const {
    body_(static_cast<I>(static_cast<position>(first_) + p * step_));
  }
  std::uintptr_t code() const noexcept { return code_of(body_); }
};

template <class It, class F>
struct element_chunks {
  using difference = std::iter_difference_t<It>;
  static constexpr bool whole_chunks = !element_body<F, It>;
  It first_;
  held_body<F> body_;

  SENNIT_INLINE It at(position p) const { return first_ + static_cast<difference>(p); }
  template <class Gate>
  SENNIT_INLINE position operator()(position from, position to, Gate gate) const {
    auto&& body = nearby(body_);
    if constexpr (element_body<F, It>) {
      const It begin = at(from);
      const It end = at(to);
      It i = begin;
      do {
        detail::invoke(body, *i);
        ++i;
      } while (goes_on(i, begin, end, gate));
      return from + static_cast<position>(i - begin);
    } else {
      detail::invoke(body, at(from), at(to));
      return to;
    }
  }
  SENNIT_INLINE void one(position p) const {
    if constexpr (element_body<F, It>) {
      detail::invoke(body_, *at(p));
    } else {
      detail::invoke(body_, at(p), at(p + 1));
    }
  }
  std::uintptr_t code() const noexcept { return code_of(body_); }
};

}  // namespace sennit::detail
