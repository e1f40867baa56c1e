// SPDX-License-Identifier: Apache-2.0
// Programs as trees.
#include "program/program.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace sennit::sim {
namespace {

// Catches: children or edges of one construct that are taken for another's.
TEST(sim_program, has_children_and_edges_of_each_node) {
  program p;
  const touch read[] = {{.block = 7, .bytes = 64, .writes = false}};
  const node_number a = p.work(nanosecond, read);
  const node_number b = p.work(2 * nanosecond);
  const node_number tasks[] = {a, b, a};
  const program::edge first[] = {{1, 2}, {0, 1}};
  const program::edge second[] = {{0, 2}};
  const node_number g = p.graph(tasks, first);
  const node_number h = p.graph(tasks, second);
  const node_number all[] = {g, h, p.fork(a, b)};
  p.set_root(p.series(all));
  EXPECT_EQ(p.children(p.at(p.root())).size(), 3U);
  EXPECT_EQ(p.edges(p.at(g)).size(), 2U);
  EXPECT_EQ(p.edges(p.at(g))[0].after, 1U);
  EXPECT_EQ(p.edges(p.at(h))[0].after, 2U);
  EXPECT_EQ(p.touches(p.at(a))[0].block, 7U);
  EXPECT_EQ(p.blocks(), 8U);
}

// Catches: iterations of a loop that are not those of its parts.
TEST(sim_program, counts_the_iterations_of_loops) {
  program p;
  const node_number leaf = p.work(100);
  const node_number parts[] = {p.each(10, leaf), p.each(5, leaf)};
  EXPECT_EQ(p.at(p.loop(parts)).iterations, 15U);
}

// Catches: edges from or to tasks that are none.
TEST(sim_program, refuses_edges_of_no_task) {
  program p;
  const node_number tasks[] = {p.work(1)};
  const program::edge edges[] = {{0, 1}};
  EXPECT_THROW(p.graph(tasks, edges), std::invalid_argument);
}

}  // namespace
}  // namespace sennit::sim
