// SPDX-License-Identifier: Apache-2.0
// task_flow: tasks that name a region twice, and comparisons of regions that throw.
#include "support.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/task_flow.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using graph::task_flow;
using sennit::adds;
using sennit::excludes;
using sennit::memory_range;
using sennit::reads;
using sennit::writes;

void take_long() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

// Catches: a task that finds itself among its predecessors and waits forever, or takes itself for one that has finished, so that
// later tasks do not wait for it.
TEST(flow_regions, may_be_named_twice_by_a_task) {
  with_workers([] {
    int cell = 0;
    const memory_range all(&cell, 1);
    const auto twice = [&](auto how) {
      for (int round = 0; round < 20; ++round) {
        cell = 0;
        int seen = 0;
        int later = 0;
        task_flow flow;
        flow.submit(how(), [&] {
          take_long();
          cell = 1;
        });
        flow.submit({reads(all), writes(memory_range(&seen, 1))}, [&] { seen = cell; });
        flow.submit(how(), [&] { later = cell; });
        flow.wait();
        EXPECT_EQ(seen, 1);
        EXPECT_EQ(later, 1);
      }
    };
    twice([&] { return sennit::effects(reads(all), writes(all)); });
    twice([&] { return sennit::effects(writes(all, all)); });
    twice([&] { return sennit::effects(adds(all), reads(all)); });
    twice([&] { return sennit::effects(adds(all), excludes(all)); });
    twice([&] { return sennit::effects(writes(all), adds(all), excludes(all), reads(all)); });
  });
}

// A region within a cell, of a kind of its own.
struct picky {
  const void* cell;
  bool throws;

  friend sennit::hull hull_of(const picky& p) {
    const auto at = reinterpret_cast<std::uintptr_t>(p.cell);
    return {at, at + (p.throws ? 4 : 2)};
  }
  friend bool interferes(const picky& a, const picky& b) {
    if (a.throws || b.throws) throw std::runtime_error("not comparable");
    return true;
  }
};

// Catches: a task that could not be submitted, for which later tasks forget an earlier one that has not finished.
TEST(flow_regions, keep_their_order_if_a_comparison_throws) {
  with_workers([] {
    for (int round = 0; round < 20; ++round) {
      int cell = 0;
      std::uint64_t odd = 0;
      int seen = 0;
      task_flow flow;
      flow.submit({writes(memory_range(&cell, 1), picky{&odd, false})}, [&] {
        take_long();
        cell = 1;
      });
      // Where tasks run as they are submitted, nothing is compared.
      int expected = 2;
      try {
        flow.submit({writes(memory_range(&cell, 1), picky{&odd, true})}, [&] { cell = 2; });
      } catch (const std::runtime_error&) {
        expected = 1;
      }
      flow.submit({reads(memory_range(&cell, 1))}, [&] { seen = cell; });
      flow.wait();
      EXPECT_EQ(seen, expected);
    }
  });
}

}  // namespace
}  // namespace sennit_test
