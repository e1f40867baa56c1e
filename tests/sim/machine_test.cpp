// SPDX-License-Identifier: Apache-2.0
// Machines: where cores are, and what costs depend on.
#include "machine/machine.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace sennit::sim {
namespace {

using tree = std::vector<std::vector<unsigned>>;

// Catches: cores, caches and nodes that are numbered otherwise than in the order of the tree; a node that ends where its first
// cache does.
TEST(sim_machine, numbers_its_places_in_the_order_of_the_tree) {
  const tree nodes = {{4, 2}, {3}};
  const places where(nodes);
  EXPECT_EQ(where.cores(), 9U);
  EXPECT_EQ(where.caches(), 3U);
  EXPECT_EQ(where.nodes(), 2U);
  EXPECT_EQ(where.cache_of(3), 0U);
  EXPECT_EQ(where.cache_of(4), 1U);
  EXPECT_EQ(where.node_of(5), 0U);
  EXPECT_EQ(where.node_of(6), 1U);
  EXPECT_EQ(where.node_of_cache(1), 0U);
  EXPECT_EQ(where.node_of_cache(2), 1U);
  EXPECT_EQ(where.cores_of_cache(1).first, 4U);
  EXPECT_EQ(where.cores_of_cache(1).end, 6U);
  EXPECT_EQ(where.cores_of_node(0).size(), 6U);
  EXPECT_EQ(where.cores_of_node(1).first, 6U);
  EXPECT_EQ(where.caches_of_node(0).end, 2U);
  EXPECT_EQ(where.caches_of_node(1).first, 2U);
}

// Catches: a distance that is another one's; one that differs from there to here.
TEST(sim_machine, knows_how_near_cores_are) {
  const tree nodes(2, {4, 4});
  const places where(nodes);
  EXPECT_EQ(where.between(5, 5), distance::same_core);
  EXPECT_EQ(where.between(4, 7), distance::same_cache);
  EXPECT_EQ(where.between(3, 4), distance::same_node);
  EXPECT_EQ(where.between(7, 8), distance::other_node);
  for (unsigned a = 0; a < where.cores(); ++a) {
    for (unsigned b = 0; b < where.cores(); ++b) EXPECT_EQ(where.between(a, b), where.between(b, a));
  }
}

// Catches: a cost that is that of another distance, and a core that pays for its own data.
TEST(sim_machine, costs_by_distance) {
  const cost_by_distance cost = {.same_cache = 1, .same_node = 2, .other_node = 3};
  EXPECT_EQ(cost.at(distance::same_core), 0U);
  EXPECT_EQ(cost.at(distance::same_cache), 1U);
  EXPECT_EQ(cost.at(distance::same_node), 2U);
  EXPECT_EQ(cost.at(distance::other_node), 3U);
  machine_costs costs;
  costs.barrier_base = 1000;
  costs.barrier_per_thread = 10;
  EXPECT_EQ(costs.barrier(80), 1800U);
}

// Catches: machines without cores, where the first access is out of bounds.
TEST(sim_machine, refuses_trees_with_empty_places) {
  EXPECT_THROW(places(tree{}), std::invalid_argument);
  const tree no_cache = {{4}, {}};
  EXPECT_THROW(places{no_cache}, std::invalid_argument);
  const tree no_core = {{4, 0}};
  EXPECT_THROW(places{no_core}, std::invalid_argument);
  EXPECT_EQ(places().cores(), 1U);
}

// Catches: machines that count as equal though their cores are grouped otherwise.
TEST(sim_machine, compares_trees) {
  const tree two_nodes = {{4}, {4}};
  const tree two_caches = {{4, 4}};
  EXPECT_EQ(places(two_nodes), places(two_nodes));
  EXPECT_FALSE(places(two_nodes) == places(two_caches));
}

}  // namespace
}  // namespace sennit::sim
