// SPDX-License-Identifier: Apache-2.0
// Orders of the steps of declared trees: the numbers of their blocks, and whether an order keeps interfering
// steps in the order of the loop.
#pragma once

#include <sennit/effects.hpp>
#include <sennit/splice_schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sennit::detail {

template <class Part>
struct tree_shape {
  Part all;
  std::int64_t block;

  // Visits each block, in the order of the plain loop. Returns false if there are more than `most`.
  template <class Visit>
  bool for_each(Visit&& visit, std::size_t most = SIZE_MAX) const {
    return walk(all, visit, most);
  }

 private:
  template <class Visit>
  bool walk(const Part& p, Visit& visit, std::size_t& left) const {
    if (p.size() > block) return walk(p.left(), visit, left) && walk(p.right(), visit, left);
    if (left == 0) return false;
    --left;
    visit(p);
    return true;
  }
};

// The numbers of blocks that are taken one by one, most of them in order.
template <class Part>
class block_numbers {
 public:
  explicit block_numbers(const tree_shape<Part>& of) {
    of.for_each([this](const Part& p) { blocks_.push_back({p, false}); });
  }
  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(blocks_.size()); }

  // The number of a block that is equal and has not been taken. Equal blocks do the same, so any of them may
  // be taken.
  std::uint32_t take(const Part& p) {
    const auto fits = [&p](const block& b) { return !b.taken && b.part == p; };
    auto found = std::find_if(blocks_.begin() + next_, blocks_.end(), fits);
    if (found == blocks_.end()) found = std::find_if(blocks_.begin() + first_, blocks_.end(), fits);
    found->taken = true;
    next_ = found - blocks_.begin() + 1;
    while (first_ < count() && blocks_[static_cast<std::size_t>(first_)].taken) ++first_;
    return static_cast<std::uint32_t>(next_ - 1);
  }

 private:
  struct block {
    Part part;
    bool taken;
  };
  std::vector<block> blocks_;
  std::ptrdiff_t first_ = 0;  // all blocks before it have been taken
  std::ptrdiff_t next_ = 0;   // the block behind the last one taken
};

// The blocks of all trees, for the schedule of that name. Refuses the schedule if its shape differs. Visits
// no more blocks than the schedule has, because the size of blocks may come from a file with arbitrary
// contents.
template <class Tree>
auto blocks_of(const std::vector<Tree>& trees, const splice_schedule& s, const std::string& name) {
  using part = decltype(Tree::all);
  if (trees.size() != s.blocks().size()) refuse_calls(name, s, trees.size());
  std::vector<std::vector<part>> all;
  all.reserve(trees.size());
  for (const Tree& t : trees) {
    const auto call = static_cast<std::uint32_t>(all.size());
    std::vector<part>& blocks = all.emplace_back();
    const bool ended = tree_shape<part>{t.all, t.block}.for_each([&](const part& p) { blocks.push_back(p); },
                                                                 s.blocks()[call]);
    if (!ended || blocks.size() < s.blocks()[call]) refuse_blocks(name, s, call, blocks.size());
  }
  return all;
}

// Refuses a schedule, which has the trees' shape, if interfering steps are in another order than in the loop
// over the trees. Compares pairs of parts, the large ones first. It does not look into parts that do not
// interfere, or that are known to be in order.
template <class Tree>
class order_check {
 public:
  order_check(const std::vector<Tree>& trees, const splice_schedule& s, const std::string& name)
      : trees_(trees), places_(splice_schedule_access::places(s)), name_(name) {}

  void run() {
    for (std::uint32_t i = 0; i < trees_.size(); ++i) {
      place next = {i, 0};
      whole_.push_back(add(trees_[i].all, next));
    }
    for (std::uint32_t i = 0; i < trees_.size(); ++i) {
      check_inside(whole_[i], i);
      for (std::uint32_t j = i + 1; j < trees_.size(); ++j) check(whole_[i], i, whole_[j], j);
    }
  }

 private:
  using part = decltype(Tree::all);
  static constexpr std::uint32_t none = UINT32_MAX;
  struct place {
    std::uint32_t call;
    std::uint32_t block;
  };
  struct node {
    part at;
    std::uint32_t left;  // none: a block
    std::uint32_t right;
    std::uint32_t block;  // the first one
    splice_place first;   // the first and the last place in it, by either number
    splice_place last;
  };

  std::uint32_t add(const part& at, place& next) {
    if (at.size() <= trees_[next.call].block) {
      const splice_place where = places_[next.call][next.block];
      nodes_.push_back({at, none, none, next.block++, where, where});
    } else {
      const std::uint32_t first = next.block;
      const std::uint32_t l = add(at.left(), next);
      const std::uint32_t r = add(at.right(), next);
      const node& a = nodes_[l];
      const node& b = nodes_[r];
      nodes_.push_back({at,
                        l,
                        r,
                        first,
                        {std::min(a.first.first_first, b.first.first_first),
                         std::min(a.first.second_first, b.first.second_first)},
                        {std::max(a.last.first_first, b.last.first_first),
                         std::max(a.last.second_first, b.last.second_first)}});
    }
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  void check_inside(std::uint32_t whole, std::uint32_t call) const {
    const node& n = nodes_[whole];
    if (n.left == none) return;
    check(n.left, call, n.right, call);
    check_inside(n.left, call);
    check_inside(n.right, call);
  }

  // The first part of the two is the one that comes first in the loop.
  void check(std::uint32_t earlier, std::uint32_t its_call, std::uint32_t later,
             std::uint32_t other_call) const {
    const node& a = nodes_[earlier];
    const node& b = nodes_[later];
    if (a.last.first_first < b.first.first_first && a.last.second_first < b.first.second_first) return;
    if (!trees_[its_call].effects_of(a.at).interferes(trees_[other_call].effects_of(b.at))) return;
    if (a.left == none && b.left == none) {
      refuse_order(name_, {its_call, a.block}, {other_call, b.block});
    } else if (b.left == none || (a.left != none && a.at.size() >= b.at.size())) {
      check(a.left, its_call, later, other_call);
      check(a.right, its_call, later, other_call);
    } else {
      check(earlier, its_call, b.left, other_call);
      check(earlier, its_call, b.right, other_call);
    }
  }

  const std::vector<Tree>& trees_;
  const std::vector<std::vector<splice_place>> places_;
  const std::string& name_;
  std::vector<node> nodes_;
  std::vector<std::uint32_t> whole_;
};

}  // namespace sennit::detail
