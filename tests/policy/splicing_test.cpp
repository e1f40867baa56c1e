#include "policy/splicing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using sennit::policy::cache_sizes;
using sennit::policy::shift_fits;
using sennit::policy::shifted_step_bytes;
using sennit::policy::step_fits;
using sennit::policy::step_is_short;

constexpr std::uint64_t mib = 1 << 20;

// Would catch: a window that is the whole shared cache, or that other workers do not make smaller.
TEST(Splicing, StepsOfAllCallsFitAPartOfTheSharedCache) {
  constexpr cache_sizes caches{48 << 10, mib, 64 * mib};
  EXPECT_TRUE(step_fits(mib / 4, 32, 1, caches));  // 8 MiB of 64 / (4 * 2)
  EXPECT_FALSE(step_fits(mib / 4 + 1, 32, 1, caches));
  EXPECT_FALSE(step_fits(mib / 4, 33, 1, caches));
  EXPECT_FALSE(step_fits(mib / 4, 32, 2, caches));
}

// Would catch: steps so large that coefficients, which effects leave out, do not fit the cache beside them; steps
// that take no longer than what is between them.
TEST(Splicing, ShiftedStepsFitTheFirstLevelUnlessItIsSmall) {
  EXPECT_THAT(shifted_step_bytes({48 << 10, mib, 64 * mib}),
              testing::ElementsAre(36 << 10, mib / 16, mib / 2));
  EXPECT_THAT(shifted_step_bytes({32 << 10, mib, 64 * mib}),
              testing::ElementsAre(mib / 16, mib / 16, mib / 2));
}

// Would catch: a shift over more data than the core's own cache can hold in part, such as planes of a large cube.
TEST(Splicing, AShiftFitsTwiceTheCoresOwnCache) {
  constexpr cache_sizes caches{48 << 10, mib, 64 * mib};
  EXPECT_TRUE(shift_fits(2 * mib, caches));
  EXPECT_FALSE(shift_fits(2 * mib + 1, caches));
}

// Would catch: one call whose step fills the cache of the core, as nothing is interleaved with it.
TEST(Splicing, AStepFitsHalfOfTheCoresOwnCache) {
  constexpr cache_sizes caches{48 << 10, mib, 64 * mib};
  EXPECT_TRUE(step_fits(mib / 2, 1, 1, caches));
  EXPECT_FALSE(step_fits(mib / 2 + 1, 1, 1, caches));
}

// Would catch: a shared cache that is divided among so many workers that each is left less than its own.
TEST(Splicing, TheCoresOwnCacheIsThereInAnyCase) {
  constexpr cache_sizes caches{48 << 10, mib, 2 * mib};
  EXPECT_TRUE(step_fits(mib / 4, 4, 100, caches));
  EXPECT_FALSE(step_fits(mib / 4, 5, 100, caches));
}

// Would catch: steps that are taken for long enough where what is between them takes a tenth of the time.
TEST(Splicing, StepsAreShortUpToThirtyTimesTheOverhead) {
  EXPECT_TRUE(step_is_short(299, 10));
  EXPECT_FALSE(step_is_short(300, 10));
}

}  // namespace
