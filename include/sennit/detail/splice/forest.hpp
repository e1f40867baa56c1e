// SPDX-License-Identifier: Apache-2.0
// The interface of the library to declared trees.
#pragma once

#include <sennit/divided.hpp>
#include <sennit/effects.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace sennit::detail {

// Room for a part of any tree.
struct part_room {
  alignas(16) std::byte bytes[48];
};

// The spliced trees of one type, and the operations on their parts.
struct forest {
  const void* trees;
  void (*root)(const void* trees, std::uint32_t tree, part_room& to);
  // Cuts a part in two. Returns false if the part is a step. One of the halves may be stored where the part
  // is.
  bool (*halve)(const void* trees, std::uint32_t tree, const part_room& part, part_room& left,
                part_room& right);
  effects (*effects_of)(const void* trees, std::uint32_t tree, const part_room& part);
  void (*step)(const void* trees, std::uint32_t tree, const part_room& part);
  // Begins a tree as a call of the splicer.
  void (*begin)(const void* trees, std::uint32_t tree, spliced_call& in);
  // Parts are of type tiles, and all trees have the same tiles.
  bool tiled = false;
  // Each tree is one step, and is to run after the one before.
  bool are_steps = false;
};

template <class Tree>
forest forest_of(const Tree* trees) noexcept {
  using part = typename tree_call<Tree>::part;
  static constexpr auto tree = [](const void* of, std::uint32_t i) -> const Tree& {
    return static_cast<const Tree*>(of)[i];
  };
  static constexpr auto in = [](const part_room& room) -> const part& {
    return *std::launder(reinterpret_cast<const part*>(room.bytes));
  };
  static constexpr auto put = [](part_room& room, const part& p) {
    ::new (static_cast<void*>(room.bytes)) part(p);
  };
  return {.trees = trees,
          .root = [](const void* of, std::uint32_t i, part_room& to) { put(to, tree(of, i).all); },
          .halve =
              [](const void* of, std::uint32_t i, const part_room& p, part_room& left, part_room& right) {
                const part& whole = in(p);
                if (whole.size() <= tree(of, i).block) return false;
                const part first = whole.left();
                put(right, whole.right());
                put(left, first);
                return true;
              },
          .effects_of = [](const void* of, std::uint32_t i, const part_room& p) -> effects {
            return tree(of, i).effects_of(in(p));
          },
          .step = [](const void* of, std::uint32_t i, const part_room& p) { tree(of, i).step(in(p)); },
          .begin =
              [](const void* of, std::uint32_t i, spliced_call& call) {
                const Tree& t = tree(of, i);
                tree_call<Tree>::begin(call, t, t.all);
              },
          .tiled = false,
          .are_steps = false};
}

}  // namespace sennit::detail
