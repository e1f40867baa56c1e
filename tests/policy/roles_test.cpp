// SPDX-License-Identifier: Apache-2.0
// Schedules that are followed by another number of workers than they were made for.
#include "policy/roles.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using sennit::policy::role_here;

constexpr std::uint32_t nodes = 8;

// The node of a worker, as the runtime places workers.
std::uint32_t node_of(std::uint32_t worker, std::uint32_t workers) { return worker * nodes / workers; }

// The share of the data, which the roles have touched where they were, that is on another node than the worker that
// uses it now.
template <class Mapping>
double remote_share(std::uint32_t roles, std::uint32_t workers, Mapping&& mapping) {
  std::uint32_t remote = 0;
  for (std::uint32_t role = 0; role < roles; ++role)
    remote += node_of(mapping(role, roles, workers), workers) != node_of(role, roles) ? 1 : 0;
  return double(remote) / roles;
}

// Catches: neighbors, whose data are on one node, that go to different nodes.
TEST(roles, stay_on_their_nodes_where_there_are_fewer_workers) {
  const auto modulo = [](std::uint32_t role, std::uint32_t, std::uint32_t workers) { return role % workers; };
  for (const std::uint32_t roles : {16U, 64U, 80U}) {
    for (std::uint32_t workers = nodes; workers < roles; workers += nodes) {
      EXPECT_EQ(remote_share(roles, workers, role_here), 0) << roles << " on " << workers;
      EXPECT_GT(remote_share(roles, workers, modulo), 0.4) << roles << " on " << workers;
    }
  }
  // Where there are fewer workers than nodes, most data are remote in any case.
  EXPECT_LE(remote_share(64, 4, role_here), 0.5);
  EXPECT_GT(remote_share(64, 4, modulo), 0.8);
}

// Catches: a worker with twice as many roles as another.
TEST(roles, are_dealt_out_evenly) {
  for (std::uint32_t workers = 1; workers < 20; ++workers) {
    std::uint32_t count[20] = {};
    for (std::uint32_t role = 0; role < 23; ++role) ++count[role_here(role, 23, workers)];
    for (std::uint32_t w = 0; w < workers; ++w) {
      EXPECT_GE(count[w], 23 / workers);
      EXPECT_LE(count[w], 23 / workers + 1);
    }
  }
}

// Catches: a written schedule whose workers are others.
TEST(roles, are_themselves_where_there_are_as_many_workers) {
  for (const std::uint32_t workers : {4U, 5U, 80U}) {
    for (std::uint32_t role = 0; role < 4; ++role) EXPECT_EQ(role_here(role, 4, workers), role);
  }
  EXPECT_LT(role_here(9, 4, 2), 2U);
}

}  // namespace
