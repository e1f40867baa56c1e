// mergesort: the lines of a text in stable order, with a parallel merge. Both recursions end at the
// size below which any merge sort changes the method: insertion needs fewer comparisons than merging
// there. It is no grain size.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
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

void insertion_sort(lines all) {
  for (auto next = all.begin(); next != all.end(); ++next) {
    std::rotate(std::upper_bound(all.begin(), next, *next), next, next + 1);
  }
}

// Merges two runs into `out`; of equal lines, those on the left come first. The longer run is cut in the
// middle, the other one where the middle line belongs.
template <class P>
void merge(lines left, lines right, lines out) {
  if (out.size() <= small) {
    std::merge(left.begin(), left.end(), right.begin(), right.end(), out.begin());
    return;
  }
  std::size_t i = left.size() / 2;
  std::size_t j = right.size() / 2;
  if (left.size() >= right.size()) {
    j = static_cast<std::size_t>(std::lower_bound(right.begin(), right.end(), left[i]) - right.begin());
  } else {
    i = static_cast<std::size_t>(std::upper_bound(left.begin(), left.end(), right[j]) - left.begin());
  }
  P::join([=] { merge<P>(left.first(i), right.first(j), out.first(i + j)); },
          [=] { merge<P>(left.subspan(i), right.subspan(j), out.subspan(i + j)); });
}

// Sorts `all`, in place or into `other`; what is left in the one not asked for is of no use.
template <class P>
void sort(lines all, lines other, bool in_place) {
  if (all.size() <= small) {
    insertion_sort(all);
    if (!in_place) std::copy(all.begin(), all.end(), other.begin());
    return;
  }
  const std::size_t middle = all.size() / 2;
  P::join([=] { sort<P>(all.first(middle), other.first(middle), !in_place); },
          [=] { sort<P>(all.subspan(middle), other.subspan(middle), !in_place); });
  const lines from = in_place ? other : all;
  merge<P>(from.first(middle), from.subspan(middle), in_place ? all : other);
}

struct program {
  static constexpr description about{.name = "mergesort",
                                     .summary = "the lines of a text in stable order, with a parallel merge",
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
    std::vector<line> other(result.size());
    sort<P>(result, other, true);
    return result;
  }

  bool same(const std::vector<line>& a, const std::vector<line>& b) const { return same_lines(a, b); }
  std::string complaint(const std::vector<line>& result) const {
    return sorting_complaint(input.lines, result);
  }
  std::string describe(const std::vector<line>& result) const {
    return fmt::format("{} lines in order", result.size());
  }
  void write(const std::vector<line>& result, const std::filesystem::path& path) const {
    write_lines(result, path);
  }
};

}  // namespace

std::unique_ptr<kernel> make_mergesort() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
