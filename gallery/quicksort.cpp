// SPDX-License-Identifier: Apache-2.0
// quicksort: the lines of a text in stable order, in place. Equal lines are told apart by where they stand in
// the text, which makes the order stable and any number of equal lines harmless. The recursion ends at the
// size below which insertion needs fewer comparisons; it is no grain size.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/sorting_of_lines.hpp"
#include "gallery/splitmix.hpp"
#include "gallery/text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gallery {
namespace {

constexpr std::size_t small = 16;

using lines = std::span<line>;

bool before(line a, line b) {
  const auto order = a <=> b;
  return order != 0 ? order < 0 : a.data() < b.data();
}

void insertion_sort(lines all) {
  for (auto next = all.begin(); next != all.end(); ++next) {
    std::rotate(std::upper_bound(all.begin(), next, *next, before), next, next + 1);
  }
}

// A pivot no pattern in the text can foresee, and the same one in every run.
std::size_t pivot_of(lines all) { return splitmix64(all.size()) % all.size(); }

template <class P>
void sort(lines all) {
  if (all.size() <= small) return insertion_sort(all);
  std::swap(all[pivot_of(all)], all.back());
  const line pivot = all.back();
  const auto middle = std::partition(all.begin(), all.end() - 1, [=](line l) { return before(l, pivot); });
  std::swap(*middle, all.back());
  const auto rank = static_cast<std::size_t>(middle - all.begin());
  P::join([=] { sort<P>(all.first(rank)); }, [=] { sort<P>(all.subspan(rank + 1)); });
}

struct program : sorting_of_lines {
  static constexpr description about{.name = "quicksort",
                                     .summary = "the lines of a text in stable order, in place",
                                     .reads = content::text,
                                     .input = "license.txt",
                                     .writes = content::text};

  template <class P>
  std::vector<line> run() const {
    std::vector<line> result = input.lines;
    sort<P>(result);
    return result;
  }
};

}  // namespace

std::unique_ptr<kernel> make_quicksort() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
