// SPDX-License-Identifier: Apache-2.0
// What a case expects: that no order of execution has a fault.
#pragma once

#include "explorer.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace explore {

inline void expect_none(const findings& found) {
  EXPECT_TRUE(found.fault.empty()) << found.fault;
  EXPECT_TRUE(found.complete || is_cut_off());
  testing::Test::RecordProperty("orders", std::to_string(found.executions));
  std::printf("%lu orders, %lu cut short, %lu steps\n", found.executions, found.cut_short, found.steps);
}

// Threads that share one thing, made anew for each order.
template <class Shared>
void expect_none_of(
    const std::vector<std::function<void(Shared&)>>& threads,
    const std::function<void(Shared&)>& at_end = [](Shared&) {}, const options& limits = {}) {
  const auto make = [&] {
    auto shared = std::make_shared<Shared>();
    program p;
    for (const auto& each : threads)
      p.threads.emplace_back(std::to_string(p.threads.size()), [&each, s = shared.get()] { each(*s); });
    p.at_end = [shared, &at_end] { at_end(*shared); };
    return p;
  };
  expect_none(explore(make, limits));
}

}  // namespace explore
