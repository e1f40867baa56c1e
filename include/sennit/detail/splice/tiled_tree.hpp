// SPDX-License-Identifier: Apache-2.0
// Trees over rectangles, which are cut in tiles. The tiles are shifted from one tree to the next, in rows and in columns, so
// that a tile needs only tiles of earlier trees with its own numbers and lower ones.
#pragma once

#include <sennit/data_regions.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/effects_access.hpp>
#include <sennit/detail/splice/shifted_tree.hpp>
#include <sennit/divided.hpp>
#include <sennit/effects.hpp>
#include <sennit/splice_report.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sennit::detail {

// Some tiles of a tree: the rows and the columns of their numbers.
struct tiles {
  rectangle numbers;
  std::int64_t cells = 1;  // of a tile

  constexpr std::int64_t size() const noexcept { return numbers.size() * cells; }
  constexpr tiles left() const noexcept { return {numbers.left(), cells}; }
  constexpr tiles right() const noexcept { return {numbers.right(), cells}; }
  friend constexpr bool operator==(const tiles&, const tiles&) = default;
};

struct tile_shape {
  std::int64_t rows;
  std::int64_t columns;

  constexpr std::int64_t cells() const noexcept { return rows * columns; }
};
// Of at most so many cells, in a rectangle of so many columns. It depends on nothing else, so that a saved order needs
// the number of cells only.
SENNIT_EXPORT tile_shape shape_of_tile(std::int64_t cells, std::int64_t columns) noexcept;

// Where the tiles of a tree are. Cell (i, j) of the tree has the place (i + down, j + across), and tiles begin at
// multiples of their shape from the first place.
struct tile_grid {
  rectangle all;
  tile_shape shape;
  std::int64_t down = 0;
  std::int64_t across = 0;

  // Those cells that the tree has.
  constexpr rectangle cells_of(const tiles& some) const noexcept {
    return rectangle{cells(some.numbers.rows, shape.rows, all.rows.first - down),
                     cells(some.numbers.columns, shape.columns, all.columns.first - across)}
        .within(all);
  }
  // All tiles of trees that are shifted by at most so much.
  constexpr tiles all_tiles(std::int64_t most_down, std::int64_t most_across) const noexcept {
    return {{{0, count(all.rows.size() + most_down, shape.rows)},
             {0, count(all.columns.size() + most_across, shape.columns)}},
            shape.cells()};
  }

 private:
  static constexpr range cells(range numbers, std::int64_t each, std::int64_t from) noexcept {
    return {from + numbers.first * each, from + numbers.last * each};
  }
  static constexpr std::int64_t count(std::int64_t n, std::int64_t each) noexcept {
    return n / each + (n % each != 0 ? 1 : 0);
  }
};

// A function of cells as one of tiles, which does nothing for tiles without cells of the tree.
template <class Result, class Function>
struct tiled_function {
  tile_grid grid;
  Function function;

  Result operator()(const tiles& some) const {
    const rectangle own = grid.cells_of(some);
    return own.size() == 0 ? Result() : Result(function(own));
  }
};

template <class Effects, class Step>
struct spliced_tree<divided<rectangle, Effects, Step>> {
  using type = divided<tiles, tiled_function<effects, Effects>, tiled_function<void, Step>>;
};
template <class Tree>
inline constexpr bool can_be_tiled = false;
template <class Effects, class Step>
inline constexpr bool can_be_tiled<divided<rectangle, Effects, Step>> = true;

// What is known of trees over rectangles before they are cut.
struct tiled_sweeps {
  rectangle all;
  std::uint64_t bytes;     // of the effects of a tree
  double down;             // by how many rows a tree is behind the one before it
  double across;           // the same for columns; -1: columns cannot be cut
  std::uint32_t together;  // so many trees are interleaved at most
  bool all_together;       // or exactly
};
struct tile_choice {
  std::uint32_t together;
  std::int64_t cells;
};
SENNIT_EXPORT tile_choice choose_tiles(const tiled_sweeps& sweeps);

// How the trees are cut.
struct tile_plan {
  shifts down;
  shifts across;
  std::uint32_t together = 0;
  std::int64_t cells = 0;                      // of a tile
  splice_reason reason = splice_reason::none;  // why the trees are not tiled
};

// A tree over a rectangle as one over its rows, or over its columns.
template <class Tree, range rectangle::* Cut>
struct tree_along {
  const Tree* tree;
  range all;

  explicit tree_along(const Tree& of) : tree(&of), all(of.all.*Cut) {}
  effects effects_of(range some) const {
    rectangle part = tree->all;
    part.*Cut = some;
    return tree->effects_of(part);
  }
};

// The tiles of trees of which `together` are interleaved at most. Throws what effects_of() throws.
template <class Tree>
tile_plan tile_plan_from_effects(const std::vector<Tree>& trees, std::uint32_t together, bool all_together) {
  const auto none = [](splice_reason why) { return tile_plan{.down = {}, .across = {}, .reason = why}; };
  constexpr std::size_t compared = 4;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const Tree& tree = trees[t];
    if (!(tree.all == trees.front().all) || tree.block != trees.front().block)
      return none(splice_reason::ranges);
    const effects fx = tree.effects_of(tree.all);
    if (!effects_access::all_compared_at_once(fx)) return none(splice_reason::scattered_data);
    bool shares = t == 0;
    for (std::size_t back = 1; back <= std::min(t, compared) && !shares; ++back) {
      shares = fx.overlaps(trees[t - back].effects_of(tree.all));
    }
    if (!shares) return none(splice_reason::independent_trees);
  }
  const std::vector<tree_along<Tree, &rectangle::rows>> rows(trees.begin(), trees.end());
  const std::vector<tree_along<Tree, &rectangle::columns>> columns(trees.begin(), trees.end());
  // A few trees show the distance of all, and need less room than all.
  std::uint32_t few = std::min<std::uint32_t>(together, 5);
  tile_plan found{.down = shifts_along(rows, few), .across = {}};
  if (found.down.reason != splice_reason::none) {
    few = std::min<std::uint32_t>(together, 2);
    found.down = shifts_along(rows, few);
  }
  found.across = shifts_along(columns, few);
  if (found.down.reason != splice_reason::none) return none(found.down.reason);
  const auto behind = [few](const shifts& s) { return static_cast<double>(s.most) / std::max(few - 1, 1U); };
  const bool cut_columns = found.across.reason == splice_reason::none;
  const rectangle all = trees.front().all;
  const tile_choice choice =
      choose_tiles({all, effects_access::bytes(trees.front().effects_of(all)), behind(found.down),
                    cut_columns ? behind(found.across) : -1, together, all_together});
  found.together = choice.together;
  const std::int64_t given = trees.front().block;
  found.cells = given > 0 ? given : choice.cells;
  found.down = shifts_along(rows, choice.together);
  if (found.down.reason != splice_reason::none) return none(found.down.reason);
  if (shape_of_tile(found.cells, all.columns.size()).columns >= all.columns.size()) {
    found.across = {.by = std::vector<std::int64_t>(trees.size())};
  } else {
    found.across = shifts_along(columns, choice.together);
    if (found.across.reason != splice_reason::none) return none(found.across.reason);
  }
  return found;
}

// The same, and none if effects_of() throws: it will throw again when its step is looked for.
template <class Tree>
tile_plan tile_plan_of(const std::vector<Tree>& trees, std::uint32_t together, bool all_together) {
#if SENNIT_EXCEPTIONS
  try {
    return tile_plan_from_effects(trees, together, all_together);
  } catch (...) {
    return {.down = {}, .across = {}, .reason = splice_reason::failed_effects};
  }
#else
  return tile_plan_from_effects(trees, together, all_together);
#endif
}

template <class Effects, class Step>
auto tiled(divided<rectangle, Effects, Step> tree, const tile_plan& by, std::size_t i) {
  const bool shifted = by.reason == splice_reason::none;
  const tile_grid grid{tree.all, shape_of_tile(tree.block, tree.all.columns.size()),
                       shifted ? by.down.by[i] : 0, shifted ? by.across.by[i] : 0};
  return spliced_tree_t<divided<rectangle, Effects, Step>>{grid.all_tiles(by.down.most, by.across.most),
                                                           grid.shape.cells(),
                                                           {grid, std::move(tree.effects_of)},
                                                           {grid, std::move(tree.step)}};
}

}  // namespace sennit::detail
