// SPDX-License-Identifier: Apache-2.0
// The forms of algorithms over one sequence, or from one to a destination, with up to two more arguments.
#pragma once

#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/overlap.hpp>
#include <sennit/detail/algorithm/pack_forms.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <cstddef>
#include <iterator>
#include <ranges>
#include <source_location>
#include <type_traits>

namespace sennit::detail {

// `Algorithm` has a name, takes<It, More...>, and run<Engine>(elements, more..., how), which returns nothing.
template <class Engine, class Algorithm, std::size_t More>
struct sequence_forms;

template <class Algorithm>
struct sequence_refusal {
  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_elements<A...>();
    if constexpr (sequence.arguments != 0) {
      if constexpr (require_movable<typename decltype(sequence)::iterator>()) refuse_the_rest<A...>();
    }
  }
};

template <class Engine, class Algorithm>
struct sequence_forms<Engine, Algorithm, 0> : sequence_refusal<Algorithm> {
  template <countable_range R>
    requires(Algorithm::template takes<std::ranges::iterator_t<R>>)
  void operator()(R&& range, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    Algorithm::template run<Engine>(sequence_of(range), how);
  }
  template <class It, class End>
    requires iterator_bounds<It, End> && (Algorithm::template takes<It>)
  void operator()(It first, End last, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    Algorithm::template run<Engine>(sequence_of(first, last), how);
  }
};

template <class Engine, class Algorithm>
struct sequence_forms<Engine, Algorithm, 1> : sequence_refusal<Algorithm> {
  template <countable_range R, class A>
    requires(Algorithm::template takes<std::ranges::iterator_t<R>, A>)
  void operator()(R&& range, A&& a, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    Algorithm::template run<Engine>(sequence_of(range), a, how);
  }
  template <class It, class End, class A>
    requires iterator_bounds<It, End> && (Algorithm::template takes<It, A>)
  void operator()(It first, End last, A&& a, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    Algorithm::template run<Engine>(sequence_of(first, last), a, how);
  }
};

template <class Engine, class Algorithm>
struct sequence_forms<Engine, Algorithm, 2> : sequence_refusal<Algorithm> {
  template <countable_range R, class A, class B>
    requires(Algorithm::template takes<std::ranges::iterator_t<R>, A, B>)
  void operator()(R&& range, A&& a, B&& b, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    Algorithm::template run<Engine>(sequence_of(range), a, b, how);
  }
  template <class It, class End, class A, class B>
    requires iterator_bounds<It, End> && (Algorithm::template takes<It, A, B>)
  void operator()(It first, End last, A&& a, B&& b, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    Algorithm::template run<Engine>(sequence_of(first, last), a, b, how);
  }
};

// `Algorithm` has a name, takes<It, Out, More...>, and run<Engine>(elements, target, more..., how), where the target
// has as many elements. Returns the end of the output.
template <class Engine, class Algorithm, std::size_t More>
struct output_forms;

template <class Engine, class Algorithm>
struct output_base {
  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_elements<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      if constexpr (require_destination<n, typename decltype(sequence)::value, A...>())
        refuse_the_rest<A...>();
    }
  }

 protected:
  template <class It, class D, class... More>
  static auto run(const elements<It>& in, D& out, [[maybe_unused]] std::source_location where,
                  const loop_options& how, More&... more) {
    const elements<typename destination_of<D>::iterator> to{begin_of(out, in.size, Algorithm::name), in.size};
#if SENNIT_CHECKED
    expect_apart(in, to, Algorithm::name, where);
#endif
    Algorithm::template run<Engine>(in, to, more..., how);
    return to.at(to.size);
  }
};

template <class Engine, class Algorithm>
struct output_forms<Engine, Algorithm, 0> : output_base<Engine, Algorithm> {
  template <countable_range R, class Out>
    requires(Algorithm::template takes<std::ranges::iterator_t<R>, Out>)
  destination_end<Out> operator()(R&& in, Out&& out, const loop_options& how = {},
                                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return this->run(sequence_of(in), out, where, how);
  }
  template <class It, class End, class Out>
    requires iterator_bounds<It, End> && (Algorithm::template takes<It, Out>)
  destination_end<Out> operator()(It first, End last, Out&& out, const loop_options& how = {},
                                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return this->run(sequence_of(first, last), out, where, how);
  }
};

template <class Engine, class Algorithm>
struct output_forms<Engine, Algorithm, 1> : output_base<Engine, Algorithm> {
  template <countable_range R, class Out, class A = typename Algorithm::standard>
    requires(Algorithm::template takes<std::ranges::iterator_t<R>, Out, A>)
  destination_end<Out> operator()(R&& in, Out&& out, A&& a = {}, const loop_options& how = {},
                                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return this->run(sequence_of(in), out, where, how, a);
  }
  template <class It, class End, class Out, class A = typename Algorithm::standard>
    requires iterator_bounds<It, End> && (Algorithm::template takes<It, Out, A>)
  destination_end<Out> operator()(It first, End last, Out&& out, A&& a = {}, const loop_options& how = {},
                                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return this->run(sequence_of(first, last), out, where, how, a);
  }
};

template <class Engine, class Algorithm>
struct output_forms<Engine, Algorithm, 2> : output_base<Engine, Algorithm> {
  template <countable_range R, class Out, class A, class B>
    requires(Algorithm::template takes<std::ranges::iterator_t<R>, Out, A, B>)
  destination_end<Out> operator()(R&& in, Out&& out, A&& a, B&& b, const loop_options& how = {},
                                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return this->run(sequence_of(in), out, where, how, a, b);
  }
  template <class It, class End, class Out, class A, class B>
    requires iterator_bounds<It, End> && (Algorithm::template takes<It, Out, A, B>)
  destination_end<Out> operator()(It first, End last, Out&& out, A&& a, B&& b, const loop_options& how = {},
                                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return this->run(sequence_of(first, last), out, where, how, a, b);
  }
};

}  // namespace sennit::detail
