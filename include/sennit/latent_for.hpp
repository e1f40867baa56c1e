// SPDX-License-Identifier: Apache-2.0
// latent_for: plain loops that give iterations away when a beat comes.
#pragma once

#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/latent/loop.hpp>
#include <sennit/detail/loop/chunks.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>
#include <sennit/latent_range.hpp>

#include <concepts>
#include <iterator>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

// Called with an index or an element, and with what is left of the loop.
template <class F, class V>
concept latent_body = shared_body<F, V, latent&>;

template <class F, class V>
consteval bool check_latent_body() {
  constexpr bool good = shared_body<F, V> || latent_body<F, V>;
  constexpr bool with_state = !good && (body_with_state<F, V> || body_with_state<F, V, latent&>);
  if constexpr (with_state) {
    refuse_state_if<with_state>();
  } else {
    static_assert(good,
                  "latent_for: the body takes neither an index or element, as [](long i) {} does, nor what "
                  "is left of the loop with it, as [](long i, sennit::latent& rest) {} does; give it such "
                  "parameters");
  }
  return good;
}

template <class Chunks>
struct whole_latent_chunks {
  Chunks chunks_;
  SENNIT_INLINE void operator()(position from, position to) const { chunks_(from, to, no_gate()); }
};

// With an elision in place of the runtime, no beat is taken.
template <class Engine, class Sequence, class F>
SENNIT_INLINE void run_latent_body([[maybe_unused]] latent* around, const Sequence& sequence, F& body) {
  using V = typename Sequence::value;
  if constexpr (check_latent_body<F, V>()) {
    if (sequence.size == 0) return;
    if constexpr (latent_body<F, V>) {
      run_latent_nest<Engine>(around, 0, sequence.size, [&sequence, &body](position i, latent& rest) {
        std::as_const(body)(Sequence::read(sequence.at(i)), rest);
      });
    } else if constexpr (std::integral<typename Sequence::cursor>) {
      run_latent<Engine>(around, 0, sequence.size,
                         whole_latent_chunks<index_chunks<V, F>>{{sequence.first, body}});
    } else {
      run_latent<Engine>(
          around, 0, sequence.size,
          whole_latent_chunks<element_chunks<typename Sequence::cursor, F>>{{sequence.first, body}});
    }
  }
}

template <class Engine>
struct latent_looping {
  template <std::integral N, class F>
    requires(integer_bounds<N, N> && !std::is_arithmetic_v<std::remove_cvref_t<F>>)
  SENNIT_INLINE void operator()(N n, F&& body) const {
    run_latent_body<Engine>(nullptr, sequence_of(N{0}, n), body);
  }
  template <std::integral N, class F>
    requires(integer_bounds<N, N> && !std::is_arithmetic_v<std::remove_cvref_t<F>>)
  SENNIT_INLINE void operator()(N n, F&& body, latent& around) const {
    run_latent_body<Engine>(&around, sequence_of(N{0}, n), body);
  }
  template <class First, class Last, class F>
    requires(bounds<First, Last> && !std::same_as<std::remove_cvref_t<F>, latent>)
  SENNIT_INLINE void operator()(First first, Last last, F&& body) const {
    run_latent_body<Engine>(nullptr, sequence_of(first, last), body);
  }
  template <class First, class Last, class F>
    requires bounds<First, Last>
  SENNIT_INLINE void operator()(First first, Last last, F&& body, latent& around) const {
    run_latent_body<Engine>(&around, sequence_of(first, last), body);
  }
  template <countable_range R, class F>
  SENNIT_INLINE void operator()(R&& range, F&& body) const {
    run_latent_body<Engine>(nullptr, sequence_of(range), body);
  }
  template <countable_range R, class F>
  SENNIT_INLINE void operator()(R&& range, F&& body, latent& around) const {
    run_latent_body<Engine>(&around, sequence_of(range), body);
  }
  template <class... Arguments>
  void operator()(const Arguments&...) const {
    static_assert(never<Arguments...>,
                  "latent_for: no loop has such arguments; its forms are (n, body), (first, last, body), "
                  "(iterator, iterator, body), (iterator, n, body) and (range, body), each with the loop "
                  "around, a sennit::latent&, behind the body or without");
  }
};

}  // namespace detail

// Calls a body for each integer or element of a sequence, in order. When a beat comes, the second half of what is left
// becomes a task.
//
//   latent_for(n, body)                body(i) for the integers of [0, n)
//   latent_for(first, last, body)      ... of [first, last)
//   latent_for(iterator, end, body)    body(*iterator) for the iterators of [iterator, end)
//   latent_for(iterator, n, body)      ... for n of them
//   latent_for(range, body)            the same for a range with random access and a size
//
// A body with a second parameter, as in [](long i, sennit::latent& rest) {}, gets what is left of the loop. Pass it to
// latent loops inside the body, as their last argument: latent_for(m, inner, rest). A beat that comes in there gives away half
// of what is left of the outermost loop that has anything left.
//
// The target is compiled with sennit_rollforward(target), or with SENNIT_NO_PROMOTION_POINTS; otherwise it does not link.
// Without beats this is a serial loop: no frame, no deque, no clock. Iterations run in chunks without a promotion point inside, so that compilers vectorize them. Chunks
// become longer until a beat comes; the loop then measures some iterations, and makes its chunks last some microseconds.
//
// Several threads may call the body at once, so the body is called as a constant: a body that changes itself
// does not compile. What the body refers to lasts until the loop has ended.
//
// Throws the exception of the lowest iteration that threw. Later iterations may have run. Throws what task_group::spawn()
// throws where a beat comes: std::bad_alloc, and sennit::cancelled in a cancelled region. Thread-safety: any thread may call
// it. Cost: that of the plain loop, and some nanoseconds for each call. A beat costs a task and an allocation.
//
// Example:
//   #include <cstddef>
//   #include <vector>
//
//   void add_scaled(long n, double a, const double* x, double* y) {
//     sennit::latent_for(n, [=](long i) { y[i] += a * x[i]; });
//   }
//   void add_rows(const std::vector<std::vector<int>>& rows, std::vector<long>& sums) {
//     sennit::latent_for(rows.size(), [&](std::size_t i, sennit::latent& rest) {
//       sennit::latent_for(rows[i].size(), [&row = rows[i], out = &sums[i]](std::size_t j) {
//         std::atomic_ref(*out) += row[j];
//       }, rest);
//     });
//   }
inline constexpr detail::latent_looping<detail::in_parallel> latent_for{};

}  // namespace sennit
