// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "topology/cache_sizes.hpp"

#include <cstdint>

namespace {

using sennit::topology::cache_sizes;

class caches : public fake_root {
 public:
  caches& cache(int index, int level, const std::string& type, const std::string& size) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    file(folder + "/level", std::to_string(level)).file(folder + "/type", type).file(folder + "/size", size);
    return *this;
  }
};

// Would catch: a size without its unit, or a level taken for another.
TEST(CacheSizes, AreTheKernels) {
  caches machine;
  machine.cache(0, 1, "Data", "48K").cache(1, 1, "Instruction", "32K");
  machine.cache(2, 2, "Unified", "2048K").cache(3, 3, "Unified", "30720K");
  EXPECT_EQ(cache_sizes(machine.path()).first, std::uint64_t{48} << 10);
  EXPECT_EQ(cache_sizes(machine.path()).own, std::uint64_t{2048} << 10);
  EXPECT_EQ(cache_sizes(machine.path()).shared, std::uint64_t{30720} << 10);
}

// Would catch: a cache of instructions taken for one that holds data.
TEST(CacheSizes, AreThoseOfData) {
  caches machine;
  machine.cache(0, 2, "Instruction", "77K").cache(1, 2, "Data", "512K").cache(2, 3, "Instruction", "99K");
  EXPECT_EQ(cache_sizes(machine.path()).own, std::uint64_t{512} << 10);
  EXPECT_NE(cache_sizes(machine.path()).shared, std::uint64_t{99} << 10);
}

// Would catch: a last level of no bytes on machines with two, in which no step fits.
TEST(CacheSizes, OfTwoLevels) {
  caches machine;
  machine.cache(0, 1, "Data", "32K").cache(1, 2, "Unified", "256K");
  EXPECT_EQ(cache_sizes(machine.path()).own, std::uint64_t{256} << 10);
  EXPECT_GT(cache_sizes(machine.path()).shared, 0U);
}

// Would catch: sizes that are nothing where the kernel shows no caches, or shows what is no number.
TEST(CacheSizes, AreUsualWhereNobodyTells) {
  const fake_root nothing;
  caches strange;
  strange.cache(0, 2, "Unified", "lots");
  for (const std::string& root : {nothing.path(), strange.path()}) {
    EXPECT_GE(cache_sizes(root).first, 1U << 10);
    EXPECT_GE(cache_sizes(root).own, 1U << 10);
    EXPECT_GE(cache_sizes(root).shared, 1U << 10);
  }
}

// Would catch: levels that a description leaves out having no room, or more than the level behind them.
TEST(CacheSizes, AreCompletedWhereADescriptionLeavesThemOut) {
  const sennit::policy::cache_sizes usual{32 << 10, 1 << 20, 32 << 20};
  const auto last_only = sennit::topology::completed({0, 0, 64 << 10}, usual);
  EXPECT_EQ(last_only.first, 32U << 10);
  EXPECT_EQ(last_only.own, 64U << 10);
  EXPECT_EQ(last_only.shared, 64U << 10);
  const auto without_last = sennit::topology::completed({16 << 10, 0, 0}, usual);
  EXPECT_EQ(without_last.first, 16U << 10);
  EXPECT_EQ(without_last.own, 1U << 20);
  EXPECT_EQ(without_last.shared, 32U << 20);
}

}  // namespace
