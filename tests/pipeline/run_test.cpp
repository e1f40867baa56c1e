// SPDX-License-Identifier: Apache-2.0
// pipeline: each item goes once through each stage, in the order that the stage asks for, a bounded number at a time.
#include "support.hpp"

#include <sennit/parallel_for.hpp>
#include <sennit/serial.hpp>

#include <atomic>
#include <list>
#include <memory>
#include <optional>
#include <ranges>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

// Catches: an item that is lost, done twice, or done before its turn.
TEST(pipeline, keeps_the_order_of_the_source) {
  with_workers([] {
    for (const std::size_t most : {1U, 2U, 3U, 8U, 100U}) {
      std::vector<std::uint64_t> out;
      sennit::pipeline({.most_alive = most}, numbers(5000),
                       sennit::stage([](std::uint64_t i) { return 3 * i; }),
                       sennit::stage(sennit::ordered, [&](std::uint64_t i) { out.push_back(i); }));
      ASSERT_EQ(out.size(), 5000U) << most;
      for (std::uint64_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 3 * i) << most;
    }
  });
}

// Catches: two items at a time in a stage that does one at a time (ThreadSanitizer too: the sums are plain).
TEST(pipeline, does_one_at_a_time) {
  with_workers([] {
    std::uint64_t in_between = 0;
    std::uint64_t sum = 0;
    std::uint64_t times = 0;
    std::uint64_t expected = 0;
    sennit::pipeline({.most_alive = 10}, numbers(20000),
                     sennit::stage(sennit::ordered,
                                   [&](std::uint64_t i) {
                                     EXPECT_EQ(i, expected++);
                                     return i;
                                   }),
                     sennit::stage(sennit::one_at_a_time,
                                   [&](std::uint64_t i) {
                                     ++in_between;
                                     return i;
                                   }),
                     sennit::stage([](std::uint64_t i) { return i + 1; }),
                     sennit::stage(sennit::one_at_a_time, [&](std::uint64_t i) {
                       sum += i;
                       ++times;
                     }));
    EXPECT_EQ(in_between, 20000U);
    EXPECT_EQ(times, 20000U);
    EXPECT_EQ(sum, 20000U * 20001U / 2);
  });
}

struct counted_item {
  static inline headcount alive;
  explicit counted_item(std::uint64_t n) : number(n) { alive.come(); }
  counted_item(counted_item&& other) noexcept : number(other.number) { alive.come(); }
  counted_item& operator=(counted_item&&) = delete;
  ~counted_item() { alive.go(); }
  std::uint64_t number;
};

// Catches: more items underway than were asked for; a value that is not destroyed.
TEST(pipeline, holds_no_more_items_than_asked_for) {
  with_workers([] {
    for (const std::size_t most : {1U, 4U, 16U}) {
      headcount underway;
      std::uint64_t made = 0;
      std::uint64_t sum = 0;
      sennit::pipeline(
          {.most_alive = most}, sennit::source([&]() -> std::optional<counted_item> {
            if (made == 3000) return std::nullopt;
            underway.come();
            return std::optional<counted_item>(std::in_place, made++);
          }),
          sennit::stage([](counted_item&& i) { return std::make_unique<counted_item>(std::move(i)); }),
          sennit::stage(sennit::ordered, [&](std::unique_ptr<counted_item> i) {
            sum += i->number;
            underway.go();
          }));
      EXPECT_EQ(sum, 3000U * 2999U / 2);
      EXPECT_LE(underway.most(), static_cast<int>(most));
      EXPECT_EQ(counted_item::alive.here(), 0);
    }
  });
}

// Catches: an item that is dropped and holds up those behind it, or is not destroyed.
TEST(pipeline, drops_items) {
  with_workers([] {
    std::vector<std::uint64_t> out;
    sennit::pipeline({.most_alive = 6}, numbers(10000),
                     sennit::stage([](std::uint64_t i) -> std::optional<std::unique_ptr<std::uint64_t>> {
                       if (i % 3 != 0) return std::nullopt;
                       return std::make_unique<std::uint64_t>(i);
                     }),
                     sennit::stage(sennit::ordered,
                                   [](std::unique_ptr<std::uint64_t> i) -> std::optional<std::uint64_t> {
                                     if (*i % 2 != 0) return std::nullopt;
                                     return *i;
                                   }),
                     sennit::stage(sennit::ordered, [&](std::uint64_t i) { out.push_back(i); }));
    ASSERT_EQ(out.size(), 1667U);
    for (std::uint64_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 6 * i);
  });
}

// Catches: elements of a range that are copied, skipped, or read after the range has gone on.
TEST(pipeline, takes_items_from_ranges) {
  with_workers([] {
    std::list<int> numbers{1, 2, 3, 4, 5};
    sennit::pipeline(sennit::source(numbers), sennit::stage([](int& i) { i *= 10; }));
    EXPECT_EQ(numbers, (std::list<int>{10, 20, 30, 40, 50}));
    std::istringstream text("so it goes on and on");
    std::string joined;
    sennit::pipeline(sennit::source(std::ranges::istream_view<std::string>(text)),
                     sennit::stage([](std::string word) { return word + "."; }),
                     sennit::stage(sennit::ordered, [&](const std::string& word) { joined += word; }));
    EXPECT_EQ(joined, "so.it.goes.on.and.on.");
    std::vector<int> none;
    sennit::pipeline(sennit::source(none), sennit::stage([](int) { ADD_FAILURE(); }));
  });
}

// Catches: a stage that keeps its worker while others are busy there; constructs that lose a strand's items.
TEST(pipeline, has_constructs_in_its_stages) {
  with_workers([] {
    std::uint64_t sum = 0;
    sennit::pipeline({.most_alive = 8}, numbers(200), sennit::stage([](std::uint64_t i) {
                       std::atomic<std::uint64_t> below{0};
                       sennit::parallel_for(0, 50, [&](int k) {
                         spend(2);
                         below.fetch_add(static_cast<std::uint64_t>(k), std::memory_order_relaxed);
                       });
                       return below.load() + i;
                     }),
                     sennit::stage(sennit::one_at_a_time, [&](std::uint64_t i) {
                       std::uint64_t inner = 0;
                       sennit::pipeline(numbers(20), sennit::stage([](std::uint64_t k) { return k; }),
                                        sennit::stage(sennit::ordered, [&](std::uint64_t k) { inner += k; }));
                       EXPECT_EQ(inner, 190U);
                       sum += i;
                     }));
    EXPECT_EQ(sum, 200U * 199U / 2 + 200U * 1225U);
  });
}

// Catches: a pipeline that needs a runtime around it.
TEST(pipeline, runs_outside_any_runtime) {
  std::uint64_t sum = 0;
  sennit::pipeline(numbers(100), sennit::stage(sennit::ordered, [&](std::uint64_t i) { sum += i; }));
  EXPECT_EQ(sum, 4950U);
}

template <class P>
std::vector<std::string> upper_case(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  P::pipeline({.most_alive = 4}, sennit::source(words),
              sennit::stage([](std::string word) -> std::optional<std::string> {
                if (word.empty()) return std::nullopt;
                for (char& c : word) c = static_cast<char>(c - 'a' + 'A');
                return word;
              }),
              sennit::stage(sennit::ordered, [&](std::string&& word) { out.push_back(std::move(word)); }));
  return out;
}

// Catches: a serial elision that means something else.
TEST(pipeline, has_a_serial_elision) {
  const std::vector<std::string> words{"to", "", "be", "or", "not", ""};
  const std::vector<std::string> expected{"TO", "BE", "OR", "NOT"};
  EXPECT_EQ(upper_case<sennit::parallel>(words), expected);
  EXPECT_EQ(upper_case<sennit::serial>(words), expected);
  EXPECT_EQ(upper_case<sennit::counted_serial>(words), expected);
}

// Catches: an element without a value that is taken for the end of a range.
TEST(pipeline, drops_elements_without_a_value) {
  with_workers([] {
    const std::vector<int> numbers{1, 0, 2, 0, 0, 3};
    const auto parse = [](int n) { return n == 0 ? std::optional<int>() : std::optional<int>(n); };
    std::vector<int> seen;
    sennit::pipeline(sennit::source(numbers | std::views::transform(parse)),
                     sennit::stage(sennit::ordered, [&](int n) { seen.push_back(n); }));
    sennit::serial::pipeline(sennit::source(numbers | std::views::transform(parse)),
                             sennit::stage(sennit::ordered, [&](int n) { seen.push_back(n); }));
    EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 1, 2, 3}));
  });
}

}  // namespace
}  // namespace sennit_test
