// A merge of two sorted runs from both ends at once.
#pragma once

#include <sennit/detail/config.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace sennit::detail {

// Two sorted runs and the place for their merge. Of equal elements those of the left run come first.
template <class From, class To>
struct merge_of_runs {
  From left;
  From left_end;
  From right;
  From right_end;
  To out;

  // Calls put(place, element) for elements in order, by their iterators, until one run is exhausted: what is left of the
  // other one belongs at `out`. If less(right, left) throws, what is left of both runs has its room at `out`. The two ends
  // give the processor two independent chains of comparisons; and no branch depends on the elements, because the
  // processor could not predict it.
  template <class Less, class Put>
  SENNIT_INLINE void run(const Less& less, const Put& put) {
    To out_end = out + ((left_end - left) + (right_end - right));
    const auto take_first = [&] {
      const bool from_right = less(*right, *left);
      put(out, from_right ? right : left);
      right += from_right;
      left += !from_right;
      ++out;
    };
    const auto take_last = [&] {
      const bool from_left = less(*(right_end - 1), *(left_end - 1));
      --out_end;
      left_end -= from_left;
      right_end -= !from_left;
      put(out_end, from_left ? left_end : right_end);
    };
    for (;;) {
      // Neither run can be exhausted within this number of steps.
      const std::ptrdiff_t steps = std::min<std::ptrdiff_t>(left_end - left, right_end - right) / 2;
      if (steps == 0) break;
      for (std::ptrdiff_t i = 0; i != steps; ++i) {
        take_first();
        take_last();
      }
    }
    while (left != left_end && right != right_end) take_first();
  }
};

}  // namespace sennit::detail
