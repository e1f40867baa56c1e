// SPDX-License-Identifier: Apache-2.0
// Pipelines that end early: exceptions, cancelled regions, and what becomes of the items.
#include "support.hpp"

#include <sennit/parallel_for.hpp>
#include <sennit/region.hpp>
#include <sennit/replay.hpp>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using item = std::unique_ptr<tracked>;

// Where something throws: place 0 is the source, place k is stage k.
using throws_at = std::function<bool(int place, std::uint64_t number)>;

item pass(item&& i, const throws_at& at, int place) {
  if (at(place, i->value())) throw failure{i->value() * 10 + static_cast<std::uint64_t>(place)};
  return std::move(i);
}

// Four stages, one of each kind and one more in order. Returns what was thrown; ~0: nothing.
std::uint64_t thrown_by(std::uint64_t items, std::size_t most, const throws_at& at) {
  std::uint64_t next = 0;
  std::uint64_t last = 0;
  try {
    sennit::pipeline({.most_alive = most}, sennit::source([&]() -> std::optional<item> {
                       if (at(0, next)) throw failure{next * 10};
                       if (next == items) return std::nullopt;
                       return std::make_unique<tracked>(next++);
                     }),
                     sennit::stage(sennit::ordered, [&](item i) { return pass(std::move(i), at, 1); }),
                     sennit::stage([&](item i) { return pass(std::move(i), at, 2); }),
                     sennit::stage(sennit::one_at_a_time, [&](item i) { return pass(std::move(i), at, 3); }),
                     sennit::stage(sennit::ordered, [&](item i) {
                       EXPECT_EQ(i->value(), last++);
                       (void)pass(std::move(i), at, 4);
                     }));
  } catch (const failure& f) {
    return f.position;
  }
  return ~std::uint64_t{0};
}

// Catches: an exception that is lost or thrown twice, items that are left, and a strand that waits for one that is gone.
TEST(pipeline_failure, throws_from_each_place) {
  with_workers([] {
    for (const std::uint64_t number : {0U, 1U, 7U, 60U, 99U}) {
      for (int place = 0; place <= 4; ++place) {
        const std::uint64_t thrown =
            thrown_by(100, 5, [&](int p, std::uint64_t n) { return p == place && n == number; });
        EXPECT_EQ(thrown, number * 10 + static_cast<std::uint64_t>(place));
        EXPECT_EQ(tracked::live(), 0);
      }
    }
  });
}

// Catches: an exception that is not the first one of the serial program.
TEST(pipeline_failure, throws_the_first_of_the_serial_program) {
  with_workers([] {
    for (std::uint32_t seed = 0; seed < static_cast<std::uint32_t>(scaled(150)); ++seed) {
      std::mt19937 random(seed);
      std::vector<std::uint64_t> throwing(5 * 51);
      std::uint64_t first = ~std::uint64_t{0};
      for (std::size_t n = 0; n <= 50; ++n) {
        for (std::size_t place = 0; place < 5; ++place) {
          if (random() % 40 != 0 || (n == 50 && place > 0)) continue;
          throwing[5 * n + place] = 1;
          first = std::min<std::uint64_t>(first, n * 10 + place);
        }
      }
      const std::uint64_t thrown = thrown_by(50, 1 + random() % 12, [&](int place, std::uint64_t n) {
        return throwing[5 * n + static_cast<std::size_t>(place)] != 0;
      });
      ASSERT_EQ(thrown, first) << "seed " << seed;
      ASSERT_EQ(tracked::live(), 0) << "seed " << seed;
    }
  });
}

// Catches: a source without an end that is asked for ever, although an item has failed.
TEST(pipeline_failure, begins_no_more_items) {
  with_workers([] {
    std::uint64_t asked = 0;
    const auto endless = [&]() -> std::optional<std::uint64_t> { return asked++; };
    EXPECT_THROW(
        sennit::pipeline({.most_alive = 4}, sennit::source(endless), sennit::stage([](std::uint64_t i) {
                           if (i == 1000) throw std::runtime_error("the thousandth");
                         })),
        std::runtime_error);
  });
}

struct throws_in_move {
  explicit throws_in_move(std::uint64_t n) : number(n) {}
  throws_in_move(throws_in_move&& other) : number(other.number) {
    if (number == 40) throw failure{number};
  }
  tracked counted;
  std::uint64_t number;
};

// Catches: a value that is destroyed twice, or never, when its move throws.
TEST(pipeline_failure, survives_moves_that_throw) {
  with_workers([] {
    std::atomic<std::uint64_t> ended{0};
    try {
      sennit::pipeline({.most_alive = 6}, numbers(100),
                       sennit::stage([](std::uint64_t i) { return throws_in_move(i); }),
                       sennit::stage([](throws_in_move i) { return i.number; }),
                       sennit::stage(sennit::ordered, [&](std::uint64_t i) { EXPECT_EQ(i, ended++); }));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const failure& f) {
      EXPECT_EQ(f.position, 40U);
    }
    EXPECT_EQ(ended, 40U);
    EXPECT_EQ(tracked::live(), 0);
  });
}

// Catches: a pipeline that goes on in a cancelled region, or that keeps its items.
TEST(pipeline_failure, ends_when_its_region_is_cancelled) {
  with_workers([] {
    for (int place = 0; place < 3; ++place) {
      sennit::region whole;
      std::uint64_t asked = 0;
      const bool completed = whole.run([&] {
        sennit::pipeline({.most_alive = 8}, sennit::source([&]() -> std::optional<item> {
                           if (place == 0 && asked == 500) whole.cancel();
                           return std::make_unique<tracked>(asked++);
                         }),
                         sennit::stage([&](item i) {
                           if (place == 1 && i->value() == 500) whole.cancel();
                           sennit::parallel_for(0, 4, [](int) {});
                           return i;
                         }),
                         sennit::stage(sennit::ordered, [&](item i) {
                           if (place == 2 && i->value() == 500) whole.cancel();
                         }));
      });
      EXPECT_FALSE(completed);
      EXPECT_EQ(tracked::live(), 0);
    }
  });
}

// Catches: an exception that is lost because the region is cancelled as well.
TEST(pipeline_failure, prefers_an_exception_to_cancellation) {
  with_workers([] {
    sennit::region whole;
    EXPECT_THROW(whole.run([&] {
      sennit::pipeline(numbers(100), sennit::stage(sennit::ordered, [&](std::uint64_t i) {
                         if (i != 10) return;
                         whole.cancel();
                         throw failure{i};
                       }));
    }),
                 failure);
  });
}

// Catches: an observed pipeline that is not in the serial order on the calling strand.
TEST(pipeline_failure, is_serial_while_it_is_recorded) {
  with_workers([] {
    std::vector<std::uint64_t> order;
    const auto program = [&] {
      sennit::pipeline(numbers(20), sennit::stage([&](std::uint64_t i) {
                         order.push_back(i);
                         sennit::parallel_for(0, 8, [](int) { spend(1); });
                         return i;
                       }),
                       sennit::stage(sennit::ordered, [&](std::uint64_t i) { order.push_back(i); }));
    };
    const sennit::schedule seen = sennit::record(program);
    ASSERT_EQ(order.size(), 40U);
    for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i / 2);
    order.clear();
    sennit::replay(seen, sennit::strict_unordered, program);
    EXPECT_EQ(order.size(), 40U);
  });
}

}  // namespace
}  // namespace sennit_test
