// SPDX-License-Identifier: Apache-2.0
// mergesort: the lines of a text in stable order, with a parallel merge.
#include "gallery/mergesort.hpp"

#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/sorting_of_lines.hpp"
#include "gallery/text.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gallery {
namespace {

struct program : sorting_of_lines {
  static constexpr description about{.name = "mergesort",
                                     .summary = "the lines of a text in stable order, with a parallel merge",
                                     .reads = content::text,
                                     .input = "license.txt",
                                     .writes = content::text};

  template <class P>
  std::vector<line> run() const {
    std::vector<line> result = input.lines;
    std::vector<line> other(result.size());
    merge_sort<P, line>(result, other, true);
    return result;
  }
};

}  // namespace

std::unique_ptr<kernel> make_mergesort() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
