// SPDX-License-Identifier: Apache-2.0
// uts: counts the nodes of an unbalanced tree (Olivier et al., 2006; binomial trees). The root has many
// children; every other node has `children` of them with a probability so near to 1 / children that some
// branches die at once and others hold most of the tree, and nobody can say which before having walked them.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/splitmix.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

struct shape {
  std::uint64_t roots;
  std::uint64_t children;
  std::uint64_t fertile;  // a node has children if its hash is below

  std::uint64_t children_of(std::uint64_t node) const { return node < fertile ? children : 0; }
};

// A node is a hash; its children are what SplitMix64 yields when seeded with it.
std::uint64_t child(std::uint64_t node, std::uint64_t rank) {
  return splitmix64(node + rank * splitmix64_step);
}

template <class P>
std::uint64_t nodes_below(const shape& tree, std::uint64_t node, std::uint64_t first, std::uint64_t last);

template <class P>
std::uint64_t nodes(const shape& tree, std::uint64_t node) {
  const std::uint64_t children = tree.children_of(node);
  return children == 0 ? 1 : 1 + nodes_below<P>(tree, node, 0, children);
}

// Nodes of the trees whose roots are the children [first, last) of the node.
template <class P>
std::uint64_t nodes_below(const shape& tree, std::uint64_t node, std::uint64_t first, std::uint64_t last) {
  if (last - first == 1) return nodes<P>(tree, child(node, first));
  const std::uint64_t middle = first + (last - first) / 2;
  auto [left, right] = P::join([&, node, first, middle] { return nodes_below<P>(tree, node, first, middle); },
                               [&, node, middle, last] { return nodes_below<P>(tree, node, middle, last); });
  return left + right;
}

struct program {
  static constexpr description about{.name = "uts",
                                     .summary = "nodes of an unbalanced tree nobody can foresee"};

  std::int64_t roots = 2000;
  std::int64_t children = 8;
  double expected = 0.999;
  std::int64_t seed = 13;
  shape tree{};

  std::vector<parameter> parameters() {
    return {{"roots", "children of the root", &roots, 1, 1e6},
            {"children", "children of a node that has any", &children, 2, 100},
            {"expected", "children of a node on average", &expected, 0, 0.999},
            {"seed", "which tree", &seed, 0, 1e9}};
  }
  void choose_demo() { roots = 100000; }
  void prepare() {
    tree = {static_cast<std::uint64_t>(roots), static_cast<std::uint64_t>(children),
            static_cast<std::uint64_t>(std::ldexp(expected / static_cast<double>(children), 64))};
  }

  template <class P>
  std::uint64_t run() const {
    return 1 + nodes_below<P>(tree, splitmix64(static_cast<std::uint64_t>(seed)), 0, tree.roots);
  }

  std::string complaint(std::uint64_t result) const {
    if (roots == 2000 && children == 8 && expected == 0.999 && seed == 13 && result != 4792385) {
      return fmt::format("the tree has 4792385 nodes, not {}", result);
    }
    if ((result - 1 - tree.roots) % tree.children != 0) {
      return fmt::format("{} nodes are not the root, its {} children and others in families of {}", result,
                         tree.roots, tree.children);
    }
    return {};
  }

  std::string describe(std::uint64_t result) const { return fmt::format("{} nodes", result); }
};

}  // namespace

std::unique_ptr<kernel> make_uts() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
