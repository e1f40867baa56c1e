// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "topology/cpus.hpp"

#include <sennit/sennit.hpp>

#include <gmock/gmock.h>

#include <limits>

namespace {

using namespace sennit::topology;

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
  return a + b;
}

// Would catch: the CPUs of the machine counted where the mask allows fewer (taskset),
// or 0 for the last CPU alone.
TEST(Cpus, FollowTheAffinityMask) {
  for (const unsigned cpu : allowed_cpus()) {
    on_a_thread([cpu] {
      run_only_on(cpu);
      EXPECT_THAT(allowed_cpus(), testing::ElementsAre(cpu));
      EXPECT_EQ(default_workers(), 1U);
    });
  }
}

// Would catch: a runtime that hangs or starts threads where one CPU is all there is.
TEST(Cpus, ARuntimeWorksOnOne) {
  on_a_thread([] {
    run_only_on(allowed_cpus().back());
    sennit::runtime runtime;
    EXPECT_EQ(runtime.workers(), 1U);
    EXPECT_EQ(runtime.run([] { return fib(15); }), 610);
  });
}

// Would catch: a quota rounded down, to 0 at worst; one above the mask raising the number;
// one too large for unsigned.
TEST(Cpus, QuotaIsRoundedUpAndNeverRaises) {
  EXPECT_EQ(workers_within(8, std::nullopt), 8U);
  EXPECT_EQ(workers_within(8, 0.01), 1U);
  EXPECT_EQ(workers_within(8, 0.5), 1U);
  EXPECT_EQ(workers_within(8, 1.0), 1U);
  EXPECT_EQ(workers_within(8, 1.5), 2U);
  EXPECT_EQ(workers_within(8, 7.01), 8U);
  EXPECT_EQ(workers_within(8, 64.0), 8U);
  EXPECT_EQ(workers_within(1, 64.0), 1U);
  EXPECT_EQ(workers_within(8, std::numeric_limits<double>::max()), 8U);
}

// Would catch: a default that is 0, or more than there are CPUs.
TEST(Cpus, DefaultIsWithinTheMask) {
  EXPECT_GE(default_workers(), 1U);
  EXPECT_LE(default_workers(), allowed_cpus().size());
}

}  // namespace
