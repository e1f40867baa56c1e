// parallel_transform, parallel_copy, parallel_fill: loops that write an element for each iteration.
#pragma once

#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop.hpp>
#include <sennit/detail/sequence.hpp>

#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>

namespace sennit {
namespace detail {

// What a function makes of elements.
template <class F, class... V>
using transformed = std::invoke_result_t<F&, V...>;
template <class F, class... V>
concept transformation = std::invocable<F&, V...> && !std::is_void_v<transformed<F, V...>>;

template <class Source, class Out, class F>
void transform(const Source& source, const elements<Out>& target, F& f, const loop_options& how) {
  for_positions(
      source.size,
      [&](position from, position to) {
        Out o = target.at(from);
        auto i = source.at(from);
        for (const auto end = source.at(to); i != end; ++i, ++o) *o = detail::invoke(f, *i);
      },
      how);
}

template <class Left, class Right, class Out, class F>
void transform(const Left& left, const Right& right, const elements<Out>& target, F& f,
               const loop_options& how) {
  for_positions(
      target.size,
      [&](position from, position to) {
        Out o = target.at(from);
        auto i = left.at(from);
        auto j = right.at(from);
        for (const auto end = left.at(to); i != end; ++i, ++j, ++o) *o = detail::invoke(f, *i, *j);
      },
      how);
}

// In chunks by the standard library, which knows when that is a memmove.
template <class Source, class Out>
void copy(const Source& source, const elements<Out>& target, const loop_options& how) {
  for_positions(
      source.size,
      [&](position from, position to) { std::ranges::copy(source.at(from), source.at(to), target.at(from)); },
      how);
}

template <class Target, class T>
void fill(const Target& target, const T& value, const loop_options& how) {
  for_positions(
      target.size,
      [&](position from, position to) { std::ranges::fill(target.at(from), target.at(to), value); }, how);
}

template <class D>
auto target_of(D& out, position n, const char* algorithm) {
  return elements<typename destination_of<D>::iterator>{begin_of(out, n, algorithm), n};
}

}  // namespace detail

// out[i] = f(in[i]) for each element of the range, or of [first, last). `out` is an iterator, with room
// behind it, or a range; it may be that of the input, but not otherwise overlap it. For a function of the
// index, transform a std::views::iota.
//
// f is called by several threads at once. Throws what the lowest call that throws threw; elements behind it
// may have been written. Throws std::invalid_argument if `out` is a range with too few elements, before any
// call, and sennit::cancelled in a cancelled region. Cost: as parallel_for; the inner loop is a plain one.
//
// Example:
//   #include <cmath>
//   #include <vector>
//
//   void roots(const std::vector<double>& x, std::vector<double>& y) {
//     sennit::parallel_transform(x, y, [](double v) { return std::sqrt(v); });
//   }
//   void sums(const std::vector<double>& x, const std::vector<double>& y, std::vector<double>& z) {
//     sennit::parallel_transform(x, y, z, std::plus<>());
//   }
template <detail::countable_range R, class Out, class F>
  requires detail::transformation<F, std::ranges::range_reference_t<R>> &&
           detail::destination<Out, detail::transformed<F, std::ranges::range_reference_t<R>>>
void parallel_transform(R&& in, Out&& out, F&& f, const loop_options& how = {}) {
  const auto source = detail::sequence_of(in);
  detail::transform(source, detail::target_of(out, source.size, "parallel_transform"), f, how);
}
template <class It, class End, class Out, class F>
  requires detail::iterator_bounds<It, End> && detail::transformation<F, std::iter_reference_t<It>> &&
           detail::destination<Out, detail::transformed<F, std::iter_reference_t<It>>>
void parallel_transform(It first, End last, Out&& out, F&& f, const loop_options& how = {}) {
  const auto source = detail::sequence_of(first, last);
  detail::transform(source, detail::target_of(out, source.size, "parallel_transform"), f, how);
}

// out[i] = f(left[i], right[i]), as long as both have elements.
template <detail::countable_range Left, detail::countable_range Right, class Out, class F>
  requires detail::transformation<F, std::ranges::range_reference_t<Left>,
                                  std::ranges::range_reference_t<Right>> &&
           detail::destination<Out, detail::transformed<F, std::ranges::range_reference_t<Left>,
                                                        std::ranges::range_reference_t<Right>>>
void parallel_transform(Left&& left, Right&& right, Out&& out, F&& f, const loop_options& how = {}) {
  const auto a = detail::sequence_of(left);
  const auto b = detail::sequence_of(right);
  detail::transform(a, b, detail::target_of(out, std::min(a.size, b.size), "parallel_transform"), f, how);
}
// The second sequence has as many elements as the first.
template <class It, class End, std::random_access_iterator Second, class Out, class F>
  requires detail::iterator_bounds<It, End> &&
           detail::transformation<F, std::iter_reference_t<It>, std::iter_reference_t<Second>> &&
           detail::destination<
               Out, detail::transformed<F, std::iter_reference_t<It>, std::iter_reference_t<Second>>>
void parallel_transform(It first, End last, Second second, Out&& out, F&& f, const loop_options& how = {}) {
  const auto a = detail::sequence_of(first, last);
  detail::transform(a, detail::elements<Second>{second, a.size},
                    detail::target_of(out, a.size, "parallel_transform"), f, how);
}

// Copies the elements of a range, or of [first, last), to `out`, an iterator or a range that does not overlap
// them. Throws as parallel_transform.
//
// Example:
//   #include <span>
//
//   void save(std::span<const double> state, std::span<double> copy) { sennit::parallel_copy(state, copy); }
template <detail::countable_range R, class Out>
  requires detail::destination<Out, std::ranges::range_reference_t<R>>
void parallel_copy(R&& in, Out&& out, const loop_options& how = {}) {
  const auto source = detail::sequence_of(in);
  detail::copy(source, detail::target_of(out, source.size, "parallel_copy"), how);
}
template <class It, class End, class Out>
  requires detail::iterator_bounds<It, End> && detail::destination<Out, std::iter_reference_t<It>>
void parallel_copy(It first, End last, Out&& out, const loop_options& how = {}) {
  const auto source = detail::sequence_of(first, last);
  detail::copy(source, detail::target_of(out, source.size, "parallel_copy"), how);
}

// Assigns the value to each element of a range, or of [first, last). Also the way to have pages of fresh
// memory on the nodes of the workers that will use them. Throws as parallel_transform.
//
// Example:
//   #include <span>
//
//   void clear(std::span<double> x) { sennit::parallel_fill(x, 0.0); }
template <detail::countable_range R, class T>
  requires detail::destination<R, const T&>
void parallel_fill(R&& range, const T& value, const loop_options& how = {}) {
  detail::fill(detail::sequence_of(range), value, how);
}
template <class It, class End, class T>
  requires detail::iterator_bounds<It, End> && detail::destination<It, const T&>
void parallel_fill(It first, End last, const T& value, const loop_options& how = {}) {
  detail::fill(detail::sequence_of(first, last), value, how);
}

}  // namespace sennit
