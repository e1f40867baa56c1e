// SPDX-License-Identifier: Apache-2.0
// pipeline: items from a source go through stages, several items at a time.
#pragma once

#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/pipeline/refusal.hpp>
#include <sennit/detail/pipeline/run.hpp>
#include <sennit/detail/pipeline/stages.hpp>

#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>
#include <utility>

namespace sennit {

// How much a pipeline may hold.
struct pipeline_options {
  // The source is asked for no more while so many items are underway. 0: four for each worker. What a
  // pipeline holds in memory grows with this number, and not with the number of items.
  std::size_t most_alive = 0;
};

// How a stage takes items that must not be done several at a time: in the order of the source, or in any
// order.
inline constexpr ordered_t ordered{};
inline constexpr one_at_a_time_t one_at_a_time{};

// Where the items of a pipeline come from: a function that returns a std::optional, which is empty at the
// end; or a range. The pipeline asks one item at a time, in order. A range that is handed over by name must
// last as long as the pipeline runs, and its elements go into the first stage as references. A range that can
// be read only once, such as the words of a stream, gives copies.
//
// A function that may block, as one that reads a file, calls sennit::blocking() for that.
template <class F>
  requires detail::gives_optionals<std::decay_t<F>>
auto source(F&& f) {
  return detail::called_source<std::decay_t<F>>(std::forward<F>(f));
}
template <std::ranges::input_range R>
  requires std::ranges::viewable_range<R>
auto source(R&& range) {
  return detail::range_source<std::views::all_t<R>>(std::views::all(std::forward<R>(range)));
}
template <class... F>
detail::refused source(const F&...) {
  static_assert(detail::never<F...>, "source: the argument is a range, or a function that is called without "
                                     "arguments and returns a std::optional, which is empty at the end");
  return {};
}

// A stage: f takes what the stage before it returns, or what the source gives. It is called with an rvalue,
// and returns what the next stage takes; the last stage returns void. A stage that returns a std::optional
// gives its value to the next stage, or drops the item if there is none.
//
// Without a mode, several workers at a time call f, as a constant.
template <class F>
auto stage(F&& f) {
  return detail::pipeline_stage<std::decay_t<F>, detail::any_number_t>{std::forward<F>(f)};
}
template <class F>
auto stage(ordered_t, F&& f) {
  return detail::pipeline_stage<std::decay_t<F>, ordered_t>{std::forward<F>(f)};
}
template <class F>
auto stage(one_at_a_time_t, F&& f) {
  return detail::pipeline_stage<std::decay_t<F>, one_at_a_time_t>{std::forward<F>(f)};
}

namespace detail {

template <class Engine>
struct piping {
  template <class Source, class... Stages>
  void operator()(pipeline_options how, Source source, Stages... stages) const {
    if constexpr (require_pipeline<Source, Stages...>()) {
      if constexpr (Engine::serial) {
        (void)how;
        run_in_series(source, stages...);
      } else {
        run_pipeline(how.most_alive, source, stages...);
      }
    }
  }
  template <class Source, class... Stages>
    requires(!std::convertible_to<Source, pipeline_options>)
  void operator()(Source source, Stages... stages) const {
    (*this)(pipeline_options(), std::move(source), std::move(stages)...);
  }
};

}  // namespace detail

// Takes items from the source and sends each through the stages. Returns when the source has ended and each
// item has left the last stage, or has been dropped.
//
// A worker stays with an item as long as it can, so that the item's data stays in the worker's cache. An item
// that comes to a busy stage waits in a list of the stage, and the worker goes on with another item. The
// worker that leaves the stage takes care of the next item. So no worker waits while there is something to
// do, and a long stage keeps nothing from the others. Stages may contain constructs, also pipelines.
//
// Each item is constructed in memory of the pipeline and never moved by it. No memory is allocated for an
// item.
//
// Throws what the source or a stage throws. If several throw, it throws the first in the order of the serial
// program, in which each item goes through all stages before the next one is asked for. Items before the one
// that throws go on; later ones are dropped as soon as that is known. Throws sennit::cancelled if its region
// is cancelled and no item has thrown, and std::bad_alloc before it asks for the first item. Runs in the
// runtime of the calling strand, or outside any runtime in the default one. What stages add to reducers is
// combined in any order. In a recorded or replayed region all runs on the calling strand, in the serial order.
//
// Cost: some tens of nanoseconds for an item, and some more for each stage.
//
// Example:
//   #include <optional>
//   #include <string>
//   #include <vector>
//
//   std::vector<std::size_t> lengths(const std::vector<std::string>& lines) {
//     std::vector<std::size_t> all;
//     const sennit::pipeline_options few{.most_alive = 16};
//     sennit::pipeline(few,
//                      sennit::source(lines),
//                      sennit::stage([](const std::string& line) { return line.size(); }),
//                      sennit::stage(sennit::ordered, [&](std::size_t n) { all.push_back(n); }));
//     return all;
//   }
inline constexpr detail::piping<detail::in_parallel> pipeline{};

}  // namespace sennit
