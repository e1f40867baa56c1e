// SPDX-License-Identifier: Apache-2.0
// Trees over ranges whose blocks are shifted from one tree to the next, so that a block needs only blocks with
// its own number and lower ones.
#pragma once

#include <sennit/data_regions.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/effects_access.hpp>
#include <sennit/detail/splice/block_plan.hpp>
#include <sennit/detail/splice/placement.hpp>
#include <sennit/divided.hpp>
#include <sennit/effects.hpp>
#include <sennit/splice_report.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// Some blocks of a tree that is shifted: index i of the tree has the place i + by. Blocks begin at multiples of
// `block` from the first place; or, where there is a plan, as that says.
struct block_range {
  range places;
  std::int64_t block = 1;  // with a plan: 0 as long as the plan has not been asked
  std::int64_t by = 0;
  const block_plan* plan = nullptr;

  // Without a plan: of the places. With a plan: 1 for a block or a part of one, and at least 2 for more.
  std::int64_t size() const noexcept {
    if (plan == nullptr) return places.size();
    const std::int64_t of_block = ask();
    return of_block != 0 && places.size() <= of_block ? std::min<std::int64_t>(places.size(), 1)
                                                      : std::max<std::int64_t>(places.size(), 2);
  }
  block_range left() const noexcept {
    const std::int64_t of_block = ask();
    return {{places.first, middle(of_block)}, of_block, by, plan};
  }
  block_range right() const noexcept {
    const std::int64_t of_block = ask();
    return {{middle(of_block), places.last}, of_block, by, plan};
  }
  // Those indices that the tree has.
  constexpr range indices(range all) const noexcept {
    return range{places.first - by, places.last - by}.within(all);
  }
  friend constexpr bool operator==(const block_range&, const block_range&) = default;

 private:
  // 0: the part has several zones. The plan is asked only when somebody comes to the zone.
  std::int64_t ask() const noexcept {
    return block != 0 ? block : plan->in_one_zone(places) ? plan->block_at(places.first) : 0;
  }
  std::int64_t middle(std::int64_t of_block) const noexcept {
    if (of_block == 0) return plan->middle_of(places);
    const std::int64_t half = (places.size() / of_block + (places.size() % of_block != 0)) / 2;
    return half == 0 ? places.last : places.first + half * of_block;
  }
};

// A tree that is moved has no plain indices, and so needs no test on the path of others.
template <class Effects>
struct shifted_effects {
  range plain;
  placement where;
  Effects effects_of;

  effects operator()(const block_range& part) const {
    const range own = part.indices(plain);
    if (own.size() != 0) [[likely]]
      return effects(effects_of(own));
    return where.is_moved() ? effects_at(where, part.indices(where.all), effects_of) : effects();
  }
};
template <class Step>
struct shifted_step {
  range plain;
  placement where;
  Step step;

  void operator()(const block_range& part) const {
    const range own = part.indices(plain);
    if (own.size() != 0) [[likely]] {
      step(own);
    } else if (where.is_moved()) {
      where.for_each(part.indices(where.all), [&](range indices) { step(indices); });
    }
  }
};

// What is spliced in place of a tree.
template <class Tree>
struct spliced_tree {
  using type = Tree;
};
template <class Effects, class Step>
struct spliced_tree<divided<range, Effects, Step>> {
  using type = divided<block_range, shifted_effects<Effects>, shifted_step<Step>>;
};
template <class Tree>
using spliced_tree_t = typename spliced_tree<Tree>::type;
template <class Tree>
inline constexpr bool can_be_shifted = !std::is_same_v<Tree, spliced_tree_t<Tree>>;

// plan: may be null.
template <class Effects, class Step>
auto shifted(divided<range, Effects, Step> tree, const placement& where, std::int64_t by, std::int64_t most,
             const block_plan* plan) {
  const range places{tree.all.first, tree.all.last + most};
  const range plain = where.is_moved() ? range{} : tree.all;
  return spliced_tree_t<divided<range, Effects, Step>>{{places, plan == nullptr ? tree.block : 0, by, plan},
                                                       plan == nullptr ? tree.block : 1,
                                                       {plain, where, std::move(tree.effects_of)},
                                                       {plain, where, std::move(tree.step)}};
}

// Whether there is nothing to gain, as all data of the splice stays in the cache of the only worker.
SENNIT_EXPORT bool data_fits(std::uint64_t bytes);

// Whether the data of so many bytes, which the first and the last of the interleaved trees are apart, is small
// enough on this machine.
SENNIT_EXPORT bool shift_fits(std::uint64_t bytes);

// How many of at most so many trees to interleave if that is not small enough, and neighbors are so many bytes apart.
SENNIT_EXPORT std::uint32_t trees_that_fit(std::uint64_t bytes_apart, std::uint32_t most);

// How many bytes a step of shifted trees may touch on this machine: the first number is best, the others are for
// steps that then would have fewer indices than the trees are shifted.
SENNIT_EXPORT std::array<std::uint64_t, 3> shifted_step_bytes();

// Chooses a block for a tree without one; `shift`: between the first and the last tree. A block that is smaller
// than the shift would be fetched again and again, as the trees use so many indices more than the block.
template <class Tree>
void choose_shifted_block(Tree& t, std::int64_t shift, std::int64_t times) {
  if (t.block > 0) return;
  const std::array<std::uint64_t, 3> sizes = shifted_step_bytes();
  const auto within = [&](std::uint64_t most) {
    return size_that_fits(t, [=](std::uint64_t bytes) { return bytes <= most; });
  };
  std::int64_t size = within(sizes[0]);
  if (size < shift) size = within(sizes[1]);
  if (size < shift) {
    // This block, the next one and what the trees are shifted by are in use together, in three quarters of the
    // core's own cache.
    const std::uint64_t each =
        effects_access::bytes(t.effects_of(t.all)) / static_cast<std::uint64_t>(t.all.size());
    const std::uint64_t all = sizes[2] / 2 * 3;
    const std::int64_t room = (static_cast<std::int64_t>(all / std::max<std::uint64_t>(each, 1)) - shift) / 2;
    size = room > 0 ? std::max(size, std::min(within(sizes[2]), room)) : std::min(within(sizes[2]), shift);
  }
  t.block = times_as_large(size, times);
}

// How far each tree is shifted. Nothing if no shift helps.
struct shifts {
  std::vector<std::int64_t> by;
  std::vector<placement> moved{};  // where each tree begins; empty if each begins at its first index
  std::int64_t most = 0;
  splice_reason reason = splice_reason::none;  // why the trees are not shifted, although some have to wait
  std::uint64_t bytes_apart = 0;               // if that is a large distance: from one tree to the next

  bool any() const noexcept { return most > 0 || (!moved.empty() && reason == splice_reason::none); }
  std::int64_t by_of(std::size_t tree) const noexcept { return by.empty() ? 0 : by[tree]; }
  placement where(std::size_t tree, range all) const noexcept {
    return moved.empty() ? placement{all} : moved[tree];
  }
};

// The distance by which `tree` has to be behind `other`, an earlier tree, at the middle of their range: the
// least d for which the effects of all indices of `tree` before middle - d do not interfere with those of the
// indices of `other` from the middle on. Returns -1 if there is none up to `limit`. guess: probably the
// distance.
template <class Tree>
std::int64_t distance_behind(const Tree& tree, const Tree& other, std::int64_t guess, std::int64_t limit) {
  const std::int64_t middle = tree.all.first + tree.all.size() / 2;
  const effects later = other.effects_of(range{middle, other.all.last});
  const auto is_clear = [&](std::int64_t d) {
    return !later.interferes(tree.effects_of(range{tree.all.first, middle - d}));
  };
  return least_clear(is_clear, guess, limit);
}

// The shifts of trees of which `together` are interleaved, from their effects. A tree is compared with a few
// trees before it. (An earlier one is seldom nearer than those; if it is, its steps wait, as without shifts.)
// Throws what effects_of() throws.
template <class Tree>
shifts shifts_along(const std::vector<Tree>& trees, std::size_t together) {
  constexpr std::size_t compared = 4;
  const shifts none{.by = {}, .most = 0, .reason = splice_reason::far_data};
  shifts found{.by = std::vector<std::int64_t>(trees.size())};
  std::int64_t usual[compared + 1] = {-1, -1, -1, -1, -1};
  const std::int64_t limit = trees.empty() ? 0 : trees.front().all.size() / 8;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const std::size_t in_group = t % together;
    for (std::size_t back = 1; back <= std::min(in_group, compared); ++back) {
      const std::int64_t d = limit < 1 ? -1 : distance_behind(trees[t], trees[t - back], usual[back], limit);
      if (d < 0) return none;
      usual[back] = d;
      found.by[t] = std::max(found.by[t], found.by[t - back] + d);
    }
    if (found.by[t] > limit) return none;
    found.most = std::max(found.most, found.by[t]);
  }
  return found;
}

// The same for trees that may begin elsewhere or go backward, where none would help that begin at their first index.
template <class Tree>
shifts shifts_of_moved(const std::vector<Tree>& trees, std::size_t together) {
  const auto none = [](splice_reason why) { return shifts{.by = {}, .reason = why}; };
  const std::int64_t limit = trees.empty() ? 0 : trees.front().all.size() / 8;
  if (limit < 1) return none(splice_reason::far_data);
  const std::vector<placed_tree<Tree>> placed = placed_along(trees, together, limit);
  const auto is_moved = [](const placed_tree<Tree>& t) { return t.where.is_moved(); };
  if (std::ranges::none_of(placed, is_moved)) return none(splice_reason::far_data);
  shifts found = shifts_along(placed, together);
  if (found.reason != splice_reason::none) return found;
  if (!std::ranges::all_of(placed, may_be_placed<Tree>)) return none(splice_reason::ordered_steps);
  found.moved.reserve(placed.size());
  for (const placed_tree<Tree>& t : placed) found.moved.push_back(t.where);
  return found;
}

// The same for trees over ranges: none if no tree has to be shifted, or if that is no gain.
template <class Tree>
shifts shifts_from_effects(const std::vector<Tree>& trees, std::size_t together) {
  const auto none = [](splice_reason why) { return shifts{.by = {}, .most = 0, .reason = why}; };
  for (const Tree& t : trees) {
    if (!(t.all == trees.front().all)) return none(splice_reason::ranges);
    // Of other regions, each comparison may take as long as a sweep; and the wavefront does not walk them.
    if (!effects_access::all_nearly_contiguous(t.effects_of(t.all)))
      return none(splice_reason::scattered_data);
  }
  shifts found = shifts_along(trees, together);
  if (found.reason == splice_reason::far_data) found = shifts_of_moved(trees, together);
  if (found.reason != splice_reason::none) return found;
  if (!found.any()) return {};
  const range all = trees.front().all;
  const std::uint64_t bytes = effects_access::bytes(trees.front().effects_of(all));
  const double apart =
      static_cast<double>(bytes) / static_cast<double>(all.size()) * static_cast<double>(found.most);
  if (!shift_fits(static_cast<std::uint64_t>(apart))) {
    const std::size_t trees_behind = std::min(trees.size(), together) - 1;
    return {.by = {},
            .moved = std::move(found.moved),
            .reason = splice_reason::large_distance,
            .bytes_apart = static_cast<std::uint64_t>(apart / static_cast<double>(trees_behind))};
  }
  return found;
}

// The same, and none if effects_of() throws: it will throw again when its step is looked for.
template <class Tree>
shifts shifts_of(const std::vector<Tree>& trees, std::size_t together) {
#if SENNIT_EXCEPTIONS
  try {
    return shifts_from_effects(trees, together);
  } catch (...) {
    return {.by = {}, .most = 0, .reason = splice_reason::failed_effects};
  }
#else
  return shifts_from_effects(trees, together);
#endif
}

}  // namespace sennit::detail
