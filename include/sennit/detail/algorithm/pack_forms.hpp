// SPDX-License-Identifier: Apache-2.0
// The forms of algorithms that copy the elements they choose, and what algorithms in place need of elements.
#pragma once

#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/keeping.hpp>
#include <sennit/detail/algorithm/overlap.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>

namespace sennit::detail {

// Says that elements cannot be moved within a sequence by several strands.
template <class It>
consteval bool require_movable() {
  if constexpr (!writable_in_parallel<It>) {
    static_assert(
        never<It>,
        "sennit: elements of a std::vector<bool> share words, so that writing neighbors in parallel "
        "loses some; give a std::vector<char>");
    return false;
  } else if constexpr (!std::permutable<It>) {
    static_assert(never<It>,
                  "sennit: the elements are constant, or cannot be moved; copy what is to be kept to "
                  "another container");
    return false;
  } else {
    return true;
  }
}

// The end of an output in a destination.
template <class D>
struct end_of_destination {};
template <destination_iterator D>
struct end_of_destination<D> {
  using type = std::remove_cvref_t<D>;
};
template <destination_range D>
struct end_of_destination<D> {
  using type = std::ranges::borrowed_iterator_t<D>;
};
template <class D>
using destination_end = typename end_of_destination<D>::type;

template <class D>
auto packed_output_of(D& out, const char* algorithm) {
  using iterator = typename destination_of<D>::iterator;
  if constexpr (destination_iterator<D>) {
    return packed_output<iterator>{{out, 0}, ~position{0}, algorithm};
  } else {
    const auto room = static_cast<position>(std::ranges::size(out));
    return packed_output<iterator>{{std::ranges::begin(out), room}, room, algorithm};
  }
}

// What the algorithm chooses by. A value stands for equality with it.
enum class chooses_by { predicate, value, equality };

template <chooses_by By, class It, class F, class Proj>
concept chosen_by = (By == chooses_by::predicate && searched_by<It, F, Proj>) ||
                    (By == chooses_by::value && searched_for<It, F, Proj>) ||
                    (By == chooses_by::equality && ordered_by<It, F, std::equal_to<>, Proj>);

// `Algorithm` has a name, says what it chooses by, and has a function run<Engine>(sequence, output, function,
// projection, how), which returns the size of the output.
template <class Engine, class Algorithm>
struct pack_copy_forms {
  static constexpr chooses_by by = Algorithm::by;
  using standard = std::conditional_t<by == chooses_by::equality, std::equal_to<>, void>;

  template <countable_range R, class Out, class F = standard, class Proj = std::identity>
    requires chosen_by<by, std::ranges::iterator_t<R>, F, Proj> &&
             destination<Out, std::ranges::range_reference_t<R>>
  destination_end<Out> operator()(R&& in, Out&& out, F&& function = {}, Proj proj = {},
                                  const loop_options& how = {},
                                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return run(sequence_of(in), out, function, proj, how, where);
  }
  template <class It, class End, class Out, class F = standard, class Proj = std::identity>
    requires iterator_bounds<It, End> && chosen_by<by, It, F, Proj> &&
             destination<Out, std::iter_reference_t<It>>
  destination_end<Out> operator()(It first, End last, Out&& out, F&& function = {}, Proj proj = {},
                                  const loop_options& how = {},
                                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return run(sequence_of(first, last), out, function, proj, how, where);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_elements<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      using V = typename decltype(sequence)::value;
      if constexpr (require_destination<n, V, A...>()) {
        using F = argument<n + 1, A...>;
        if constexpr (std::is_void_v<F> || (option<F> && by != chooses_by::equality)) {
          static_assert(never<A...>,
                        "sennit: there is no predicate or value, which says what elements are meant; "
                        "it comes after the destination");
        } else if constexpr (std::is_void_v<argument<n + 2, A...>> || option<argument<n + 2, A...>>) {
          static_assert(
              never<A...>,
              "sennit: the predicate, comparison or value does not fit the elements; a predicate is "
              "[](const T& a) -> bool, a comparison [](const T& a, const T& b) -> bool, and a value "
              "has == with an element");
        } else {
          refuse_projection<n + 2, V, A...>();
        }
      }
    }
  }

 private:
  template <class In, class D, class F, class Proj>
  static auto run(const elements<In>& in, D& out, F& given, Proj& proj, const loop_options& how,
                  [[maybe_unused]] std::source_location where) {
    auto&& project = given_or_default<std::identity>(proj);
    using V = projected<Proj, std::iter_reference_t<In>>;
    refuse_state<Proj, std::iter_reference_t<In>>();
    const auto target = packed_output_of(out, Algorithm::name);
#if SENNIT_CHECKED
    expect_apart(in, elements{target.to.first, std::min<position>(in.size, 1)}, Algorithm::name, where);
#endif
    const loop_options& options = options_among(given, proj, how);
    if constexpr (by == chooses_by::value) {
      const auto equal = [&given](auto&& element) -> bool {
        return std::forward<decltype(element)>(element) == given;
      };
      return target.to.at(Algorithm::template run<Engine>(in, target, equal, project, options));
    } else if constexpr (by == chooses_by::equality) {
      auto&& function = given_or_default<std::equal_to<>>(given);
      refuse_state<F, V, V>();
      return target.to.at(Algorithm::template run<Engine>(in, target, function, project, options));
    } else {
      refuse_state<F, V>();
      return target.to.at(Algorithm::template run<Engine>(in, target, given, project, options));
    }
  }
};

}  // namespace sennit::detail
