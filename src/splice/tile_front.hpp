// SPDX-License-Identifier: Apache-2.0
// Walks declared trees over rectangles together: tile by tile, each tile in all trees. Before the first step it finds
// out whether all steps may run in that order. docs/protocols/splices.md has the rules.
#pragma once

#include "splice/earliest_failure.hpp"
#include "splice/early_stop.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/detail/splice/forest.hpp>
#include <sennit/detail/splice/log.hpp>
#include <sennit/detail/splice/tiled_tree.hpp>
#include <sennit/effects.hpp>
#include <sennit/splice.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sennit::detail {

class tile_front {
 public:
  // For the trees first ... first + count - 1 of the forest, which are tiled and have the same tiles.
  tile_front(const forest& trees, std::uint32_t first, std::uint32_t count);
  tile_front(const tile_front&) = delete;
  tile_front& operator=(const tile_front&) = delete;

  // Why the steps may not run in the order of the tiles; none if they may. Compares each step with all that it would
  // run before.
  splice_reason unsuitable();
  // Comparisons of effects so far.
  std::uint64_t checks() const noexcept { return checks_.load(std::memory_order_relaxed); }
  // Call it once, and only if the order is suitable. Throws the exception of the first tree that throws. log: may be
  // null.
  void run(splice_log* log, unsigned workers, splice_report& report);

 private:
  // Rows of tiles of each tree, in all columns; or columns, in all rows. They may differ from tree to tree.
  struct lane {
    bool of_columns;
    std::vector<range> numbers{};  // of each tree's rows or columns

    range hull() const noexcept;
  };
  using effects_of_trees = std::vector<effects>;
  static constexpr std::int64_t tiles_together = 64;  // compared by one worker

  effects effects_of(std::uint32_t tree, const rectangle& numbers) const;
  effects_of_trees effects_of_all(const rectangle& numbers) const;
  // Whether none of a tree's `earlier` tiles interferes with the `later` ones of the trees before it; or of it, too.
  bool are_in_order(const effects_of_trees& earlier, const effects_of_trees& later, bool of_itself);
  bool column_is_in_order(std::int64_t column);
  bool rows_are_in_order(const rectangle& numbers);
  bool all_rows_are_in_order(const rectangle& numbers);

  range all_numbers(bool of_columns) const noexcept {
    return of_columns ? all_.numbers.columns : all_.numbers.rows;
  }
  rectangle tiles_of(bool of_columns, range numbers) const noexcept {
    return of_columns ? rectangle{all_.numbers.rows, numbers} : rectangle{numbers, all_.numbers.columns};
  }
  // The first row, or column, of each tree for which nothing before it is needed. Nothing if that leaves too few.
  std::optional<std::vector<std::int64_t>> independent(const lane& whole, std::int64_t middle);
  bool try_fork(const lane& part, splice_log* log, int cuts);
  void run(const lane& part, splice_log* log, int cuts);
  void fork(const lane& part, std::int64_t middle, const std::vector<std::int64_t>& independent,
            splice_log* log, int cuts);
  void walk(const lane& part, splice_log* log);
  void run_step(std::uint32_t tree, std::int64_t row, std::int64_t column, splice_log* log);
  // Where a step is in the order of its tree, which is row by row.
  std::uint64_t place_of(std::int64_t row, std::int64_t column) const noexcept {
    return static_cast<std::uint64_t>(row * all_.numbers.columns.size() + column);
  }

  const forest& trees_;
  const std::uint32_t first_;
  const std::uint32_t count_;
  tiles all_;
  // Relaxed: they count.
  std::atomic<std::uint64_t> checks_{0};
  std::atomic<std::uint64_t> steps_{0};
  earliest_failure failure_;
  early_stop stop_;
};

}  // namespace sennit::detail
