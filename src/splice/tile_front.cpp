// SPDX-License-Identifier: Apache-2.0
#include "splice/tile_front.hpp"

#include "splice/lane_fork.hpp"

#include <sennit/join.hpp>

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace sennit::detail {

namespace {

part_room room_of(const tiles& some) noexcept {
  part_room room;
  ::new (static_cast<void*>(room.bytes)) tiles(some);
  return room;
}

}  // namespace

range tile_front::lane::hull() const noexcept {
  range all = numbers.front();
  for (const range& r : numbers) all = {std::min(all.first, r.first), std::max(all.last, r.last)};
  return all;
}

tile_front::tile_front(const forest& trees, std::uint32_t first, std::uint32_t count)
    : trees_(trees), first_(first), count_(count) {
  part_room root;
  trees.root(trees.trees, first, root);
  all_ = *std::launder(reinterpret_cast<const tiles*>(root.bytes));
}

effects tile_front::effects_of(std::uint32_t tree, const rectangle& numbers) const {
  return trees_.effects_of(trees_.trees, first_ + tree, room_of({numbers, all_.cells}));
}

tile_front::effects_of_trees tile_front::effects_of_all(const rectangle& numbers) const {
  // Made in their places, as copies take longer than the effects of boxes.
  struct made {
    const tile_front& front;
    std::uint32_t tree;
    const rectangle& of;
    operator effects() const { return front.effects_of(tree, of); }
  };
  effects_of_trees all;
  all.reserve(count_);
  for (std::uint32_t t = 0; t < count_; ++t) all.emplace_back(made{*this, t, numbers});
  return all;
}

bool tile_front::are_in_order(const effects_of_trees& earlier, const effects_of_trees& later,
                              bool of_itself) {
  std::uint64_t checks = 0;
  bool in_order = true;
  for (std::uint32_t t = 0; t < count_ && in_order; ++t) {
    // The tree right before is the most frequent obstacle.
    for (std::uint32_t other = t + (of_itself ? 1 : 0); other-- > 0 && in_order; ++checks) {
      in_order = !earlier[t].interferes(later[other]);
    }
  }
  checks_.fetch_add(checks, std::memory_order_relaxed);
  return in_order;
}

// Between the columns up to this one and those behind. A tree has another order of its own, row by row, so no part of it
// may need another column.
bool tile_front::column_is_in_order(std::int64_t column) {
  const range rows = all_.numbers.rows;
  const range columns = all_.numbers.columns;
  if (column + 1 == columns.last) return true;
  return are_in_order(effects_of_all({rows, {columns.first, column + 1}}),
                      effects_of_all({rows, {column + 1, columns.last}}), true);
}

// Between each tile and those below it.
bool tile_front::rows_are_in_order(const rectangle& numbers) {
  for (std::int64_t c = numbers.columns.first; c < numbers.columns.last; ++c) {
    if (numbers.rows.first == all_.numbers.rows.first && !column_is_in_order(c)) return false;
    for (std::int64_t r = numbers.rows.first; r < numbers.rows.last; ++r) {
      if (r + 1 == all_.numbers.rows.last) continue;
      const range column{c, c + 1};
      if (!are_in_order(effects_of_all({{r, r + 1}, column}),
                        effects_of_all({{r + 1, all_.numbers.rows.last}, column}), false))
        return false;
    }
  }
  return true;
}

bool tile_front::all_rows_are_in_order(const rectangle& numbers) {
  if (numbers.size() <= tiles_together) return rows_are_in_order(numbers);
  bool left = false;
  bool right = false;
  join([&] { left = all_rows_are_in_order(numbers.left()); },
       [&] { right = all_rows_are_in_order(numbers.right()); });
  return left && right;
}

splice_reason tile_front::unsuitable() {
#if SENNIT_EXCEPTIONS
  try {
#endif
    return all_rows_are_in_order(all_.numbers) ? splice_reason::none : splice_reason::uneven_distance;
#if SENNIT_EXCEPTIONS
  } catch (...) {
    return splice_reason::
        failed_effects;  // it throws again when the step is looked for; a cancellation is noticed there, too
  }
#endif
}

void tile_front::run(splice_log* log, unsigned workers, splice_report& report) {
  const int cuts = workers < 2 ? 0 : std::bit_width(workers - 1) + 1;
  stop_.attempt([&] {
    const auto all = [&](bool of_columns) {
      return lane{of_columns, std::vector<range>(count_, all_numbers(of_columns))};
    };
    // Where there are too few rows, columns may be enough.
    if (cuts > 0 && (try_fork(all(false), log, cuts) || try_fork(all(true), log, cuts))) return;
    walk(all(false), log);
  });
  report.steps += steps_.load(std::memory_order_relaxed);
  report.checks += checks_.load(std::memory_order_relaxed);
  report.extra_bytes = std::max(report.extra_bytes, 2 * std::size_t{count_} * sizeof(effects));
  failure_.rethrow();
  stop_.rethrow();
}

namespace {

// The first row from `row` to `most` for which is_free(row); -1 if there is none. Few rows are asked about.
template <class Free>
std::int64_t first_free(std::int64_t row, std::int64_t most, Free&& is_free) {
  if (is_free(row)) return row;
  std::int64_t high = row;
  for (std::int64_t step = 1;; step *= 2) {
    if (high == most) return -1;
    row = high;  // not free
    high = std::min(row + step, most);
    if (is_free(high)) break;
  }
  while (high - row > 1) {
    const std::int64_t middle = row + (high - row) / 2;
    (is_free(middle) ? high : row) = middle;
  }
  return high;
}

}  // namespace

std::optional<std::vector<std::int64_t>> tile_front::independent(const lane& whole, std::int64_t middle) {
  const range all = all_numbers(whole.of_columns);
  const auto tiles = [&](range numbers) { return tiles_of(whole.of_columns, numbers); };
  if (!are_in_order(effects_of_all(tiles({all.first, middle})), effects_of_all(tiles({middle, all.last})),
                    false))
    return std::nullopt;
  const std::int64_t most = middle + (whole.hull().last - middle) / 2;
  std::vector<std::int64_t> from;
  effects_of_trees before;
  for (std::uint32_t t = 0; t < count_; ++t) {
    const auto is_free = [&](std::int64_t number) {
      const effects own = effects_of(t, tiles({number, whole.numbers[t].last}));
      const auto shares = [&](const effects& other) { return own.interferes(other); };
      return std::ranges::none_of(before, shares) && !shares(effects_of(t, tiles({all.first, number})));
    };
    const std::int64_t number = first_free(from.empty() ? middle : from.back(), most, is_free);
    if (number < 0) return std::nullopt;
    from.push_back(number);
    before.push_back(effects_of(t, tiles({all.first, number})));
  }
  return from;
}

void tile_front::run(const lane& part, splice_log* log, int cuts) {
  if (cuts == 0 || !try_fork(part, log, cuts)) walk(part, log);
}

// Returns false if the lane cannot be cut.
bool tile_front::try_fork(const lane& part, splice_log* log, int cuts) {
  const range hull = part.hull();
  const std::int64_t middle = hull.first + hull.size() / 2;
  if (middle == hull.first) return false;
  const auto from = independent(part, middle);
  if (from) fork(part, middle, *from, log, cuts - 1);
  return from.has_value();
}

// Conditional sync (Lifflander and Krishnamoorthy, section 6): what is before the middle, and what is behind it and needs
// nothing before it, are independent. The seam, which is between, comes after both.
void tile_front::fork(const lane& part, std::int64_t middle, const std::vector<std::int64_t>& independent,
                      splice_log* log, int cuts) {
  lane first{part.of_columns};
  lane second{part.of_columns};
  lane seam{part.of_columns};
  lane all_second{part.of_columns};
  for (std::uint32_t t = 0; t < count_; ++t) {
    const range all = part.numbers[t];
    const std::int64_t cut = std::clamp(middle, all.first, all.last);
    const std::int64_t from = std::clamp(independent[t], all.first, all.last);
    first.numbers.push_back({all.first, cut});
    second.numbers.push_back({from, all.last});
    seam.numbers.push_back({cut, from});
    all_second.numbers.push_back({cut, all.last});
  }
  bool apart = true;
  fork_lanes(
      log, [&](splice_log* first_log) { run(first, first_log, cuts); },
      [&](bool alone, splice_log* second_log) {
        // What is before the middle is done then, and nothing is left for a seam.
        apart = !alone;
        run(alone ? all_second : second, second_log, cuts);
      });
  if (apart) walk(seam, log);
}

// Column by column, and row by row: each tile in all trees.
void tile_front::walk(const lane& part, splice_log* log) {
  const rectangle all = tiles_of(part.of_columns, part.hull());
  for (std::int64_t c = all.columns.first; c < all.columns.last; ++c) {
    for (std::int64_t r = all.rows.first; r < all.rows.last; ++r) {
      if (!stop_.keep_on()) return;
      const std::int64_t number = part.of_columns ? c : r;
      for (std::uint32_t t = 0; t < count_; ++t) {
        if (number < part.numbers[t].first || number >= part.numbers[t].last) continue;
        // A failed tree does nothing after the step that failed, in its own order.
        if (failure_.is_void(t, place_of(r, c))) [[unlikely]]
          continue;
        run_step(t, r, c, log);
      }
    }
  }
}

void tile_front::run_step(std::uint32_t tree, std::int64_t row, std::int64_t column, splice_log* log) {
  const part_room part = room_of({{{row, row + 1}, {column, column + 1}}, all_.cells});
  steps_.fetch_add(1, std::memory_order_relaxed);
  failure_.guard(tree, place_of(row, column), [&] {
    trees_.step(trees_.trees, first_ + tree, part);
    if (log != nullptr) log->note(first_ + tree, part.bytes);
    return true;
  });
}

}  // namespace sennit::detail
