// SPDX-License-Identifier: Apache-2.0
// Nests of loops: every cell once, in the order that was promised.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace sennit_test;
using sennit::extent;
using sennit::in_order;
using sennit::tile;

using cell = std::pair<std::ptrdiff_t, std::ptrdiff_t>;

// Counts visits in plain memory, a counter a cell: ThreadSanitizer sees two that may run at once.
// The dimensions in order share one counter, which is to go up by one index after the other.
template <std::size_t D>
class visits {
 public:
  explicit visits(const std::array<extent, D>& space) : space_(space) {
    for (const extent& e : space) {
      total_ *= size(e);
      if (!e.in_order) counters_ *= size(e);
    }
    seen_.resize(counters_);
  }

  template <class... I>
  void visit(I... index) {
    const std::array<std::ptrdiff_t, D> at{index...};
    std::size_t counter = 0;
    std::uint64_t serial = 0;
    for (std::size_t d = 0; d < D; ++d) {
      const auto offset = static_cast<std::size_t>(at[d] - space_[d].begin);
      if (at[d] < space_[d].begin || at[d] >= space_[d].end)
        wrong_ = true;
      else if (space_[d].in_order)
        serial = serial * size(space_[d]) + offset;
      else
        counter = counter * size(space_[d]) + offset;
    }
    // With several dimensions in order, an order that cuts them keeps each of them
    // ascending, not all together.
    if (one_serial() && seen_[counter] != serial) wrong_ = true;
    ++seen_[counter];
  }

  void expect_complete() const {
    EXPECT_FALSE(wrong_) << "a cell outside of the space, visited twice, or out of order";
    const std::uint64_t each = counters_ == 0 ? 0 : total_ / counters_;
    for (const std::uint64_t count : seen_) EXPECT_EQ(count, each);
  }

 private:
  static std::size_t size(const extent& e) {
    return e.end > e.begin ? static_cast<std::size_t>(e.end - e.begin) : 0;
  }
  bool one_serial() const {
    int count = 0;
    for (const extent& e : space_) count += e.in_order;
    return count <= 1;
  }

  std::array<extent, D> space_;
  std::size_t total_ = 1;
  std::size_t counters_ = 1;
  std::vector<std::uint64_t> seen_;
  std::atomic<bool> wrong_{false};
};

template <std::size_t D, class F, class... I>
void for_cells(const tile<D>& t, F& f, I... index) {
  if constexpr (sizeof...(I) == D) {
    f(index...);
  } else {
    constexpr std::size_t d = sizeof...(I);
    for (std::ptrdiff_t i = t.begin(d); i < t.end(d); ++i) for_cells(t, f, index..., i);
  }
}

template <std::size_t D, class Order, std::size_t... d>
void check(const std::array<extent, D>& space, const Order& order, std::index_sequence<d...>) {
  visits<D> by_index(space);
  sennit::parallel_for_nest(
      {space[d]...}, [&](std::conditional_t<d == d, std::ptrdiff_t, void>... i) { by_index.visit(i...); },
      order);
  by_index.expect_complete();

  visits<D> by_tile(space);
  sennit::parallel_for_nest(
      {space[d]...},
      [&](const tile<D>& t) {
        EXPECT_FALSE(t.empty());
        auto visit = [&](auto... i) { by_tile.visit(i...); };
        for_cells(t, visit);
      },
      order);
  by_tile.expect_complete();
}

template <std::size_t D, class Draw, std::size_t... d>
void check_orders(const std::array<extent, D>& space, Draw&& draw, std::index_sequence<d...> dimensions) {
  check<D>(space, sennit::row, dimensions);
  check<D>(space, sennit::tiled(draw(9) + 1), dimensions);
  check<D>(space, sennit::tiled((static_cast<void>(d), draw(9) + 1)...), dimensions);
  check<D>(space, sennit::morton, dimensions);
  check<D>(space, sennit::morton(draw(5) + 1), dimensions);
  check<D>(space, sennit::morton((static_cast<void>(d), draw(40) + 1)...), dimensions);
}

template <std::size_t D>
void check_random(std::mt19937_64& random) {
  const auto draw = [&](std::uint64_t n) { return static_cast<std::ptrdiff_t>(random() % n); };
  constexpr std::ptrdiff_t lengths[] = {0, 1, 2, 3, 5, 7, 11, 13, 37, 97};
  std::array<extent, D> space;
  std::ptrdiff_t total = 1;
  for (extent& e : space) {
    const std::ptrdiff_t length = lengths[draw(std::size(lengths))];
    const std::ptrdiff_t begin = draw(21) - 10;
    // Not more cells than a sanitizer gets through.
    e = extent(begin, begin + (total * length > 6000 ? 2 : length));
    e.in_order = draw(4) == 0;
    total *= std::max<std::ptrdiff_t>(1, e.end - e.begin);
  }
  check_orders<D>(space, draw, std::make_index_sequence<D>());
}

// Catches: cells lost, doubled or unordered by any order, at any shape: empty, one, primes, thin,
// with serial dimensions in any place.
TEST(Nest, RandomNestsVisitEachCellOnce) {
  under(settings({1, 2, 8}), [](sennit::runtime& rt) {
    std::mt19937_64 random(7);
    rt.run([&] {
      for (int repetition = 0; repetition < scaled(40); ++repetition) {
        check_random<1>(random);
        check_random<2>(random);
        check_random<3>(random);
        check_random<4>(random);
      }
    });
  });
}

// Catches: a very thin space, where the cut dimension is far longer than its neighbor.
TEST(Nest, ThinSpaces) {
  under(settings({1, 3}), [](sennit::runtime& rt) {
    rt.run([] {
      const auto draw = [](std::uint64_t n) { return static_cast<std::ptrdiff_t>(n / 2); };
      check_orders<2>({extent(1), extent(5003)}, draw, std::make_index_sequence<2>());
      check_orders<2>({extent(5003), extent(1)}, draw, std::make_index_sequence<2>());
      check_orders<2>({extent(2), in_order(4001)}, draw, std::make_index_sequence<2>());
    });
  });
}

template <class Order>
void check_triangle(const sennit::triangle& space, const Order& order) {
  const auto n = static_cast<std::size_t>(space.size());
  std::vector<int> by_index(n * n);
  std::vector<int> by_tile(n * n);
  const auto at = [n](std::ptrdiff_t i, std::ptrdiff_t j) {
    return static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j);
  };
  sennit::parallel_for_nest(space, [&](auto i, auto j) { ++by_index[at(i, j)]; }, order);
  sennit::parallel_for_nest(
      space,
      [&](const tile<2>& t) {
        EXPECT_FALSE(t.empty());
        auto visit = [&](auto i, auto j) { ++by_tile[at(i, j)]; };
        for_cells(t, visit);
      },
      order);
  for (std::ptrdiff_t i = 0; i < space.size(); ++i) {
    for (std::ptrdiff_t j = 0; j < space.size(); ++j) {
      EXPECT_EQ(by_index[at(i, j)], space.contains(i, j)) << i << ' ' << j;
      EXPECT_EQ(by_tile[at(i, j)], space.contains(i, j)) << i << ' ' << j;
    }
  }
}

// Catches: the diagonal itself being visited, or cells beside it being lost, in any order.
TEST(Nest, TrianglesVisitEachCellOnce) {
  under(settings({1, 2, 8}), [](sennit::runtime& rt) {
    rt.run([] {
      for (const int n : {0, 1, 2, 3, 7, 64, 131}) {
        for (const sennit::triangle& space : {sennit::upper_triangle(n), sennit::lower_triangle(n)}) {
          check_triangle(space, sennit::row);
          check_triangle(space, sennit::tiled(1));
          check_triangle(space, sennit::tiled(5, 3));
          check_triangle(space, sennit::morton);
          check_triangle(space, sennit::morton(1));
          check_triangle(space, sennit::morton(3, 17));
        }
      }
    });
  });
}

template <class Order>
std::vector<cell> order_of(std::ptrdiff_t rows, std::ptrdiff_t columns, const Order& order) {
  std::vector<cell> seen;
  sennit::runtime rt({.workers = 1});
  rt.run([&] {
    sennit::parallel_for_nest({rows, columns}, [&](auto i, auto j) { seen.emplace_back(i, j); }, order);
  });
  return seen;
}

// Catches: an order that is another one than it says, which no count of cells would show.
TEST(Nest, OneWorkerFollowsTheOrder) {
  const std::vector<cell> rows = order_of(3, 5, sennit::row);
  for (std::size_t p = 0; p < rows.size(); ++p) EXPECT_TRUE(rows[p] == cell(p / 5, p % 5));
  EXPECT_TRUE(order_of(2, 4, sennit::morton(1)) ==
              (std::vector<cell>{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}}));
  EXPECT_TRUE(order_of(4, 4, sennit::morton(2)) == order_of(4, 4, sennit::tiled(2)));
  EXPECT_TRUE(
      order_of(2, 5, sennit::tiled(2)) ==
      (std::vector<cell>{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {0, 4}, {1, 4}}));
}

// Catches: tiles that are not those that were asked for, so that a kernel made for
// them reads beyond its buffers.
TEST(Nest, TilesHaveTheSizeThatWasAskedFor) {
  under(settings({2}), [](sennit::runtime& rt) {
    rt.run([] {
      std::mutex mutex;
      std::vector<tile<2>> tiles;
      const auto collect = [&](const tile<2>& t) {
        const std::lock_guard lock(mutex);
        tiles.push_back(t);
      };
      sennit::parallel_for_nest({{10, 30}, {0, 50}}, collect, sennit::tiled(8, 16));
      EXPECT_EQ(tiles.size(), 12U);
      for (const tile<2>& t : tiles) {
        EXPECT_EQ((t.begin(0) - 10) % 8, 0);
        EXPECT_EQ(t.begin(1) % 16, 0);
        EXPECT_LE(t.size(0), 8);
        EXPECT_LE(t.size(1), 16);
      }
      tiles.clear();
      sennit::parallel_for_nest({64, 64}, collect, sennit::morton(16));
      EXPECT_EQ(tiles.size(), 16U);
    });
  });
}

// Catches: an order that makes the iterations of a tile serial, so that a small nest of long
// iterations uses one worker.
TEST(Nest, IterationsOfOneTileRunInParallel) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      const auto meet = [](const auto& order) {
        std::atomic<bool> begun{false};
        std::atomic<bool> another{false};
        std::atomic<bool> last{false};
        sennit::parallel_for_nest(
            {8, 8},
            [&](auto i, auto j) {
              if (i == 7 && j == 7) {
                last = true;
                await([&] { return another.load(); }, "another cell to run with the last");
                return;
              }
              // Where nobody waits as the loop begins, all of it can be had after one cell that somebody comes in.
              if (!begun.exchange(true)) {
                await([&] { return sennit::detail::any_gate_shut() || another.load() || last.load(); },
                      "somebody who asks for work, or takes some");
                if (!last.load()) return;
              }
              if (!another.exchange(true))
                await([&] { return last.load(); }, "the last cell to run with another");
            },
            order);
      };
      meet(sennit::row);
      meet(sennit::tiled(8));
      meet(sennit::morton);
    });
  });
}

// Catches: an exception that depends on who was first, or is lost.
TEST(Nest, TheLeftmostExceptionWins) {
  const auto all = [](const auto& test) {
    test(sennit::row);
    test(sennit::tiled(4, 8));
    test(sennit::morton(4));
  };
  under(settings({1, 2, 8}), [&](sennit::runtime& rt) {
    all([&](const auto& order) {
      const std::vector<cell> serial = order_of(24, 24, order);
      for (const std::size_t first : {0, 100, 575}) {
        try {
          rt.run([&] {
            sennit::parallel_for_nest(
                {24, 24},
                [&](auto i, auto j) {
                  for (std::size_t p = first; p < serial.size(); p += 50) {
                    if (serial[p] == cell(i, j)) throw failure{p};
                  }
                },
                order);
          });
          ADD_FAILURE() << "nothing was thrown";
        } catch (const failure& f) {
          EXPECT_EQ(f.position, first);
        }
      }
    });
  });
}

// Catches: later parts of a serial dimension being run although an earlier one threw.
TEST(Nest, NothingFollowsAnExceptionInOrder) {
  under(settings({1, 2}), [](sennit::runtime& rt) {
    rt.run([] {
      std::atomic<std::ptrdiff_t> latest{0};
      EXPECT_THROW(sennit::parallel_for_nest(
                       {in_order(1000), 3},
                       [&](auto t, auto) {
                         latest = t;
                         if (t == 417) throw failure{0};
                       },
                       sennit::morton),
                   failure);
      EXPECT_EQ(latest.load(), 417);
    });
  });
}

// Catches: extents of an array that are read as something else than those in braces.
TEST(Nest, ExtentsMayComeInAnArray) {
  std::vector<int> seen(12);
  const auto visit = [&](std::ptrdiff_t i, std::ptrdiff_t j) { ++seen[static_cast<std::size_t>(i * 4 + j)]; };
  const std::array<std::size_t, 2> sizes{3, 4};
  sennit::parallel_for_nest(sizes, visit, sennit::morton(2));
  EXPECT_EQ(seen, std::vector<int>(12, 1));
  const std::array bounds{sennit::extent(1, 3), sennit::in_order(1, 4)};
  sennit::serial::parallel_for_nest(bounds, visit);
  EXPECT_EQ(seen, (std::vector<int>{1, 1, 1, 1, 1, 2, 2, 2, 1, 2, 2, 2}));
}

// Catches: a generic body of one loop that has to compile for tiles, too.
TEST(Nest, OneLoopTakesAGenericBody) {
  std::vector<int> seen(10);
  sennit::parallel_for_nest({10}, [&](auto i) { ++seen[i]; });
  EXPECT_EQ(seen, std::vector<int>(10, 1));
}

// Catches: nests inside of nests and of joins sharing something that is one per strand.
TEST(Nest, Nested) {
  under(settings({1, 3}), [](sennit::runtime& rt) {
    std::vector<int> seen(6 * 7 * 8 * 9);
    rt.run([&] {
      sennit::parallel_for_nest(
          {6, 7},
          [&](auto i, auto j) {
            sennit::parallel_for_nest(
                {8, 9},
                [&, i, j](auto k, auto l) {
                  ++seen[static_cast<std::size_t>(((i * 7 + j) * 8 + k) * 9 + l)];
                },
                sennit::morton(2));
          },
          sennit::tiled(2));
    });
    EXPECT_THAT(seen, testing::Each(1));
  });
}

// Catches: bad input that is taken silently, or named by nobody.
TEST(Nest, BadInputIsRefused) {
  const auto nothing = [](auto, auto) {};
  EXPECT_THROW(sennit::tiled(8, 0), std::invalid_argument);
  EXPECT_THROW(sennit::morton(-1), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(extent(std::uint64_t{1} << 63)), std::out_of_range);
  EXPECT_THROW(sennit::parallel_for_nest({1L << 40, 1L << 40}, nothing), std::length_error);
  EXPECT_THROW(sennit::parallel_for_nest(sennit::upper_triangle(1L << 40), nothing), std::length_error);
  try {
    static_cast<void>(sennit::tiled(8, -3));
    ADD_FAILURE();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(
        e.what(),
        "sennit: tiled(...) was given the size -3, but a tile has at least 1 index in each dimension");
  }
  // Bounds of different signs are numbers; an end before its begin is a loop without iterations, as in C++.
  std::atomic<int> cells{0};
  sennit::parallel_for_nest({{-1, 5U}, {-2, std::size_t{1}}}, [&](auto, auto) { ++cells; });
  EXPECT_EQ(cells, 6 * 3);
  sennit::parallel_for_nest({{0U, -1}}, [](auto) { ADD_FAILURE(); });
  sennit::parallel_for_nest({{5, 3}, {0, 2}}, [](auto, auto) { ADD_FAILURE(); });
}

}  // namespace
