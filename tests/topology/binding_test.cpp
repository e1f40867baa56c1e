// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "topology/cpus.hpp"
#include "topology/hwloc.hpp"
#include "topology/machine.hpp"

#include <sennit/sennit.hpp>

#include <gmock/gmock.h>
#include <sched.h>

#include <atomic>

namespace {

using namespace sennit::topology;
using sennit::pin_mode;
using testing::ElementsAre;

// Would catch: a thread bound to the CPU with the worker's number rather than to its place.
TEST(Binding, IsToTheNodeOrTheCore) {
  const auto cpus = allowed_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "needs two CPUs";
  // The first CPU in the last node.
  const std::vector<processor> all = {{{1, 0, 0}, cpus[0]}, {{0, 0, 0}, cpus[1]}};
  for (const pin_mode pin : {pin_mode::node, pin_mode::core}) {
    on_a_thread([&] {
      EXPECT_TRUE(machine(all, pin).bind_current_thread(1, 2));
      EXPECT_THAT(allowed_cpus(), ElementsAre(cpus[0]));
    });
    on_a_thread([&] {
      EXPECT_TRUE(machine(all, pin).bind_current_thread(0, 2));
      EXPECT_THAT(allowed_cpus(), ElementsAre(cpus[1]));
    });
  }
}

// Would catch: a worker kept on one CPU of its node, or of a core with several hardware threads.
TEST(Binding, LeavesAllOfThePlace) {
  const auto cpus = allowed_cpus();
  std::vector<processor> all = {{{1, 0, 0}, 100000}};
  for (const unsigned cpu : cpus) all.push_back({{0, 0, 0}, cpu});
  for (const pin_mode pin : {pin_mode::node, pin_mode::core}) {
    on_a_thread([&] {
      EXPECT_TRUE(machine(all, pin).bind_current_thread(0, 2));
      EXPECT_EQ(allowed_cpus(), cpus);
    });
  }
}

// Would catch: a refusal by the kernel taken for success, or being fatal.
TEST(Binding, SaysIfTheKernelRefuses) {
  const machine elsewhere({{{0, 0, 0}, 100000}, {{1, 0, 0}, 100001}}, pin_mode::core);
  on_a_thread([&] {
    const auto before = allowed_cpus();
    EXPECT_FALSE(elsewhere.bind_current_thread(0, 2));
    EXPECT_EQ(allowed_cpus(), before);
  });
}

struct masks {
  std::vector<unsigned> caller;
  std::vector<unsigned> worker;
};

// The masks of the calling thread and of the runtime's own one, in two branches that
// only two threads can finish.
masks masks_in(sennit::runtime& runtime) {
  std::atomic<int> arrived{0};
  const pthread_t self = pthread_self();
  masks seen;
  const auto branch = [&] {
    // ORD relaxed: nothing else is passed between the branches.
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < 2) sched_yield();
    (pthread_equal(pthread_self(), self) != 0 ? seen.caller : seen.worker) = allowed_cpus();
  };
  runtime.run([&] { sennit::join(branch, branch); });
  return seen;
}

// Would catch: a program's own thread bound, at its region or after; the runtime's not bound;
// one bound elsewhere than to its place.
TEST(Binding, IsForTheRuntimesThreadsOnly) {
  const auto cpus = allowed_cpus();
  const machine m = machine::detect({}, pin_mode::core);
  std::vector<unsigned> core;
  for (const processor& p : m.processors()) {
    if (p.at.core == m.place_of(0, 2).core) core.push_back(p.cpu);
  }
  sennit::runtime runtime({.workers = 2, .pin = pin_mode::core});
  const masks seen = masks_in(runtime);
  EXPECT_EQ(seen.caller, cpus);
  EXPECT_EQ(seen.worker, core);
  EXPECT_EQ(allowed_cpus(), cpus);
}

// Would catch: threads bound though nobody asked and nothing is gained, so that two
// programs fight for the same cores.
TEST(Binding, IsNotDoneUnasked) {
  if (several_nodes()) GTEST_SKIP() << "the workers of this machine are bound to nodes";
  sennit::runtime runtime({.workers = 2});
  const masks seen = masks_in(runtime);
  EXPECT_EQ(seen.caller, allowed_cpus());
  EXPECT_EQ(seen.worker, allowed_cpus());
}

// Would catch: code paths for several nodes that do not work at all on a machine with one.
TEST(Binding, AVirtualMachineRuns) {
  if (hwloc_version().empty()) GTEST_SKIP() << "built without hwloc";
  const set_variable topology("SENNIT_TOPOLOGY", "synthetic:numa:2 core:1 pu:1");
  sennit::runtime runtime({.workers = 2});
  EXPECT_EQ(masks_in(runtime).worker, allowed_cpus());
}

}  // namespace
