// What the chunks of a parallel_for are for its body: indices, with or without a step, or elements.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop.hpp>
#include <sennit/detail/shared_body.hpp>

#include <concepts>
#include <iterator>
#include <type_traits>

namespace sennit::detail {

// A body is called for each iteration, or for each chunk with its bounds.
template <class F, class I>
concept iteration_body = shared_body<F, I>;
template <class F, class I>
concept chunk_body = !iteration_body<F, I> && shared_body<F, I, I>;
template <class F, class It>
concept element_body = shared_body<F, std::iter_reference_t<It>>;

// The body, over chunks of positions from `first` on.
template <class I, class F>
struct index_chunks {
  using offset = std::make_unsigned_t<I>;
  I first_;
  held_body<F> body_;

  SENNIT_INLINE I at(position p) const noexcept {
    return static_cast<I>(static_cast<offset>(first_) + static_cast<offset>(p));
  }
  SENNIT_INLINE void operator()(position from, position to) const {
    auto&& body = nearby(body_);
    if constexpr (iteration_body<F, I>) {
      // Read once: as far as the compiler knows, an iteration that writes such integers might write the
      // bound.
      const I end = at(to);
      for (I i = at(from); i != end; ++i) body(i);
    } else {
      body(at(from), at(to));
    }
  }
  SENNIT_INLINE void one(position p) const {
    if constexpr (iteration_body<F, I>) {
      body_(at(p));
    } else {
      body_(at(p), at(p + 1));
    }
  }
};

// Of every `step`-th index. Counted, not compared with an end: that one may wrap around to an index in
// between.
template <class I, class F>
struct stepped_chunks {
  I first_;
  position step_;  // modulo 2^64
  held_body<F> body_;

  SENNIT_INLINE void operator()(position from, position to) const {
    auto&& body = nearby(body_);
    position i = static_cast<position>(first_) + from * step_;
    for (position left = to - from; left != 0; --left, i += step_) body(static_cast<I>(i));
  }
};

template <class It, class F>
struct element_chunks {
  using difference = std::iter_difference_t<It>;
  It first_;
  held_body<F> body_;

  SENNIT_INLINE It at(position p) const { return first_ + static_cast<difference>(p); }
  SENNIT_INLINE void operator()(position from, position to) const {
    auto&& body = nearby(body_);
    if constexpr (element_body<F, It>) {
      const It end = at(to);
      for (It i = at(from); i != end; ++i) detail::invoke(body, *i);
    } else {
      detail::invoke(body, at(from), at(to));
    }
  }
};

}  // namespace sennit::detail
