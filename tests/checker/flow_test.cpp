// SPDX-License-Identifier: Apache-2.0
// Tasks of a flow that touch what their effects do not say are reported, and others are not.
#include "support.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/runtime.hpp>
#include <sennit/task_flow.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <string>
#include <vector>

namespace {

using sennit::memory_range;
using sennit::reads;
using sennit::writes;
using sennit::graph::task_flow;
using sennit_test::reported;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What the first task says that it reads, and the second that it writes.
void shift(std::vector<double>& a, std::vector<double>& b, std::size_t read, std::size_t written) {
  task_flow flow;
  flow.submit({reads(memory_range(a.data(), read)), writes(memory_range(b))}, [&] {
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = a[i];
  });
  flow.submit(writes(memory_range(a.data(), written)), [&, n = 0]() mutable {
    for (double& x : a) x = ++n;
  });
  flow.wait();
}

// Catches: a checker that accuses what is right: closures that change themselves, sizes that nobody writes.
TEST(checked_flow, is_silent_where_effects_are_right) {
  std::vector<double> a(8, 1.0);
  std::vector<double> b(8);
  EXPECT_THAT(reported([&] { shift(a, b, 8, 8); }), IsEmpty());
  EXPECT_EQ(b[7], 1);
  EXPECT_EQ(a[7], 8);
  EXPECT_THAT(reported([&] { sennit::runtime::default_runtime().run([&] { shift(a, b, 8, 8); }); }),
              IsEmpty());
}

// Catches: a read of what a later task writes, which nobody orders and nobody reports.
TEST(checked_flow, reports_a_read_that_is_not_declared) {
  std::vector<double> a(8, 1.0);
  std::vector<double> b(8);
  EXPECT_THAT(reported([&] { shift(a, b, 7, 8); }),
              ElementsAre(AllOf(HasSubstr("reads 8 bytes"), HasSubstr("flow_test.cpp:31"))));
}

// Catches: a write beyond what is declared.
TEST(checked_flow, reports_a_write_that_is_not_declared) {
  std::vector<double> a(8, 1.0);
  std::vector<double> b(8);
  EXPECT_THAT(reported([&] { shift(a, b, 8, 7); }),
              ElementsAre(AllOf(HasSubstr("writes 8 bytes"), HasSubstr("flow_test.cpp:34"))));
}

}  // namespace
