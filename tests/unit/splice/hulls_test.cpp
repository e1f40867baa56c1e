// SPDX-License-Identifier: Apache-2.0
// Effects as a few hulls, against the effects themselves.
#include "splice/hulls.hpp"
#include "splice/splicer.hpp"

#include <sennit/data_regions.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace {

using sennit::effects;
using sennit::memory_range;
using sennit::reads;
using sennit::writes;
using sennit::detail::hulls;

const char memory[128] = {};

memory_range some_range(std::mt19937& random) {
  const auto first = static_cast<std::int64_t>(random() % 100);
  return {memory, sennit::range{first, first + 1 + static_cast<std::int64_t>(random() % 12)}};
}

effects some_effects(std::mt19937& random, unsigned most) {
  effects all;
  for (unsigned n = random() % (most + 1); n > 0; --n) {
    if (random() % 2 == 0) {
      all += effects(reads(some_range(random)));
    } else {
      all += effects(writes(some_range(random)));
    }
  }
  return all;
}

// Catches hulls that say less, or more, than as many regions do.
TEST(hulls, of_few_regions_are_exact) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const effects a = some_effects(random, hulls::most);
    const effects b = some_effects(random, hulls::most);
    ASSERT_EQ(hulls(a).interferes(hulls(b)), a.interferes(b)) << i;
    ASSERT_EQ(hulls(a).overlaps(hulls(b)), a.overlaps(b)) << i;
    ASSERT_EQ(hulls(a).contains(hulls(b)), a.contains(b)) << i;
  }
}

// Catches a sum, or many regions, of which something is forgotten: what interferes with a part does with the whole. What is
// written and finds no room goes with what is written, too.
TEST(hulls, of_sums_say_at_least_what_their_parts_do) {
  std::mt19937 random(2);
  for (int i = 0; i < 5'000; ++i) {
    hulls sum;
    std::vector<effects> parts;
    for (unsigned n = 1 + random() % 6; n > 0; --n) {
      parts.push_back(some_effects(random, 6));
      sum += hulls(parts.back());
    }
    for (int j = 0; j < 10; ++j) {
      const effects probe = some_effects(random, 2);
      bool interferes = false;
      bool overlaps = false;
      for (const effects& part : parts) {
        interferes = interferes || part.interferes(probe);
        overlaps = overlaps || part.overlaps(probe);
        if (sum.contains(hulls(part))) continue;
        ASSERT_FALSE(hulls(part).interferes(hulls(probe)) && !sum.interferes(hulls(probe))) << i;
      }
      ASSERT_TRUE(!interferes || (sum.interferes(hulls(probe)) && hulls(probe).interferes(sum))) << i;
      ASSERT_TRUE(!overlaps || sum.overlaps(hulls(probe))) << i;
    }
  }
}

// Catches a sum of neighbors that grows into everything: hulls grow by what is near.
TEST(hulls, of_neighbors_stay_small) {
  hulls sum;
  for (std::int64_t i = 0; i < 10; ++i) {
    sum += hulls(effects(reads(memory_range(memory, sennit::range{i, i + 1})),
                         writes(memory_range(memory, sennit::range{50 + i, 51 + i}))));
  }
  const auto at = [](std::int64_t i) {
    return hulls(effects(writes(memory_range(memory, sennit::range{i, i + 1}))));
  };
  for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(sum.overlaps(at(i)), i < 10 || (i >= 50 && i < 60)) << i;
}

// Catches code that nobody has annotated and that is taken for code without effects.
TEST(hulls, of_everything_interfere_with_all_that_touches_something) {
  const hulls everything(effects::everything());
  const hulls reader(effects(reads(memory_range(memory, 1))));
  EXPECT_TRUE(everything.interferes(reader) && reader.interferes(everything));
  EXPECT_TRUE(everything.contains(reader));
  EXPECT_FALSE(everything.interferes(hulls(effects())));
}

// Catches a call that is forgotten where the queue had become empty, and calls in another order than they were put in.
TEST(call_queue, is_first_in_first_out) {
  using sennit::detail::live_call;
  sennit::detail::call_queue queue;
  live_call calls[5];
  EXPECT_EQ(queue.pop(), nullptr);
  for (std::size_t together = 1; together <= 5; ++together) {
    for (std::size_t i = 0; i < together; ++i) queue.push(calls[i]);
    for (std::size_t i = 0; i < together; ++i) EXPECT_EQ(queue.pop(), &calls[i]);
    EXPECT_EQ(queue.pop(), nullptr);
  }
}

}  // namespace
