// SPDX-License-Identifier: Apache-2.0
// Graphs over simulated ranks.
#include "machine/machine_file.hpp"
#include "ranks/simulate_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

namespace sennit::sim {
namespace {

constexpr picoseconds us = 1000 * nanosecond;

// 1,000 MB/s: a byte takes a nanosecond.
machine some_machine(unsigned ranks) {
  machine m = find_machine("2x20");
  m.network = {ranks, 2 * us, 1000, 3 * us, 4 * us, 100 * us};
  return m;
}

// Catches: a message that pays for its size at both ports, a latency or an overhead that is left out or paid twice.
TEST(sim_ranks, a_ping_pong_costs_latency_size_and_overheads_twice) {
  rank_graph g;
  const std::uint32_t ping[] = {g.add({0, 0, 5000}, {})};
  const std::uint32_t pong[] = {g.add({1, 0, 5000}, ping)};
  g.add({0, 0, 0}, pong);
  const rank_result r = simulate(g, some_machine(2));
  EXPECT_EQ(r.makespan, 2 * (2 * us + 5 * us + 3 * us + 4 * us));
  EXPECT_EQ(r.messages, 2U);
  EXPECT_EQ(r.bytes, 10000U);
}

// Catches: messages that come one after the other, so that the first is early; a port that gives each the whole bandwidth.
TEST(sim_ranks, two_senders_share_the_port_of_their_receiver) {
  rank_graph g;
  const std::uint32_t a[] = {g.add({0, 0, 10000}, {})};
  const std::uint32_t b[] = {g.add({1, 0, 40000}, {})};
  g.add({2, 0, 0}, a);
  const rank_result shorter_alone = simulate(g, some_machine(3));
  EXPECT_EQ(shorter_alone.makespan, 19 * us);
  g.add({2, 100 * us, 0}, a);
  g.add({2, 0, 0}, b);
  // The short one has half of the port: 20 us, and then 100 us of work. The long one has all of it after that: 50 us.
  EXPECT_EQ(simulate(g, some_machine(3)).makespan, (3 + 2 + 20 + 4 + 100) * us);
  rank_graph h;
  const std::uint32_t c[] = {h.add({0, 0, 10000}, {})};
  const std::uint32_t d[] = {h.add({1, 0, 40000}, {})};
  h.add({2, 0, 0}, c);
  h.add({2, 0, 0}, d);
  EXPECT_EQ(simulate(h, some_machine(3)).makespan, (3 + 2 + 50 + 4) * us);
}

// Catches: a value that is sent to a rank as often as the rank has readers of it.
TEST(sim_ranks, a_value_is_sent_to_a_rank_once) {
  rank_graph g;
  const std::uint32_t a[] = {g.add({0, 0, 100}, {})};
  for (unsigned n = 0; n < 6; ++n) g.add({n % 3, us, 0}, a);
  EXPECT_EQ(simulate(g, some_machine(3)).messages, 2U);
}

// Catches: a message that waits until a busy rank is idle, and one that interrupts it at once.
TEST(sim_ranks, a_busy_rank_notices_a_message_after_its_delay) {
  rank_graph g;
  g.add({1, 1000 * us, 0}, {});
  const std::uint32_t a[] = {g.add({0, 0, 1000}, {})};
  const std::uint32_t b[] = {g.add({1, 0, 1000}, a)};
  (void)b;
  machine m = some_machine(2);
  EXPECT_EQ(simulate(g, m, {.workers = 2}).makespan, 1000 * us);
  // One worker: the node is ready after 110 us, and runs when the worker is free, without 4 us more for the message.
  EXPECT_EQ(simulate(g, m, {.workers = 1}).makespan, 1000 * us);
  m.network.progress_delay = 2000 * us;
  EXPECT_EQ(simulate(g, m, {.workers = 1}).makespan, 1004 * us);
}

// Catches: submission or a central scheduler that costs nothing, or that all ranks share.
TEST(sim_ranks, submission_and_a_central_scheduler_are_serial_in_a_rank) {
  rank_graph g;
  for (unsigned n = 0; n < 20; ++n) g.add({n % 2, 0, 0}, {});
  EXPECT_EQ(simulate(g, some_machine(2), {.submit_own = 5 * us, .submit_other = us}).makespan, 60 * us);
  EXPECT_EQ(simulate(g, some_machine(2), {.central = 7 * us}).makespan, 70 * us);
}

struct random_graph {
  rank_graph over_ranks;
  rank_graph on_one;
  picoseconds work = 0;
  picoseconds span = 0;
};

random_graph some_graph(std::uint64_t seed, unsigned ranks) {
  std::mt19937_64 random(seed);
  random_graph made;
  const unsigned count = 1 + static_cast<unsigned>(random() % 60);
  std::vector<picoseconds> span;
  for (unsigned n = 0; n < count; ++n) {
    const rank_node node{static_cast<unsigned>(random() % ranks), random() % (50 * us), random() % 5000};
    std::vector<std::uint32_t> from;
    for (unsigned e = 0; n != 0 && e < random() % 3; ++e)
      from.push_back(static_cast<std::uint32_t>(random() % n));
    std::ranges::sort(from);
    from.erase(std::unique(from.begin(), from.end()), from.end());
    made.over_ranks.add(node, from);
    made.on_one.add({0, node.work, node.bytes}, from);
    picoseconds before = 0;
    for (const std::uint32_t f : from) before = std::max(before, span[f]);
    span.push_back(before + node.work);
    made.span = std::max(made.span, span.back());
    made.work += node.work;
  }
  return made;
}

// Catches: a worker that is idle though a node is ready, work that is lost, results that differ from run to run.
TEST(sim_ranks, random_graphs_keep_the_bounds_of_work_span_and_messages) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const unsigned ranks = 1 + static_cast<unsigned>(seed % 5);
    const random_graph g = some_graph(seed, ranks);
    const machine m = some_machine(ranks);
    const rank_result one = simulate(g.on_one, m, {.workers = 3});
    EXPECT_EQ(one.work, g.work);
    EXPECT_EQ(one.messages, 0U);
    EXPECT_LE(one.makespan, g.work / 3 + g.span);
    const rank_result r = simulate(g.over_ranks, m, {.workers = 3});
    EXPECT_EQ(r, simulate(g.over_ranks, m, {.workers = 3}));
    EXPECT_EQ(r.work, g.work);
    EXPECT_GE(r.makespan, std::max(g.span, g.work / (3 * ranks)));
    // No rank's placement does worse than all nodes and all messages, one after the other.
    const machine_network& n = m.network;
    EXPECT_LE(r.makespan, g.work + r.messages * (n.send + n.latency + n.receive + n.progress_delay) +
                              r.bytes * nanosecond);
  }
}

// Catches: a link that costs something though nothing of it does.
TEST(sim_ranks, links_without_cost_are_one_machine) {
  machine m = some_machine(64);
  m.network = {64, 0, 100'000'000, 0, 0, 0};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    random_graph g = some_graph(seed, 64);
    // With a worker for each node, nothing waits but for predecessors.
    rank_graph without_bytes;
    for (std::size_t n = 0; n < g.over_ranks.size(); ++n)
      without_bytes.add({g.over_ranks.at(n).rank, g.over_ranks.at(n).work, 0}, g.over_ranks.predecessors(n));
    EXPECT_EQ(simulate(without_bytes, m, {.workers = 64}).makespan,
              simulate(g.on_one, m, {.workers = 64}).makespan);
    EXPECT_EQ(simulate(without_bytes, m, {.workers = 64}).makespan, g.span);
  }
}

// Catches: a rank beyond the machine's, or an empty loop, that is taken.
TEST(sim_ranks, refuses_what_cannot_be) {
  rank_graph g;
  g.add({2, us, 0}, {});
  EXPECT_THROW((void)simulate(g, some_machine(2)), std::invalid_argument);
  rank_graph h;
  h.add({0, us, 0, 0}, {});
  EXPECT_THROW((void)simulate(h, some_machine(1)), std::invalid_argument);
}

// Catches: a network that is read with some of its lines only, or is not written; ranks that are no number.
TEST(sim_ranks, machine_files_have_the_whole_network_or_none) {
  const machine m = find_machine("cluster-100g");
  EXPECT_EQ(m.network.ranks, 1024U);
  EXPECT_EQ(m.network.latency, 1200 * nanosecond);
  const std::string text = machine_text(m);
  EXPECT_EQ(read_machine(text, "some.machine"), m);
  EXPECT_EQ(machine_text(find_machine("2x20")).find("ranks"), std::string::npos);
  const std::size_t at = text.find("message_send");
  EXPECT_THROW((void)read_machine(text.substr(0, at), "some.machine"), std::invalid_argument);
  EXPECT_THROW((void)read_machine(machine_text(find_machine("2x20")) + "ranks = 0\n", "f"),
               std::invalid_argument);
}

}  // namespace
}  // namespace sennit::sim
