// SPDX-License-Identifier: Apache-2.0
// The trees of a splice, cut as they are spliced.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/effects_access.hpp>
#include <sennit/detail/splice/block_plan.hpp>
#include <sennit/detail/splice/bytes_of_trees.hpp>
#include <sennit/detail/splice/forest.hpp>
#include <sennit/detail/splice/log.hpp>
#include <sennit/detail/splice/placement.hpp>
#include <sennit/detail/splice/sequence.hpp>
#include <sennit/detail/splice/shifted_tree.hpp>
#include <sennit/detail/splice/tiled_tree.hpp>
#include <sennit/divided.hpp>
#include <sennit/effects.hpp>
#include <sennit/splice_report.hpp>
#include <sennit/splicing.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// The type of a tree has that of a lambda in it, most often, and so stands for a place in the program.
template <class Tree>
inline constinit block_site site_of{};

// Trees of such a type may be cut several times.
template <class Tree>
inline constexpr bool has_cheap_copies =
    std::is_trivially_copyable_v<Tree> && std::is_copy_constructible_v<Tree>;

// The results of body(0) ... body(n - 1), as they are spliced. If one of these throws, the results before it.
template <class Tree>
class made_trees {
 public:
  // times: a factor for chosen blocks. prepare(tree, i) is called before a block is chosen for the tree. site: whose
  // best blocks are looked for while the trees are spliced; may be null.
  template <std::integral N, class Body, class Prepare>
  made_trees(const splicing& how, N n, Body& body, std::int64_t times, Prepare&& prepare, block_site* site)
      : how_(how), chooses_together_(how.together == 0), site_(site) {
    const std::uint32_t count = count_of_calls(n);
    how_.together = std::min(calls_together(how), count);
    group_ = how_.together == count ? splice_group::all
             : chooses_together_    ? splice_group::usual
                                    : splice_group::given;
    std::vector<Tree> made;
    made.reserve(count);
    const auto make_all = [&] {
      for (N i = 0; i < n; ++i) {
        Tree t = body(i);
        prepare(t, made.size());
        made.push_back(std::move(t));
      }
    };
#if SENNIT_EXCEPTIONS
    try {
      make_all();
    } catch (...) {
      failure_ = std::current_exception();
    }
#else
    make_all();
#endif
    cut(made, times);
  }
  // Of trees that have been made. how.together is not 0.
  made_trees(const splicing& how, std::vector<Tree> made, block_site* site)
      : how_(how), chooses_together_(false), group_(splice_group::tried), site_(site) {
    cut(made, 1);
  }
  template <std::integral N, class Body>
  made_trees(const splicing& how, N n, Body& body)
      : made_trees(how, n, body, 1, [](Tree&, std::size_t) {}, &site_of<Tree>) {}

  bool all() const noexcept { return failure_ == nullptr; }
  bool block_is_chosen() const noexcept { return block_is_chosen_; }
  // Whether each tree is one step, and cannot be larger.
  bool are_steps() const noexcept { return are_steps_; }
  // The number of indices, or cells, of the first tree; at least 1.
  std::int64_t indices() const noexcept { return std::max<std::int64_t>(indices_, 1); }
  // Called after the trees before the failed body have run: their exceptions come first.
  void rethrow() const {
    if (!all()) std::rethrow_exception(failure_);
  }

  // Splices the trees. log: may be null.
  splice_report splice(splice_log* log) const {
    forest all = forest_of(trees.data());
    all.tiled = tiled_;
    all.are_steps = are_steps_;
    const double each = bytes_of_an_index(trees, indices_);
    splice_report report = run_splice(how_, static_cast<std::uint32_t>(trees.size()), all, log);
    if (has_found_) site_of<Tree>.tell(report);
    if (plans_.empty()) {
      report.block = 0;
      for (const auto& tree : trees) report.block = std::max(report.block, tree.block);
    } else {
      site_->tell(report);
    }
    report.block_is_chosen = block_is_chosen_;
    report.block_bytes =
        static_cast<std::uint64_t>(each * static_cast<double>(std::min(report.block, indices())));
    // The number of trees has been settled before.
    if (report.group != splice_group::none) report.group = group_;
    if (tiled_ && report.no_tiles == splice_reason::none) {
      report.tile_rows = tile_.rows;
      report.tile_columns = tile_.columns;
    }
    report.shift = shift_;
    report.shift_of_columns = shift_of_columns_;
    report.no_shift = no_shift_;
    if (can_be_tiled<Tree> && no_shift_ != splice_reason::none) report.no_tiles = no_shift_;
    report.moved = moved_;
    return report;
  }

  // The trees as they were made, if another number of them may be interleaved than the caches suggest.
  const std::vector<Tree>& given() const noexcept { return given_; }
  std::uint32_t together() const noexcept { return how_.together; }
  // Whether the best size of blocks is known, or does not have to be found.
  bool blocks_are_settled() const noexcept {
    return plans_.empty() || !plans_.front()->tries_sizes() || site_->over();
  }
  // The best size of blocks for so many interleaved trees, as far as it is known; 0 if it is not.
  std::int64_t block_for(std::uint32_t number) const noexcept {
    const bool known = !plans_.empty() && shift_ * number <= site_->size() * how_.together;
    return known ? site_->size() : 0;
  }
  // Whether the others are shifted, and these are too far apart for that.
  bool loses_shift_of(const made_trees& others) const noexcept {
    const bool too_far = no_shift_ == splice_reason::far_data || no_shift_ == splice_reason::large_distance;
    return too_far && others.no_shift_ == splice_reason::none;
  }
  unsigned blocks_tried() const noexcept { return plans_.empty() ? 0 : site_->tried(); }

  std::vector<spliced_tree_t<Tree>> trees;

 private:
  // Takes so many trees together, as the data of more would not fit the caches.
  void interleave(std::uint32_t together) noexcept {
    if (together < how_.together) group_ = splice_group::caches;
    how_.together = together;
  }
  void cut(std::vector<Tree>& made, std::int64_t times) {
    if (!made.empty()) {
      indices_ = static_cast<std::int64_t>(made.front().all.size());
      block_is_chosen_ = made.front().block <= 0;
    }
    if (are_steps_each(made)) return cut_into_steps(made, splice_reason::none);
    if (has_nothing_to_gain(made)) return cut_into_steps(made, splice_reason::small_data);
    if constexpr (has_cheap_copies<Tree>) {
      if (chooses_together_ && site_ != nullptr && may_try_numbers(made)) given_ = std::vector<Tree>(made);
    }
    if constexpr (can_be_tiled<Tree>) {
      cut_tiles(made, times);
    } else if constexpr (can_be_shifted<Tree>) {
      shifts found = shifts_of(made, how_.together);
      if (chooses_together_ && found.reason == splice_reason::large_distance) {
        interleave(trees_that_fit(found.bytes_apart, how_.together));
        // The first tree of each group begins at its first index.
        if (!found.moved.empty()) found = shifts_of(made, how_.together);
      }
      const bool given = std::ranges::any_of(made, [](const Tree& t) { return t.block > 0; });
      choose_blocks(made, [&](Tree& t) {
        if (found.any()) {
          choose_shifted_block(t, found.most, times);
        } else {
          choose_block(t, how_.together, times);
        }
      });
      if (!given && found.reason == splice_reason::none) cut_alike(made, found, times);
      if (are_steps_each(made)) return cut_into_steps(made, found.reason);
      if (!may_go_backward(made, found)) found = {.by = {}, .reason = splice_reason::ordered_steps};
      shift_ = found.most;
      no_shift_ = found.reason;
      moved_ = static_cast<std::uint32_t>(std::ranges::count_if(found.moved, &placement::is_moved));
      for (std::size_t i = 0; i < made.size(); ++i) {
        const block_plan* const of_group = plans_.empty() ? nullptr : plans_[i / how_.together].get();
        const placement where = found.where(i, made[i].all);
        trees.push_back(shifted(std::move(made[i]), where, found.by_of(i), found.most, of_group));
      }
    } else {
      no_shift_ = splice_reason::parts;
      choose_blocks(made, [&](Tree& t) { choose_block(t, how_.together, times); });
      trees = std::move(made);
    }
  }
  // Whether the block of each tree is at least as large as the tree: then no tree is shifted, so that it stays one block.
  static bool are_steps_each(const std::vector<Tree>& made) {
    return !made.empty() && std::ranges::all_of(made, [](const Tree& t) {
      return t.block > 0 && t.block >= static_cast<std::int64_t>(t.all.size());
    });
  }
  // Whether no order is faster than that of the loop. Trees whose program gives the size of blocks are cut.
  bool has_nothing_to_gain(const std::vector<Tree>& made) const {
    if (made.empty() || splices_are_checked()) return false;
    const auto is_given = [](const Tree& t) { return t.block > 0; };
    const auto all_fit = [&] {
      for (std::size_t first = 0; first < made.size(); first += how_.together) {
        const std::size_t count = std::min<std::size_t>(how_.together, made.size() - first);
        const std::uint64_t bytes = bytes_together(count, [&](std::size_t i) {
          const Tree& t = made[first + i];
          return effects(t.effects_of(t.all));
        });
        if (!data_fits(bytes)) return false;
      }
      return true;
    };
    if (std::ranges::any_of(made, is_given)) return false;
#if SENNIT_EXCEPTIONS
    try {
      return all_fit();
    } catch (...) {
      return false;  // it will throw again when its step is looked for
    }
#else
    return all_fit();
#endif
  }
  void cut_into_steps(std::vector<Tree>& made, splice_reason no_shift) {
    are_steps_ = true;
    no_shift_ = no_shift;
    plans_.clear();
    given_.clear();
    for (Tree& t : made) {
      t.block = std::max<std::int64_t>(static_cast<std::int64_t>(t.all.size()), 1);
      if constexpr (can_be_tiled<Tree>) {
        trees.push_back(
            tiled(std::move(t), {.down = {}, .across = {}, .reason = splice_reason::small_data}, 0));
      } else if constexpr (can_be_shifted<Tree>) {
        trees.push_back(shifted(std::move(t), {}, 0, 0, nullptr));
      } else {
        trees.push_back(std::move(t));
      }
    }
  }
  // Trees over the same range get the same blocks, so that no block needs data of two blocks of an earlier tree.
  void cut_alike(std::vector<Tree>& made, const shifts& by, std::int64_t times) {
    if (made.empty()) return;
    const auto all = made.front().all;
    if (all.size() == 0 || !std::ranges::all_of(made, [&](const Tree& t) { return t.all == all; })) return;
    const Tree& widest = *std::ranges::min_element(made, {}, &Tree::block);
    const std::int64_t start = widest.block;
    const std::int64_t most =
        size_that_fits(widest, [](std::uint64_t bytes) { return bytes <= shifted_step_bytes()[2]; });
    if (site_ == nullptr) {
      // An order that may be saved has blocks of one size: the best one, if splices of such trees have found it.
      const std::int64_t found = site_of<Tree>.found_from(start / times);
      has_found_ = found != 0;
      for (Tree& t : made) t.block = has_found_ ? times_as_large(found, times) : start;
      return;
    }
    for (Tree& t : made) t.block = start;
    // Which blocks go backward has to be known before.
    if (std::ranges::any_of(by.moved, &placement::is_backward)) return;
    const range places{all.first, all.last + by.most};
    for (std::size_t i = 0; i < made.size(); i += how_.together)
      plans_.push_back(std::make_unique<block_plan>(*site_, places, start, by.most, most));
  }
  // Whether the blocks of the trees that would go backward depend on no other block of their tree. Where effects_of() throws,
  // it throws again when its step is looked for.
  static bool may_go_backward(const std::vector<Tree>& made, const shifts& found) {
    const auto may_all = [&] {
      for (std::size_t i = 0; i < std::min(found.moved.size(), made.size()); ++i) {
        const Tree& t = made[i];
        if (!found.moved[i].is_backward) continue;
        const block_range all{{t.all.first, t.all.last + found.most}, t.block, found.by_of(i), nullptr};
        const auto effects_of = [&](const block_range& part) {
          return effects_at(found.moved[i], part.indices(t.all), t.effects_of);
        };
        if (!blocks_are_free(all, t.block, effects_of)) return false;
      }
      return true;
    };
    // There is no splice in a spliced function, outside its steps, and no join().
    if (found.moved.empty() || in_spliced_call()) return true;
#if SENNIT_EXCEPTIONS
    try {
      return may_all();
    } catch (...) {
      return false;
    }
#else
    return may_all();
#endif
  }
  // Data that fits the core's own cache takes the same time with any number.
  static bool may_try_numbers(const std::vector<Tree>& made) {
    const auto is_large = [](const Tree& t) {
      return !shift_fits(effects_access::bytes(t.effects_of(t.all)));
    };
    if (made.size() < 2 || splices_are_checked()) return false;
#if SENNIT_EXCEPTIONS
    try {
      return is_large(made.front());
    } catch (...) {
      return false;  // it will throw again when its step is looked for
    }
#else
    return is_large(made.front());
#endif
  }
  void cut_tiles(std::vector<Tree>& made, std::int64_t times) {
    if (made.empty()) return;
    const tile_plan found = tile_plan_of(made, how_.together, !chooses_together_);
    no_shift_ = found.reason;
    tiled_ = found.reason == splice_reason::none;
    if (tiled_) {
      interleave(found.together);
      tile_ = shape_of_tile(found.cells, made.front().all.columns.size());
    }
    choose_blocks(made, [&](Tree& t) {
      if (!tiled_)
        choose_block(t, how_.together, times);
      else if (t.block <= 0)
        t.block = times_as_large(found.cells, times);
    });
    if (are_steps_each(made)) {
      tiled_ = false;
      return cut_into_steps(made, found.reason);
    }
    shift_ = found.down.most;
    shift_of_columns_ = found.across.most;
    for (std::size_t i = 0; i < made.size(); ++i) trees.push_back(tiled(std::move(made[i]), found, i));
  }
  // Where effects_of() throws, the tree counts as one whose body has thrown.
  template <class Choose>
  void choose_blocks(std::vector<Tree>& made, Choose&& choose) {
    std::size_t i = 0;
    const auto choose_all = [&] {
      for (; i < made.size(); ++i) choose(made[i]);
    };
#if SENNIT_EXCEPTIONS
    try {
      choose_all();
    } catch (...) {
      failure_ = std::current_exception();
      while (made.size() > i) made.pop_back();
    }
#else
    choose_all();
#endif
  }

  splicing how_;  // with the number of trees that are interleaved
  bool chooses_together_;
  splice_group group_ = splice_group::none;
  std::int64_t indices_ = 0;  // of the first tree
  bool block_is_chosen_ = false;
  bool has_found_ = false;  // the block was found by splices of other trees of this type
  tile_shape tile_{};
  bool tiled_ = false;
  bool are_steps_ = false;  // the whole trees
  block_site* site_;
  std::vector<Tree> given_;
  std::vector<std::unique_ptr<block_plan>> plans_;  // of the groups of interleaved trees
  std::int64_t shift_ = 0;
  std::int64_t shift_of_columns_ = 0;
  std::uint32_t moved_ = 0;
  splice_reason no_shift_ = splice_reason::none;
  std::exception_ptr failure_;
};

}  // namespace sennit::detail
