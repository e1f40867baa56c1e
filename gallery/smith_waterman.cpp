// SPDX-License-Identifier: Apache-2.0
// sw and swn2: the score of the best local alignment of two sequences, as graphs of tasks, with gaps that may cost anything
// and with gaps that cost as much for each letter.
#include "gallery/smith_waterman.hpp"

#include "gallery/input_error.hpp"
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

// The recurrences as they stand in the papers, cell by cell.
int reference_general(const sequence_pair& pair, const scoring& scores) {
  const std::size_t width = pair.b.size() + 1;
  std::vector<int> table((pair.a.size() + 1) * width);
  for (std::size_t i = 1; i <= pair.a.size(); ++i) {
    for (std::size_t j = 1; j < width; ++j) {
      int best = std::max(0, table[(i - 1) * width + j - 1] + scores.of(pair.a[i - 1], pair.b[j - 1]));
      for (std::size_t k = 1; k <= j; ++k)
        best = std::max(best, table[i * width + j - k] - alignment_general::cost(scores, k));
      for (std::size_t k = 1; k <= i; ++k)
        best = std::max(best, table[(i - k) * width + j] - alignment_general::cost(scores, k));
      table[i * width + j] = best;
    }
  }
  return *std::ranges::max_element(table);
}
int reference_affine(const sequence_pair& pair, const scoring& scores) {
  const int first = static_cast<int>(scores.open + scores.extend);
  const int further = static_cast<int>(scores.extend);
  std::vector<int> row(pair.b.size() + 1), down(pair.b.size() + 1, -first);
  int best = 0;
  for (const char a : pair.a) {
    int across = -first;
    int diagonal = 0;
    for (std::size_t j = 1; j < row.size(); ++j) {
      across = std::max(across - further, row[j - 1] - first);
      down[j] = std::max(down[j] - further, row[j] - first);
      const int score = std::max({0, diagonal + scores.of(a, pair.b[j - 1]), across, down[j]});
      diagonal = row[j];
      row[j] = score;
      best = std::max(best, score);
    }
  }
  return best;
}

struct general {
  using table = alignment_general;
  static constexpr description about{.name = "sw",
                                     .summary = "local alignment with general gaps, cubic, a graph of tasks",
                                     .reads = content::sequences};
  static constexpr std::int64_t n = 1000;
  static constexpr std::int64_t most = 1 << 14;
  static constexpr std::int64_t demo = 1600;
  static constexpr std::int64_t block = 32;
  static int reference(const sequence_pair& pair, const scoring& scores) {
    return reference_general(pair, scores);
  }
};
struct affine {
  using table = alignment_affine;
  static constexpr description about{.name = "swn2",
                                     .summary =
                                         "local alignment with affine gaps, quadratic, a graph of tasks",
                                     .reads = content::sequences};
  static constexpr std::int64_t n = 10000;
  static constexpr std::int64_t most = 1 << 20;
  static constexpr std::int64_t demo = 20000;
  static constexpr std::int64_t block = 512;
  static int reference(const sequence_pair& pair, const scoring& scores) {
    return reference_affine(pair, scores);
  }
};

template <class Gaps>
struct program {
  static constexpr description about = Gaps::about;

  std::int64_t n = Gaps::n;
  std::int64_t block = Gaps::block;
  std::int64_t seed = 1;
  scoring scores;
  color_choice colors;
  sequence_pair given;

  std::vector<parameter> parameters() {
    return {{"n", "bases of random DNA", &n, 1, static_cast<double>(Gaps::most)},
            {"block", "side of the part of the table that a node computes", &block, 1, 1 << 14},
            {"seed", "of the DNA", &seed, 0, 1e9},
            {"match", "score of two letters that are alike", &scores.match, 0, 1000},
            {"mismatch", "score of two that are not", &scores.mismatch, -1000, 0},
            {"open", "cost of a gap", &scores.open, 0, 1000},
            {"extend", "cost of a gap's letter (sw: of a bit of how many they are)", &scores.extend, 0, 1000},
            colors.which()};
  }
  void choose_demo() { n = Gaps::demo; }
  void prepare(const std::filesystem::path& path) {
    given = path.empty() ? random_dna(static_cast<std::size_t>(n), static_cast<std::uint64_t>(seed))
                         : read_fasta(path);
    const std::size_t longest = std::max(given.a.size(), given.b.size());
    if (longest > 2 * static_cast<std::size_t>(Gaps::most)) {
      throw input_error(fmt::format("'{}' has a sequence of {} letters; {} aligns up to {}", path.string(),
                                    longest, about.name, 2 * Gaps::most));
    }
  }

  template <class P>
  int run() const {
    typename Gaps::table table(given, scores, static_cast<std::size_t>(block));
    run_graph<P>(graph_of_alignment(table), colors);
    return table.best();
  }

  std::string complaint(int score) const {
    const int expected = Gaps::reference(given, scores);
    return score == expected ? "" : fmt::format("the best score is {}, not {}", expected, score);
  }

  std::string describe(int score) const {
    return fmt::format("{} letters with {}: {}", given.a.size(), given.b.size(), score);
  }
};

}  // namespace

std::unique_ptr<kernel> make_sw() { return std::make_unique<adapter<program<general>>>(); }
std::unique_ptr<kernel> make_swn2() { return std::make_unique<adapter<program<affine>>>(); }

}  // namespace gallery
