// SPDX-License-Identifier: Apache-2.0
// Catches a name of the library that a user's own function may have: as an argument of call(), it must name one function.
#include <sennit/sennit.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

using namespace sennit;  // as users do

namespace {

void blocks(std::vector<double>& x, range r) {
  const call_effects fx{writes(memory_range(x.data(), r))};
  if (r.size() <= 16) {
    step([&] {
      for (auto i = r.first; i < r.last; ++i) x[static_cast<std::size_t>(i)] += 1;
    });
  } else {
    sequence(call(blocks, x, r.left()), call(blocks, x, r.right()));
  }
}

void cyclic(std::vector<double>& x, range r) { sequence(call(blocks, x, r)); }

TEST(names, functions_of_users_may_be_called_blocks) {
  std::vector<double> x(100);
  const range all{0, static_cast<std::int64_t>(x.size())};
  splice(3, [&](int) { blocks(x, all); });
  cyclic(x, all);
  EXPECT_EQ(x, std::vector<double>(100, 4));
}

}  // namespace
