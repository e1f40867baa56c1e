// SPDX-License-Identifier: Apache-2.0
// mergesort: the lines of a text in stable order, with a parallel merge.
#include "gallery/mergesort.hpp"

#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

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
    merge_sort<P, line>(result, other, true);
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

std::unique_ptr<kernel> make_mergesort() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
