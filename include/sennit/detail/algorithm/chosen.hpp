// SPDX-License-Identifier: Apache-2.0
// The positions of the least and of the greatest element of a sequence.
#pragma once

#include <sennit/detail/algorithm/parts.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <type_traits>

namespace sennit::detail {

// What is chosen of two parts. `Better`: better(i, j) says of two iterators whether the right one, j, is chosen.
template <class Sequence, class Better>
struct choice {
  const Sequence& sequence;
  const Better& better;

  position operator()(position left, position right) const {
    return better(sequence.at(left), sequence.at(right)) ? right : left;
  }
};

// A part begins with the position of its first element.
template <class Sequence, class Better>
class chosen_parts : public parts<chosen_parts<Sequence, Better>, position, const choice<Sequence, Better>> {
 public:
  static constexpr position begins_after = 1;

  SENNIT_INLINE chosen_parts(const Sequence& sequence, const choice<Sequence, Better>& choose)
      : chosen_parts::parts(choose), sequence_(sequence), better_(choose.better) {}

  SENNIT_INLINE position begin(position from) const { return from; }
  template <class Gate>
  SENNIT_INLINE position extend(position& left, position from, position to, Gate gate) const {
    const auto begin = sequence_.at(from);
    const auto end = sequence_.at(to);
    const auto before = sequence_.at(left);
    auto best = before;
    auto i = begin;
    do {
      if (better_(best, i)) best = i;
      ++i;
    } while (goes_on(i, begin, end, gate));
    left += static_cast<position>(best - before);
    return from + static_cast<position>(i - begin);
  }
  std::uintptr_t code() const noexcept { return 0; }

 private:
  Sequence sequence_;
  const Better& better_;
};

struct two_positions {
  position least;
  position greatest;
};

// `Less`: less(i, j) of two iterators.
template <class Sequence, class Less>
struct choice_of_two {
  const Sequence& sequence;
  const Less& less;

  two_positions operator()(two_positions left, two_positions right) const {
    return {less(sequence.at(right.least), sequence.at(left.least)) ? right.least : left.least,
            less(sequence.at(right.greatest), sequence.at(left.greatest)) ? left.greatest : right.greatest};
  }
};

// Of two neighbors, one is compared with the least element so far, and the other with the greatest: three comparisons
// for two elements.
template <class Sequence, class Less>
class chosen_pairs
    : public parts<chosen_pairs<Sequence, Less>, two_positions, const choice_of_two<Sequence, Less>> {
 public:
  static constexpr position begins_after = 1;

  SENNIT_INLINE chosen_pairs(const Sequence& sequence, const choice_of_two<Sequence, Less>& choose)
      : chosen_pairs::parts(choose), sequence_(sequence), less_(choose.less) {}

  SENNIT_INLINE two_positions begin(position from) const { return {from, from}; }
  template <class Gate>
  SENNIT_INLINE position extend(two_positions& both, position from, position to, Gate gate) const {
    const auto begin = sequence_.at(from);
    const auto end = sequence_.at(to);
    const auto least_before = sequence_.at(both.least);
    const auto greatest_before = sequence_.at(both.greatest);
    auto least = least_before;
    auto greatest = greatest_before;
    auto i = begin;
    if ((to - from) % 2 != 0) {
      if (less_(i, least)) {
        least = i;
      } else if (!less_(i, greatest)) {
        greatest = i;
      }
      ++i;
    }
    if (i == begin || goes_on(i, begin, end, gate)) {
      do {
        const auto next = i + 1;
        if (less_(next, i)) {
          if (less_(next, least)) least = next;
          if (!less_(i, greatest)) greatest = i;
        } else {
          if (less_(i, least)) least = i;
          if (!less_(next, greatest)) greatest = next;
        }
        i += 2;
      } while (goes_on(i, begin, end, gate));
    }
    both.least += static_cast<position>(least - least_before);
    both.greatest += static_cast<position>(greatest - greatest_before);
    return from + static_cast<position>(i - begin);
  }
  std::uintptr_t code() const noexcept { return 0; }

 private:
  Sequence sequence_;
  const Less& less_;
};

}  // namespace sennit::detail
