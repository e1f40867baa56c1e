// SPDX-License-Identifier: Apache-2.0
// parallel_count, parallel_count_if: how many elements are equal to a value, or satisfy a predicate.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/parts.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/held.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>

namespace sennit {
namespace detail {

// Adds one under a condition, as compilers vectorize that for all types of elements.
template <class Sequence, class Number, class Holds>
class counted_parts : public parts<counted_parts<Sequence, Number, Holds>, Number, const std::plus<>> {
 public:
  static constexpr position begins_after = 0;

  SENNIT_INLINE counted_parts(const Sequence& sequence, const Holds& holds, const std::plus<>& add)
      : counted_parts::parts(add), sequence_(sequence), holds_(holds) {}

  SENNIT_INLINE Number begin(position) const { return 0; }
  template <class Gate>
  SENNIT_INLINE position extend(Number& count, position from, position to, Gate gate) const {
    // In a vector of elements of four bytes, each has its own counter, as long as that has four bytes, too.
    constexpr position most = position{1} << 31;
    auto&& holds = nearby(holds_);
    for (;;) {
      const auto begin = sequence_.at(from);
      const auto end = sequence_.at(std::min(to, from + most));
      auto i = begin;
      std::uint32_t some = 0;
      do {
        if (holds(i)) ++some;
        ++i;
      } while (goes_on(i, begin, end, gate));
      count += static_cast<Number>(some);
      from += static_cast<position>(i - begin);
      if (from == to || i != end) return from;
    }
  }
  std::uintptr_t code() const noexcept { return 0; }

 private:
  Sequence sequence_;
  held<const Holds> holds_;
};

struct counting {
  static constexpr const char* name = "parallel_count";
  template <class Engine, class Sequence, class F, class Proj>
  static auto run(const Sequence& sequence, F& predicate, Proj& proj, const loop_options& how) {
    using number = std::iter_difference_t<typename Sequence::cursor>;
    if (sequence.size == 0) return number{0};
    const auto holds = [&predicate, &proj](const auto& i) {
      return static_cast<bool>(detail::invoke(predicate, detail::invoke(proj, *i)));
    };
    const std::plus<> add;
    counted_parts<Sequence, number, decltype(holds)> parts(sequence, holds, add);
    return value_of_parts<Engine, number>(parts, sequence.size, how);
  }
};

template <class Engine>
using count_calls = value_forms<Engine, counting>;
template <class Engine>
using count_if_calls = predicate_forms<Engine, counting>;

}  // namespace detail

// How many elements satisfy a predicate.
//
//   parallel_count_if(range, predicate, projection = {}, how = {})        random-access, sized
//   parallel_count_if(first, last, predicate, projection = {}, how = {})  two iterators, or one and a number
//
// `how` is a loop_options, such as grain(100), and may stand in the place of the projection. Several threads call the
// predicate at once. Throws the exception of the lowest call that threw, and sennit::cancelled in a cancelled region.
// Thread-safety: any thread may call it. Cost: as parallel_reduce; the inner loop is a plain loop.
//
// Example:
//   #include <vector>
//
//   long negative(const std::vector<double>& x) {
//     return sennit::parallel_count_if(x, [](double v) { return v < 0; });
//   }
//   long zeros(const std::vector<int>& x) { return sennit::parallel_count(x, 0); }
inline constexpr detail::algorithm<detail::count_if_calls<detail::in_parallel>> parallel_count_if{};
// How many elements are equal to a value: parallel_count(range, value), with the same arguments behind the value.
inline constexpr detail::algorithm<detail::count_calls<detail::in_parallel>> parallel_count{};

}  // namespace sennit
