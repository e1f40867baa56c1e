// SPDX-License-Identifier: Apache-2.0
// quicksort: the lines of a text in stable order, in place. Equal lines are told apart by where they stand in
// the text, which makes the order stable and any number of equal lines harmless. The recursion ends at the
// size below which insertion needs fewer comparisons; it is no grain size.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/splitmix.hpp"
#include "gallery/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
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

struct program {
  static constexpr description about{.name = "quicksort",
                                     .summary = "the lines of a text in stable order, in place",
                                     .reads = content::text,
                                     .input = "license.txt",
                                     .writes = content::text};

  std::int64_t copies = 1000;
  text input;

  std::vector<parameter> parameters() { return {{"copies", "times the text is repeated", &copies, 1, 1e6}}; }
  void choose_demo() { copies = 50; }
  void prepare(const std::filesystem::path& path) { input = text(path, static_cast<std::size_t>(copies)); }

  template <class P>
  std::vector<line> run() const {
    std::vector<line> result = input.lines;
    sort<P>(result);
    return result;
  }

  bool same(const std::vector<line>& a, const std::vector<line>& b) const { return same_lines(a, b); }
  std::string complaint(const std::vector<line>& result) const {
    return sorting_complaint(input.lines, result);
  }
  std::string describe(const std::vector<line>& result) const {
    return fmt::format("{} lines in order", result.size());
  }
  std::string encode(const std::vector<line>& result) const { return joined(result); }
};

}  // namespace

std::unique_ptr<kernel> make_quicksort() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
