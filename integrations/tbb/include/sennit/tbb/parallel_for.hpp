// SPDX-License-Identifier: Apache-2.0
// parallel_for: over ranges and indices.
#pragma once

#include <sennit/detail/loop/for_positions.hpp>
#include <sennit/join.hpp>
#include <sennit/tbb/blocked_range.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/partitioner.hpp>
#include <sennit/tbb/setting.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace tbb {
namespace on_sennit {

using sennit::detail::position;

// Halves a range, and calls the body for each part.
template <class Range, class Body, class Partitioner>
class range_loop {
 public:
  range_loop(const setting& in, const Body& body) : in_(in), body_(body) {}

  void run(Range& range, std::size_t parts) const {
    const splitting<Range, Partitioner> rest(range, parts);
    if (!rest.goes_on()) {
      run_task(in_, [&] { body_(range); });
      return;
    }
    Range right = rest.right();
    sennit::join([&, this] { run(range, rest.left_parts()); }, [&, this] { run(right, rest.right_parts()); });
  }

 private:
  const setting& in_;
  const Body& body_;
};

// A blocked range in parts of whole grains, of which Sennit makes chunks.
template <class Value>
struct grains {
  explicit grains(const blocked_range<Value>& whole)
      : range(whole),
        grain(std::max<std::size_t>(whole.grainsize(), 1)),
        count(whole.empty() ? 0 : std::max<std::size_t>(whole.size() / grain, 1)) {}

  // The last grain has what is left over.
  blocked_range<Value> part(position from, position to) const {
    return blocked_range<Value>(at(from), to == count ? range.end() : at(to), range.grainsize());
  }
  Value at(position index) const {
    return range.begin() + static_cast<decltype(range.end() - range.begin())>(index * grain);
  }

  const blocked_range<Value>& range;
  const std::size_t grain;
  const position count;
};

template <class Value, class Body>
void for_grains(const setting& in, const blocked_range<Value>& range, const Body& body) {
  const grains<Value> all(range);
  sennit::detail::for_positions(
      all.count,
      [&](position from, position to) {
        run_task(in, [&] {
          blocked_range<Value> part = all.part(from, to);
          body(part);
        });
      },
      sennit::loop_options());
}

template <class Partitioner, class Range, class Body>
void for_range(const setting& in, const Range& range, const Body& body) {
  if (range.empty()) return;
  Range whole(range);
  range_loop<Range, Body, Partitioner>(in, body).run(whole, splitting<Range, Partitioner>::parts_in_all());
}
template <class Partitioner, class Value, class Body>
  requires std::same_as<Partitioner, auto_partitioner>
void for_range(const setting& in, const blocked_range<Value>& range, const Body& body) {
  for_grains(in, range, body);
}

template <class Partitioner>
constexpr sennit::loop_options options_for() {
  if constexpr (std::same_as<Partitioner, simple_partitioner>) return {.grain = 1};
  if constexpr (std::same_as<Partitioner, static_partitioner>) return {.fixed_parts = true};
  return {};
}

// Indices first, first + step, ... before last.
template <class Partitioner, class Index, class F>
void for_indices(task_group_context* context, Index first, Index last, Index step, const F& f) {
  if (step <= Index(0)) {
    if (ends_on_exception.load()) std::terminate();
    throw std::invalid_argument("tbb::parallel_for: the step is not positive");
  }
  if (!(first < last)) return;
  const position n = static_cast<position>((last - first - Index(1)) / step) + 1;
  construct(context, [&](const setting& in) {
    sennit::detail::for_positions(
        n,
        [&](position from, position to) {
          run_task(in, [&] {
            Index i = static_cast<Index>(first + static_cast<Index>(from) * step);
            for (position p = from; p != to; ++p, i = static_cast<Index>(i + step)) f(i);
          });
        },
        options_for<Partitioner>());
  });
}

struct parallel_for_calls {
  template <class Range, class Body, class P = auto_partitioner>
    requires is_partitioner<P>
  static void over_range(const Range& range, const Body& body, const P&, task_group_context* context) {
    construct(context, [&](const setting& in) { for_range<P>(in, range, body); });
  }
};

template <class Range, class Body>
  requires(!std::is_arithmetic_v<Range>)
void parallel_for(const Range& range, const Body& body) {
  parallel_for_calls::over_range(range, body, auto_partitioner(), nullptr);
}
template <class Range, class Body>
  requires(!std::is_arithmetic_v<Range>)
void parallel_for(const Range& range, const Body& body, task_group_context& context) {
  parallel_for_calls::over_range(range, body, auto_partitioner(), &context);
}
template <class Range, class Body, class P>
  requires is_partitioner<P>
void parallel_for(const Range& range, const Body& body, const P& how) {
  parallel_for_calls::over_range(range, body, how, nullptr);
}
template <class Range, class Body, class P>
  requires is_partitioner<P>
void parallel_for(const Range& range, const Body& body, const P& how, task_group_context& context) {
  parallel_for_calls::over_range(range, body, how, &context);
}

template <std::integral Index, class F>
void parallel_for(Index first, Index last, const F& f) {
  for_indices<auto_partitioner>(nullptr, first, last, Index(1), f);
}
template <std::integral Index, class F>
void parallel_for(Index first, Index last, const F& f, task_group_context& context) {
  for_indices<auto_partitioner>(&context, first, last, Index(1), f);
}
template <std::integral Index, class F, class P>
  requires is_partitioner<P>
void parallel_for(Index first, Index last, const F& f, const P&) {
  for_indices<P>(nullptr, first, last, Index(1), f);
}
template <std::integral Index, class F, class P>
  requires is_partitioner<P>
void parallel_for(Index first, Index last, const F& f, const P&, task_group_context& context) {
  for_indices<P>(&context, first, last, Index(1), f);
}
template <std::integral Index, class F>
  requires(!std::is_arithmetic_v<F>)
void parallel_for(Index first, Index last, Index step, const F& f) {
  for_indices<auto_partitioner>(nullptr, first, last, step, f);
}
template <std::integral Index, class F>
void parallel_for(Index first, Index last, Index step, const F& f, task_group_context& context) {
  for_indices<auto_partitioner>(&context, first, last, step, f);
}
template <std::integral Index, class F, class P>
  requires is_partitioner<P>
void parallel_for(Index first, Index last, Index step, const F& f, const P&) {
  for_indices<P>(nullptr, first, last, step, f);
}
template <std::integral Index, class F, class P>
  requires is_partitioner<P>
void parallel_for(Index first, Index last, Index step, const F& f, const P&, task_group_context& context) {
  for_indices<P>(&context, first, last, step, f);
}

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::parallel_for;
}  // namespace v1
}  // namespace tbb
