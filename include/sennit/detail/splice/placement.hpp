// SPDX-License-Identifier: Apache-2.0
// Trees that begin elsewhere than at their first index, as sweeps over a ring have to, or that go backward.
#pragma once

#include <sennit/data_regions.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/effects.hpp>
#include <sennit/join.hpp>
#include <sennit/splice_report.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sennit::detail {

// In which order the walk takes the indices of a tree: from index `turn` to the last one, and then those before it. A
// backward tree counts its indices from the last to the first. Precondition: 0 <= turn, and turn < all.size() unless both
// are 0.
struct placement {
  range all;
  std::int64_t turn = 0;
  bool is_backward = false;

  constexpr bool is_moved() const noexcept { return turn != 0 || is_backward; }
  // Calls use(indices) for the indices at some places, which are counted as the indices are. These are two ranges where the
  // tree comes to its end and goes on at its beginning.
  template <class Use>
  constexpr void for_each(range places, Use&& use) const {
    if (places.size() == 0) return;
    const std::int64_t n = all.size();
    const std::int64_t from = places.first - all.first + turn;
    const std::int64_t first = from < n ? from : from - n;
    const std::int64_t last = first + places.size();
    use(indices({first, std::min(last, n)}));
    if (last > n) use(indices({0, last - n}));
  }

 private:
  constexpr range indices(range counted) const noexcept {
    return is_backward ? range{all.last - counted.last, all.last - counted.first}
                       : range{all.first + counted.first, all.first + counted.last};
  }
};

template <class Effects>
effects effects_at(const placement& where, range places, const Effects& effects_of) {
  effects all;
  bool any = false;
  where.for_each(places, [&](range part) {
    if (std::exchange(any, true)) {
      all += effects(effects_of(part));
    } else {
      all = effects_of(part);
    }
  });
  return all;
}

// A tree over places.
template <class Tree>
struct placed_tree {
  const Tree* tree;
  placement where;
  range all;

  explicit placed_tree(const Tree& of, std::int64_t turn = 0, bool is_backward = false)
      : tree(&of), where{of.all, turn, is_backward}, all(of.all) {}
  effects effects_of(range places) const { return effects_at(where, places, tree->effects_of); }
};

// The least d up to `limit` for which is_clear(d), which then holds for all larger ones. Returns -1 if there is none.
// guess: probably the result.
template <class IsClear>
std::int64_t least_clear(IsClear&& is_clear, std::int64_t guess, std::int64_t limit) {
  if (guess >= 0 && guess <= limit && is_clear(guess) && (guess == 0 || !is_clear(guess - 1))) return guess;
  if (is_clear(0)) return 0;
  if (limit < 1) return -1;
  std::int64_t low = 0;  // not clear
  std::int64_t high = 1;
  while (!is_clear(high)) {
    low = high;
    if (high == limit) return -1;
    high = std::min(2 * high, limit);
  }
  while (high - low > 1) {
    const std::int64_t d = low + (high - low) / 2;
    (is_clear(d) ? high : low) = d;
  }
  return high;
}

// At which of its indices a tree has to begin, so that it does not begin with what `other`, an earlier tree, ends with.
// Returns -1 if there is no such index up to `limit`. guess: probably the index. `tree` is not turned.
template <class Tree>
std::int64_t turn_behind(const placed_tree<Tree>& tree, const placed_tree<Tree>& other, std::int64_t guess,
                         std::int64_t limit) {
  const range all = tree.all;
  const std::int64_t middle = all.first + all.size() / 2;
  const std::int64_t some = all.size() / 4;
  const effects end = other.effects_of({middle, all.last});
  const range first{all.first, all.first + some};
  if (!end.interferes(tree.effects_of(first))) return 0;
  const effects before = other.effects_of({middle - some, middle});
  const std::int64_t turn = least_clear(
      [&](std::int64_t d) { return !before.interferes(tree.effects_of({middle + d, middle + some})); }, guess,
      limit);
  if (turn < 1) return -1;
  const placed_tree<Tree> turned(*tree.tree, turn, tree.where.is_backward);
  return end.interferes(turned.effects_of(first)) ? -1 : turn;
}

// Where each of some trees over one range begins, and which way it goes, so that no tree begins with what one of the trees
// before it ends with. Nothing if that is so for no turn up to `limit`. Of the trees, `together` are interleaved.
template <class Tree>
std::vector<placed_tree<Tree>> placed_along(const std::vector<Tree>& trees, std::size_t together,
                                            std::int64_t limit) {
  constexpr std::size_t compared = 4;
  std::vector<placed_tree<Tree>> placed;
  placed.reserve(trees.size());
  std::int64_t usual[compared + 1] = {};
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const auto turn_of = [&](bool is_backward) {
      const placed_tree<Tree> tree(trees[t], 0, is_backward);
      std::int64_t turn = 0;
      for (std::size_t back = 1; back <= std::min(t % together, compared) && turn >= 0; ++back) {
        const placed_tree<Tree>& other = placed[t - back];
        const std::int64_t found = turn_behind(tree, other, other.where.turn + usual[back], limit);
        if (found > 0) usual[back] = found - other.where.turn;
        turn = found < 0 ? -1 : std::max(turn, found);
      }
      return turn;
    };
    bool is_backward = false;
    std::int64_t turn = turn_of(false);
    if (turn < 0) turn = turn_of(is_backward = true);
    if (turn < 0) return {};
    placed.emplace_back(trees[t], turn, is_backward);
  }
  return placed;
}

// Whether the steps of a tree may change their order as its placement says. That is exact for a tree that is turned only,
// because the effects of a range have those of all steps in it. Of a backward tree it compares only two halves.
template <class Tree>
bool may_be_placed(const placed_tree<Tree>& tree) {
  const range all = tree.all;
  const auto apart = [&](std::int64_t cut) {
    return !tree.tree->effects_of(range{all.first, cut})
                .interferes(tree.tree->effects_of(range{cut, all.last}));
  };
  return tree.where.is_backward ? apart(all.first + all.size() / 2)
                                : tree.where.turn == 0 || apart(all.first + tree.where.turn);
}

// Whether the blocks of a part may run in any order. `Part` is cut as the walk cuts it. Workers share the comparisons.
template <class Part, class Effects>
bool blocks_are_free(const Part& part, std::int64_t block, const Effects& effects_of) {
  constexpr std::int64_t blocks_together = 64;  // by one worker
  if (part.size() <= block) return true;
  const Part left = part.left();
  const Part right = part.right();
  if (effects(effects_of(left)).interferes(effects_of(right))) return false;
  if (part.size() / blocks_together <= block) {
    return blocks_are_free(left, block, effects_of) && blocks_are_free(right, block, effects_of);
  }
  bool left_is_free = false;
  bool right_is_free = false;
  join([&] { left_is_free = blocks_are_free(left, block, effects_of); },
       [&] { right_is_free = blocks_are_free(right, block, effects_of); });
  return left_is_free && right_is_free;
}

}  // namespace sennit::detail
