// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "topology/cpus.hpp"
#include "topology/hwloc.hpp"
#include "topology/machine.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>

namespace {

using namespace sennit::topology;
using sennit::pin_mode;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

machine synthetic(const std::string& description) {
  return machine::detect("synthetic:" + description, pin_mode::automatic);
}

#define SKIP_WITHOUT_HWLOC()                                                                                 \
  if (hwloc_version().empty()) GTEST_SKIP() << "built without hwloc"

// Nodes of equal size: two caches each, two cores a cache.
machine regular(unsigned nodes, unsigned threads_per_core) {
  std::vector<processor> all;
  for (unsigned cpu = 0; cpu < nodes * 4 * threads_per_core; ++cpu) {
    const unsigned core = cpu / threads_per_core;
    all.push_back({{core / 4, core / 2, core}, cpu});
  }
  return machine(all, pin_mode::none);
}

std::vector<unsigned> workers_in_each(const machine& m, unsigned workers, unsigned place::* level,
                                      unsigned places) {
  std::vector<unsigned> count(places);
  for (unsigned w = 0; w < workers; ++w) ++count[m.place_of(w, workers).*level];
  return count;
}

unsigned spread(const std::vector<unsigned>& counts) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  return *most - *least;
}

// Would catch: one node filled before the next, or a core with two workers while another has none.
TEST(Places, AreSpreadEvenlyAtEachLevel) {
  for (const unsigned nodes : {1U, 2U, 3U, 8U}) {
    for (const unsigned threads : {1U, 2U}) {
      const machine m = regular(nodes, threads);
      for (unsigned workers = 1; workers <= 5 * nodes * 4; ++workers) {
        SCOPED_TRACE(testing::Message()
                     << nodes << " nodes, " << threads << " threads a core, " << workers << " workers");
        EXPECT_LE(spread(workers_in_each(m, workers, &place::node, m.node_count())), 1U);
        EXPECT_LE(spread(workers_in_each(m, workers, &place::cache, m.cache_count())), 1U);
        EXPECT_LE(spread(workers_in_each(m, workers, &place::core, m.core_count())), 1U);
      }
    }
  }
}

// Would catch: neighboring worker numbers, which loops give neighboring data, scattered over nodes.
TEST(Places, AreContiguous) {
  const machine m = regular(3, 2);
  for (unsigned workers = 1; workers <= 50; ++workers) {
    for (unsigned w = 1; w < workers; ++w) {
      EXPECT_LE(m.place_of(w - 1, workers), m.place_of(w, workers)) << w << " of " << workers;
    }
  }
}

// Would catch: workers beyond the limit, those of guests, sent to a place that does not exist.
TEST(Places, BeginAnewForGuests) {
  const machine m = regular(2, 1);
  EXPECT_EQ(m.place_of(4, 4), m.place_of(0, 4));
  EXPECT_EQ(m.place_of(4094, 4), m.place_of(2, 4));
}

// Would catch: with cores of one and of two hardware threads, a core with two workers while another has none.
TEST(Places, GiveEachWorkerACoreFirst) {
  std::vector<processor> hybrid;
  hybrid.reserve(8);
  for (unsigned cpu = 0; cpu < 4; ++cpu) hybrid.push_back({{0, 0, cpu / 2}, cpu});
  for (unsigned cpu = 4; cpu < 8; ++cpu) hybrid.push_back({{0, 1, cpu}, cpu});
  const machine m(hybrid, pin_mode::none);
  EXPECT_EQ(m.core_count(), 6U);
  EXPECT_EQ(spread(workers_in_each(m, 6, &place::core, 6)), 0U);
  EXPECT_THAT(workers_in_each(m, 8, &place::core, 6), testing::ElementsAre(2U, 2U, 1U, 1U, 1U, 1U));
}

// Would catch: a node that the cpuset leaves one core of getting as many workers as a whole one.
TEST(Places, FollowTheSizesOfNodes) {
  const std::vector<processor> cut = {{{0, 0, 0}, 0}, {{1, 1, 1}, 1}, {{1, 1, 2}, 2}, {{1, 1, 3}, 3}};
  EXPECT_THAT(workers_in_each(machine(cut, pin_mode::none), 4, &place::node, 2),
              testing::ElementsAre(1U, 3U));
}

// Would catch: places counted wrong if their numbers have gaps, come unordered, or repeat in another node.
TEST(Machine, CountsPlacesWhateverTheirNumbers) {
  const machine m({{{7, 0, 0}, 5}, {{2, 0, 0}, 4}, {{7, 0, 1}, 6}, {{2, 3, 0}, 3}}, pin_mode::none);
  EXPECT_EQ(m.node_count(), 2U);
  EXPECT_EQ(m.cache_count(), 3U);
  EXPECT_EQ(m.core_count(), 4U);
  EXPECT_EQ(m.processors().front().cpu, 4U);
  EXPECT_EQ(m.processors().back().at, (place{1, 2, 3}));
}

// Would catch: a level of the tree read from the wrong kind of object.
TEST(Synthetic, HasThePlacesThatItDescribes) {
  SKIP_WITHOUT_HWLOC();
  const machine m = synthetic("pack:2 numa:2 l3:1 core:4 pu:1");
  EXPECT_EQ(m.node_count(), 4U);
  EXPECT_EQ(m.cache_count(), 4U);
  EXPECT_EQ(m.core_count(), 16U);
  EXPECT_EQ(m.processors().size(), 16U);
  EXPECT_EQ(m.place_of(0, 4), (place{0, 0, 0}));
  EXPECT_EQ(m.place_of(3, 4), (place{3, 3, 12}));
  EXPECT_THAT(workers_in_each(m, 6, &place::node, 4), testing::UnorderedElementsAre(1U, 1U, 2U, 2U));

  const machine threads = synthetic("numa:2 l3:2 l2:3 core:1 pu:2");
  EXPECT_EQ(threads.node_count(), 2U);
  EXPECT_EQ(threads.cache_count(), 4U);  // the last level, not l2
  EXPECT_EQ(threads.core_count(), 12U);
  EXPECT_EQ(threads.processors().size(), 24U);
}

// Would catch: a machine without cores, caches or nodes in its description being a failure.
TEST(Synthetic, MayLeaveLevelsOut) {
  SKIP_WITHOUT_HWLOC();
  const machine bare = synthetic("pu:3");
  EXPECT_EQ(bare.node_count(), 1U);
  EXPECT_EQ(bare.cache_count(), 1U);
  EXPECT_EQ(bare.core_count(), 3U);
  EXPECT_EQ(synthetic("numa:2 pu:4").cache_count(), 2U);
}

// Would catch: sizes that hwloc has made up being taken for described ones, or the size of another level.
TEST(Synthetic, KnowsCachesOfWhichItDescribesSizes) {
  SKIP_WITHOUT_HWLOC();
  EXPECT_FALSE(synthetic("l3:1 l2:2 core:1 pu:1").described_caches());
  const auto three =
      synthetic("l3:1(size=8388608) l2:2(size=524288) l1d:1(size=16384) core:1 pu:1").described_caches();
  ASSERT_TRUE(three);
  EXPECT_EQ(three->first, 16384U);
  EXPECT_EQ(three->own, 524288U);
  EXPECT_EQ(three->shared, 8388608U);
  const auto one = synthetic("l2:1(size=65536) core:1 pu:1").described_caches();
  ASSERT_TRUE(one);
  EXPECT_EQ(one->first, 0U);
  EXPECT_EQ(one->own, 65536U);
  EXPECT_EQ(one->shared, 65536U);
}

// Would catch: a size that hwloc has made up for a level, because the description gives the size of another one.
TEST(Synthetic, DoesNotKnowCachesOfWhichItDescribesNoSizes) {
  SKIP_WITHOUT_HWLOC();
  const auto of = [](const std::string& description) {
    return synthetic(description).described_caches().value_or(sennit::policy::cache_sizes{1, 1, 1});
  };
  const auto second = of("l3:1 l2:2(size=524288) l1d:1 core:1 pu:1");
  EXPECT_EQ(second.first, 0U);
  EXPECT_EQ(second.own, 524288U);
  EXPECT_EQ(second.shared, 0U);
  const auto first = of("numa:1(memory=1GB) L2Cache:1 L1dCache:2(size=16KB) pu:1");
  EXPECT_GT(first.first, 0U);
  EXPECT_EQ(first.own, 0U);
  EXPECT_EQ(first.shared, 0U);
  const auto last = of("l3:1(size=8388608 indexes=0) l2:1 pu:1");
  EXPECT_EQ(last.own, 0U);
  EXPECT_EQ(last.shared, 8388608U);
  // Instructions are no data.
  EXPECT_FALSE(synthetic("l2:1 l1i:1(size=16384) pu:1").described_caches());
}

// Would catch: a cache that spans two nodes merging them.
TEST(Synthetic, ACacheIsInsideANode) {
  SKIP_WITHOUT_HWLOC();
  const machine m = synthetic("l3:1 numa:2 core:2 pu:1");
  EXPECT_EQ(m.node_count(), 2U);
  EXPECT_EQ(m.cache_count(), 2U);
  EXPECT_NE(m.place_of(0, 2).node, m.place_of(1, 2).node);
}

// Would catch: a thread bound to a CPU because a machine that does not exist has one of that number.
TEST(Synthetic, BindsNothing) {
  SKIP_WITHOUT_HWLOC();
  on_a_thread([] {
    const auto before = allowed_cpus();
    for (const pin_mode pin : {pin_mode::automatic, pin_mode::none, pin_mode::node, pin_mode::core}) {
      const machine m = machine::detect("synthetic:numa:2 core:1 pu:1", pin);
      EXPECT_EQ(m.binding(), pin_mode::none);
      EXPECT_FALSE(m.bind_current_thread(0, 2));
    }
    EXPECT_EQ(allowed_cpus(), before);
  });
}

// Would catch: nonsense taken for some machine, or a message without variable,
// value or an example that works.
TEST(Synthetic, RefusesWhatIsNoDescription) {
  SKIP_WITHOUT_HWLOC();
  for (const char* const text : {"synthetic:", "synthetic:blah", "synthetic:numa:0", "synthetic:core:-3",
                                 "synthetic", "numa:2 core:4 pu:1", "Synthetic:pu:2", "/some/file.xml"}) {
    EXPECT_THAT([&] { machine::detect(text, pin_mode::none); },
                ThrowsMessage<std::invalid_argument>(
                    AllOf(HasSubstr("SENNIT_TOPOLOGY"), HasSubstr("runtime_options::topology"),
                          HasSubstr('"' + std::string(text) + '"'),
                          HasSubstr("\"synthetic:pack:2 numa:2 l3:1 core:4 pu:1\""))));
  }
}

// Would catch: a description that takes minutes, or all memory, before the first construct.
TEST(Synthetic, RefusesTooManyProcessors) {
  SKIP_WITHOUT_HWLOC();
  for (const char* const text : {"synthetic:pack:2 core:1000000 pu:1000", "synthetic:pu:99999999999999999999",
                                 "synthetic:pack:300 core:300"}) {
    EXPECT_THAT([&] { machine::detect(text, pin_mode::none); },
                ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr('"' + std::string(text) + '"'),
                                                           HasSubstr("more than 65536 processors"))));
  }
}

// Would catch: a library without hwloc that ignores the description, or does not say what it lacks.
TEST(Synthetic, IsRefusedWithoutHwloc) {
  if (!hwloc_version().empty()) GTEST_SKIP() << "built with hwloc";
  EXPECT_THAT([] { synthetic("pu:2"); }, ThrowsMessage<std::invalid_argument>(AllOf(
                                             HasSubstr("SENNIT_TOPOLOGY"), HasSubstr("\"synthetic:pu:2\""),
                                             HasSubstr("SENNIT_WITH_HWLOC"))));
}

// Would catch: CPUs outside the affinity mask in the tree, whether it is looked at closely or not.
TEST(Real, IsRestrictedToTheAffinityMask) {
  const auto compare = [] {
    for (const pin_mode pin : {pin_mode::automatic, pin_mode::none, pin_mode::node, pin_mode::core}) {
      const machine m = machine::detect({}, pin);
      std::vector<unsigned> cpus;
      for (const processor& p : m.processors()) cpus.push_back(p.cpu);
      std::sort(cpus.begin(), cpus.end());
      EXPECT_EQ(cpus, allowed_cpus());
    }
  };
  compare();
  on_a_thread([&] {
    run_only_on(allowed_cpus().back());
    compare();
  });
}

// Would catch: hwloc asked where nothing needs its answer: that costs each program milliseconds and
// megabytes. Told of two nodes, hwloc would say so.
TEST(Real, HwlocIsAskedOnlyForAReason) {
  SKIP_WITHOUT_HWLOC();
  const set_variable told("HWLOC_SYNTHETIC", "numa:2 core:2 pu:1");
  EXPECT_EQ(machine::detect({}, pin_mode::core).node_count(), 2U);
  EXPECT_EQ(machine::detect({}, pin_mode::core).binding(), pin_mode::none);  // those CPUs are not here
  EXPECT_EQ(machine::detect({}, pin_mode::none).node_count(), 1U);
  if (several_nodes()) return;
  EXPECT_EQ(machine::detect({}, pin_mode::automatic).node_count(), 1U);
  EXPECT_EQ(machine::detect({}, pin_mode::node).node_count(), 1U);
}

// Would catch: a machine with one node bound for nothing, or one with several not.
TEST(Real, AutomaticBindsWhereThereAreSeveralNodes) {
  const machine m = machine::detect({}, pin_mode::automatic);
  EXPECT_EQ(m.binding(), m.node_count() > 1 ? pin_mode::node : pin_mode::none);
  EXPECT_EQ(machine::detect({}, pin_mode::none).binding(), pin_mode::none);
  EXPECT_EQ(machine({{{0, 0, 0}, 0}, {{0, 1, 1}, 1}}, pin_mode::node).binding(), pin_mode::none);
}

// Would catch: an offline node counted, or a list of several not understood.
TEST(Sysfs, SeveralNodes) {
  const auto says = [](const std::string& online) {
    fake_root root;
    root.file("/sys/devices/system/node/online", online);
    return several_nodes(root.path());
  };
  EXPECT_FALSE(says("0"));
  EXPECT_FALSE(says("3"));
  EXPECT_TRUE(says("0-1"));
  EXPECT_TRUE(says("0,2"));
  EXPECT_FALSE(says("garbage"));
  EXPECT_FALSE(several_nodes(fake_root().path()));
}

// Would catch: a CPU put in the wrong node, a node without CPUs counted, or a CPU lost that no node names.
TEST(Sysfs, PutsCpusInNodes) {
  fake_root root;
  root.file("/sys/devices/system/node/online", "0-2");
  root.file("/sys/devices/system/node/node0/cpulist", "0-1,4");
  root.file("/sys/devices/system/node/node1/cpulist", "2-3");
  root.file("/sys/devices/system/node/node2/cpulist", "");
  const machine m(processors_in_sysfs({1, 2, 3, 9}, root.path()), pin_mode::node);
  ASSERT_EQ(m.processors().size(), 4U);
  EXPECT_EQ(m.node_count(), 2U);
  EXPECT_EQ(m.binding(), pin_mode::node);
  for (const processor& p : m.processors()) EXPECT_EQ(p.at.node, p.cpu == 2 || p.cpu == 3 ? 1U : 0U) << p.cpu;
}

}  // namespace
