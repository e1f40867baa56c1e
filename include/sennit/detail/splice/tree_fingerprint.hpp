// SPDX-License-Identifier: Apache-2.0
// Whether the trees of two runs have the same parts with the same effects.
#pragma once

#include <sennit/detail/effects_access.hpp>
#include <sennit/detail/splice/region_kind.hpp>
#include <sennit/detail/splice/shifted_tree.hpp>
#include <sennit/divided.hpp>
#include <sennit/effects.hpp>
#include <sennit/join.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace sennit::detail {

// Visits the blocks of a part, in the order of the plain loop.
template <class Part, class Visit>
void for_each_block(const Part& part, std::int64_t block, Visit&& visit) {
  if (part.size() > block) {
    for_each_block(part.left(), block, visit);
    for_each_block(part.right(), block, visit);
  } else {
    visit(part);
  }
}
template <class Visit>
void for_each_block(const block_range& part, std::int64_t block, Visit&& visit) {
  block_range at = part;
  for (; part.places.last - at.places.first > block; at.places.first = at.places.last) {
    at.places.last = at.places.first + block;
    visit(at);
  }
  at.places.last = part.places.last;
  visit(at);
}

// A number that differs, most likely, if the steps of some trees or the effects of a step differ.
class tree_fingerprint {
 public:
  // Of nothing: the same as no other one.
  tree_fingerprint() = default;
  // Visits all blocks. Whatever an order depends on is in the effects of its steps: the effects of larger
  // parts have all of these. Throws what effects_of() throws. Called on a worker.
  template <class Tree>
  explicit tree_fingerprint(const std::vector<Tree>& trees)
      : tree_fingerprint(of_trees(trees.data(), trees.size())) {}

  bool is_same(const tree_fingerprint& other) const noexcept {
    return complete_ && other.complete_ && value_ == other.value_;
  }

 private:
  template <class Tree>
  using part_of = typename tree_call<Tree>::part;
  static constexpr std::int64_t blocks_together = 64;  // by one worker

  template <class Tree>
  static tree_fingerprint of_trees(const Tree* trees, std::size_t n) {
    if (n == 0) return {n, true};
    if (n == 1) return of_part(*trees, trees->all);
    return of_both([&] { return of_trees(trees, n / 2); },
                   [&] { return of_trees(trees + n / 2, n - n / 2); });
  }
  template <class Tree>
  static tree_fingerprint of_part(const Tree& tree, const part_of<Tree>& part) {
    if (part.size() / blocks_together > tree.block) {
      return of_both([&] { return of_part(tree, part.left()); }, [&] { return of_part(tree, part.right()); });
    }
    tree_fingerprint all{static_cast<std::uint64_t>(part.size()), true};
    for_each_block(part, tree.block, [&](const part_of<Tree>& p) {
      all.note_part(p);
      const effects fx = tree.effects_of(p);
      all.value_ = effects_access::fingerprint(fx, all.value_);
      all.complete_ = all.complete_ && effects_access::has_fingerprint(fx);
    });
    return all;
  }
  template <class Part>
  void note_part(const Part& p) noexcept {
    if constexpr (std::has_unique_object_representations_v<Part>) {
      value_ = mix(value_, hash_of_bytes(&p, sizeof p));
    } else {
      value_ = mix(value_, static_cast<std::uint64_t>(p.size()));
    }
  }
  // The blocks of a range follow from the range.
  void note_part(const block_range&) noexcept {}

  static tree_fingerprint of_both(auto&& left, auto&& right) {
    tree_fingerprint a;
    tree_fingerprint b;
    join([&] { a = left(); }, [&] { b = right(); });
    // Not mix(a, b): trees come in equal pairs, and two equal numbers would cancel each other out.
    return {mix(mix(1, a.value_), b.value_), a.complete_ && b.complete_};
  }

  tree_fingerprint(std::uint64_t value, bool complete) noexcept : value_(value), complete_(complete) {}

  std::uint64_t value_ = 0;
  bool complete_ = false;  // no region is of a type that cannot be compared
};

}  // namespace sennit::detail
