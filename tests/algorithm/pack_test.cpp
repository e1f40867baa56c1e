// SPDX-License-Identifier: Apache-2.0
// The algorithms that pack elements, against their serial namesakes.
#include "../loops/support.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

// Numbers of which one in `gap` is zero, or, for a negative number, all but one in -gap.
std::vector<int> with_zeros(std::size_t n, int gap) {
  std::mt19937 random(static_cast<unsigned>(gap) + static_cast<unsigned>(n));
  std::vector<int> result(n);
  for (int& x : result) {
    const auto drawn = static_cast<int>(random() >> 8U);
    x = (drawn % std::abs(gap) == 0) == (gap > 0) ? 0 : drawn % 5 + 1;
  }
  return result;
}
bool is_positive(int x) { return x > 0; }
const std::array<int, 5> gaps{1, 2, 7, 100, -100};

template <class T, class End>
std::vector<T> up_to(std::vector<T> all, End end) {
  all.erase(end(all), all.end());
  return all;
}

// Catches elements that are left out, packed twice or out of order, for blocks that keep all, none or some.
TEST(pack, is_the_serial_one) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      for (const int gap : gaps) {
        const std::vector<int> in = with_zeros(n, gap);
        std::vector<int> kept;
        std::ranges::copy_if(in, std::back_inserter(kept), is_positive);
        std::vector<int> others;
        std::ranges::remove_copy_if(in, std::back_inserter(others), is_positive);
        std::vector<int> distinct;
        std::ranges::unique_copy(in, std::back_inserter(distinct));

        const std::vector<int> fresh(n, -1);
        EXPECT_EQ(
            up_to(fresh, [&](auto& out) { return sennit::parallel_copy_if(in, out, is_positive, how); }),
            kept);
        EXPECT_EQ(up_to(fresh, [&](auto& out) { return sennit::parallel_remove_copy(in, out, 0, {}, how); }),
                  kept);
        EXPECT_EQ(
            up_to(fresh,
                  [&](auto& out) { return sennit::parallel_remove_copy_if(in, out, is_positive, how); }),
            others);
        EXPECT_EQ(up_to(fresh, [&](auto& out) { return sennit::parallel_unique_copy(in, out, {}, {}, how); }),
                  distinct);
        EXPECT_EQ(up_to(in, [&](auto& x) { return sennit::parallel_remove(x, 0, how); }), kept);
        EXPECT_EQ(up_to(in, [&](auto& x) { return sennit::parallel_remove_if(x, is_positive, how); }),
                  others);
        EXPECT_EQ(up_to(in, [&](auto& x) { return sennit::parallel_unique(x, {}, {}, how); }), distinct);
        EXPECT_EQ(sennit::parallel_filter(in, is_positive, how), kept);
      }
    }
  });
}

// Waits with the first element until another strand is ahead, so that blocks are packed by their marks.
class ahead {
 public:
  explicit ahead(std::uint64_t far) : far_(far) {}
  void operator()(std::uint64_t value) const {
    if (value >= far_) there_.light();
    if (value == 0) there_.await();
  }

 private:
  std::uint64_t far_;
  mutable beacon there_;
};

// Catches blocks that are moved over others not yet moved, ones that are lost because their strand went on, and an
// element that is compared after it has been moved from.
TEST(pack, packs_what_strands_ahead_have_marked) {
  constexpr std::size_t n = 5000;
  under(parallel_settings(), [&](sennit::runtime& rt) {
    rt.run([&] {
      for (const std::uint64_t divisor : {2U, 10U, 1000U}) {
        for (const sennit::loop_options& how :
             {sennit::loop_options(), sennit::grain(16), sennit::grain(100)}) {
          std::vector<std::unique_ptr<std::uint64_t>> pointers;
          std::vector<std::string> runs;
          for (std::size_t i = 0; i < n; ++i) {
            pointers.push_back(std::make_unique<std::uint64_t>(i));
            runs.push_back("a string that is long, with the number " + std::to_string(i / divisor));
          }
          const ahead first(n / 2);
          pointers.erase(sennit::parallel_remove_if(
                             pointers,
                             [&](std::uint64_t value) { return first(value), value % divisor == 1; },
                             [](const auto& pointer) { return *pointer; }, how),
                         pointers.end());
          std::size_t next = 0;
          for (std::size_t i = 0; i < n; ++i) {
            if (i % divisor != 1) {
              ASSERT_EQ(*pointers.at(next++), i);
            }
          }
          EXPECT_EQ(next, pointers.size());

          const std::string& begin = runs.front();
          beacon there;
          const auto equal = [&](const std::string& a, const std::string& b) {
            if (&a == &runs[n / 2]) there.light();
            if (&a == &begin || &b == &begin) there.await();
            return a == b;
          };
          runs.erase(sennit::parallel_unique(runs, equal, how), runs.end());
          ASSERT_EQ(runs.size(), (n + divisor - 1) / divisor);
          for (std::size_t i = 0; i < runs.size(); ++i)
            ASSERT_TRUE(runs[i].ends_with(" " + std::to_string(i))) << runs[i];
        }
      }
    });
  });
}

// Catches a predicate that is called twice for an element, or not for all.
TEST(pack, calls_the_predicate_once) {
  with_options([](const sennit::loop_options& how) {
    std::vector<int> x(1000);
    std::iota(x.begin(), x.end(), 0);
    std::vector<int> out(1000);
    std::vector<std::atomic<int>> calls(1000);
    const auto is_odd = [&](int value) {
      calls[static_cast<std::size_t>(value)].fetch_add(1, std::memory_order_relaxed);
      return value % 2 == 1;
    };
    sennit::parallel_copy_if(x, out, is_odd, how);
    EXPECT_EQ(sennit::parallel_filter(x, is_odd, how).size(), 500U);
    sennit::parallel_remove_if(x, is_odd, how);
    EXPECT_TRUE(std::ranges::all_of(calls, [](const auto& count) { return count == 3; }));

    std::iota(x.begin(), x.end(), 0);
    std::atomic<int> comparisons{0};
    const auto equal = [&](int a, int b) { return ++comparisons, a == b; };
    sennit::parallel_unique_copy(x, out, equal, how);
    EXPECT_EQ(out, x);
    sennit::parallel_unique(x, equal, how);
    EXPECT_EQ(comparisons, 2 * 999);
  });
}

// Catches an exception that is not the lowest element's, elements that are lost with it, and ones that move on.
TEST(pack, loses_nothing_when_the_predicate_throws) {
  constexpr std::uint64_t n = 300;
  with_options([&](const sennit::loop_options& how) {
    for (std::uint64_t lowest = 0; lowest < n; lowest += 7) {
      std::vector<std::unique_ptr<std::uint64_t>> x;
      for (std::uint64_t i = 0; i < n; ++i) x.push_back(std::make_unique<std::uint64_t>(i));
      const auto is_even = [&](std::uint64_t value) {
        if (value >= lowest) throw failure{value};
        return value % 2 == 0;
      };
      const auto value_of = [](const auto& pointer) { return *pointer; };
      try {
        sennit::parallel_remove_if(x, is_even, value_of, how);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const failure& thrown) {
        EXPECT_EQ(thrown.position, lowest);
      }
      std::vector<std::uint64_t> left;
      for (const auto& pointer : x) {
        if (pointer != nullptr && (*pointer % 2 == 1 || *pointer >= lowest)) left.push_back(*pointer);
      }
      std::vector<std::uint64_t> expected;
      for (std::uint64_t i = 0; i < n; ++i) {
        if (i % 2 == 1 || i >= lowest) expected.push_back(i);
      }
      EXPECT_EQ(left, expected);

      std::vector<std::uint64_t> numbers(n);
      std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
      EXPECT_THROW(sennit::parallel_filter(numbers, is_even, how), failure);
      EXPECT_THROW(sennit::parallel_copy_if(
                       numbers, numbers.begin() + n, [](std::uint64_t) -> bool { throw failure{0}; }, how),
                   failure);
    }
  });
}

// Catches a cancellation that is lost, and elements lost with it.
TEST(pack, ends_with_its_region) {
  with_options([](const sennit::loop_options& how) {
    for (const std::uint64_t at : {0U, 10U, 500U}) {
      std::vector<tracked> x;
      for (std::uint64_t i = 0; i < 1000; ++i) x.emplace_back(i);
      sennit::region r;
      EXPECT_FALSE(r.run([&] {
        sennit::parallel_remove_if(
            x,
            [&](const tracked& element) {
              if (element.value() == at) r.cancel();
              return element.value() % 2 == 0;
            },
            how);
        sennit::join([] {}, [] {});
      }));
      std::vector<char> seen(1000);
      for (const tracked& element : x) seen[element.value()] = 1;
      for (std::size_t i = 1; i < 1000; i += 2) EXPECT_EQ(seen[i], 1) << i;
    }
    EXPECT_EQ(tracked::live(), 0);
  });
}

// Catches writes behind the end of a destination, also of one that is as large as what is kept.
TEST(pack, writes_within_the_destination) {
  with_options([](const sennit::loop_options& how) {
    std::vector<int> in(1000);
    std::iota(in.begin(), in.end(), 0);
    std::vector<int> out(600, -1);
    const auto is_even = [](int value) { return value % 2 == 0; };
    EXPECT_EQ(sennit::parallel_copy_if(in, std::span(out).first(500), is_even, how) - std::span(out).begin(),
              500);
    EXPECT_EQ(std::ranges::count(out, -1), 100);
    EXPECT_EQ(sennit::parallel_copy_if(in, out.begin() + 100, is_even, how), out.end());
    std::ranges::fill(out, -1);
    try {
      sennit::parallel_copy_if(in, std::span(out).first(499), is_even, how);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::invalid_argument& refused) {
      EXPECT_STREQ(refused.what(),
                   "sennit::parallel_copy_if: more than 499 elements are kept, and do not fit into a "
                   "destination of 499; resize it before the call");
    }
    EXPECT_EQ(std::ranges::count(std::span(out).subspan(499), -1), 101);
    EXPECT_THROW(sennit::serial::parallel_unique_copy(in, std::span(out).first(499)), std::invalid_argument);
    EXPECT_EQ(out[499], -1);
  });
}

// Catches overloads that take one kind of argument for another, and types that are taken for plain ones.
template <class P>
void takes_iterators_ranges_and_views() {
  struct point {
    int x = 0;
    int y = 0;
    bool operator==(const point&) const = default;
  };
  struct undefaulted {
    explicit undefaulted(int value) : value(value) {}
    int value;
  };
  std::deque<point> points;
  for (int i = 0; i < 1000; ++i) points.push_back({i % 3, i});
  std::vector<int> out(1000);

  EXPECT_EQ(P::parallel_copy_if(std::views::iota(0, 1000), out.begin(), [](int i) { return i % 10 == 3; }) -
                out.begin(),
            100);
  EXPECT_EQ(out[99], 993);
  EXPECT_EQ(P::parallel_filter(points, [](int x) { return x == 2; }, &point::x).at(1).y, 5);
  EXPECT_EQ(P::parallel_filter(points.begin(), 10, &point::x, {}, sennit::grain(3)).size(), 6U);
  EXPECT_EQ(P::parallel_remove_if(points.begin(), points.end(), [](const point& p) { return p.x == 0; }),
            points.begin() + 666);
  EXPECT_EQ(P::parallel_remove(points.begin(), 666, 1, &point::x) - points.begin(), 333);
  EXPECT_EQ(points[332], (point{2, 998}));
  EXPECT_EQ(P::parallel_unique(points | std::views::take(333), std::ranges::equal_to(), &point::x) -
                points.begin(),
            1);
  const std::vector<bool> flags{true, true, false, true};
  EXPECT_EQ(P::parallel_filter(flags, std::identity()), (std::vector<bool>{true, true, true}));
  const std::vector<undefaulted> others{undefaulted(1), undefaulted(2)};
  EXPECT_EQ(P::parallel_filter(others, [](int v) { return v > 1; }, &undefaulted::value).at(0).value, 2);
  EXPECT_EQ(P::parallel_unique_copy(flags, out) - out.begin(), 3);
}
TEST(pack, takes_iterators_ranges_and_views) {
  with_workers([] { takes_iterators_ranges_and_views<sennit::parallel>(); });
  takes_iterators_ranges_and_views<sennit::serial>();
}

}  // namespace
}  // namespace sennit_test
