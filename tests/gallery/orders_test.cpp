// SPDX-License-Identifier: Apache-2.0
// The orders of the kernels' nests: each comes to its cells as Govedič, 2023, Figure 5-1, has it, and the
// kernels that have them give the right answer with tiles of any size.
#include "gallery/matrix.hpp"
#include "gallery/orders.hpp"
#include "tests/gallery/support.hpp"

#include <sennit/runtime.hpp>
#include <sennit/serial.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

namespace gallery {
namespace {

using cell = std::pair<std::size_t, std::size_t>;

template <class P, class Space>
std::vector<cell> cells(const std::string& variant, std::int64_t tile, const Space& space) {
  order_choice order{.variant = variant, .tile = tile};
  std::mutex mutex;
  std::vector<cell> seen;
  for_cells<P>(order, space, [&](std::size_t i, std::size_t j) {
    const std::scoped_lock lock(mutex);
    seen.emplace_back(i, j);
  });
  return seen;
}

template <class Space, class Key>
std::vector<cell> sorted_by(const Space& space, const Key& key) {
  std::vector<cell> all;
  for (std::size_t i = 0; i < space.rows; ++i) {
    for (std::size_t j = space.first_of(i); j < space.columns; ++j) all.emplace_back(i, j);
  }
  std::sort(all.begin(), all.end(),
            [&](const cell& a, const cell& b) { return std::pair(key(a), a) < std::pair(key(b), b); });
  return all;
}

template <class Space>
void expect_orders(const Space& space) {
  const auto rows = sorted_by(space, [](const cell& c) { return c; });
  const auto tiles = sorted_by(space, [](const cell& c) { return std::tuple(c.first / 4, c.second / 4); });
  EXPECT_EQ(cells<sennit::serial>("nested", 4, space), rows);
  EXPECT_EQ(cells<sennit::serial>("row", 4, space), rows);
  EXPECT_EQ(cells<sennit::serial>("dac-loop", 4, space), rows);
  EXPECT_EQ(cells<sennit::serial>("tiled", 4, space), tiles);
  EXPECT_EQ(cells<sennit::serial>("dac-loop-tiled", 4, space), tiles);
}

// Catches: a variant that is another one, which no result shows; and tiles that are not where they belong.
TEST(Orders, AreThoseOfTheirNames) {
  for (const std::size_t rows : {1U, 4U, 13U, 16U, 33U}) {
    for (const std::size_t columns : {1U, 4U, 9U, 32U}) expect_orders(rectangle{rows, columns});
    expect_orders(upper_triangle(rows));
  }
}

TEST(Orders, MortonGoesThroughQuartersOfQuarters) {
  const auto quarter = [](const cell& c) {
    return std::tuple(c.first / 8, c.second / 8, c.first / 4, c.second / 4);
  };
  EXPECT_EQ(cells<sennit::serial>("morton", 4, rectangle{16, 16}), sorted_by(rectangle{16, 16}, quarter));
  EXPECT_EQ(cells<sennit::serial>("morton", 4, upper_triangle(16)), sorted_by(upper_triangle(16), quarter));
}

// Catches: cells lost or doubled by other workers.
TEST(Orders, CoverTheSpaceInParallel) {
  sennit::runtime runtime({.workers = 4});
  order_choice order;
  for (const std::string& variant : order.which().words) {
    for (const std::int64_t tile : {1, 7, 100}) {
      std::vector<cell> seen =
          runtime.run([&] { return cells<sennit::parallel>(variant, tile, upper_triangle(40)); });
      std::sort(seen.begin(), seen.end());
      EXPECT_EQ(seen, sorted_by(upper_triangle(40), [](const cell& c) { return c; }))
          << variant << ' ' << tile;
    }
  }
}

std::vector<std::string> variants(kernel& k) {
  for (const parameter& p : k.parameters()) {
    if (p.name == "variant") return p.words;
  }
  return {};
}

// Catches: a base case that is not complete where sizes are no multiples of it.
TEST(Orders, GiveTheRightAnswerWithTilesOfAnySize) {
  for (const char* name : {"mm", "transpose"}) {
    const std::unique_ptr<kernel> k = find(name);
    const std::vector<std::string> words = variants(*k);
    for (std::size_t variant = 0; variant < words.size(); ++variant) {
      for (const int n : {1, 2, 31, 33, 64, 65}) {
        for (const int tile : {1, 3, 16, 100}) {
          set(*k, "variant", static_cast<double>(variant));
          set(*k, "n", n);
          set(*k, "tile", tile);
          prepare(*k);
          EXPECT_EQ(k->complaint(k->run(policy::parallel)), "")
              << name << ' ' << words[variant] << " n=" << n << " tile=" << tile;
        }
      }
    }
  }
}

// Catches: a kernel that has lost a variant of the thesis.
TEST(Orders, AreAllThere) {
  for (const char* name : {"mm", "blur", "transpose", "srad", "mandelbrot"}) {
    const std::unique_ptr<kernel> k = find(name);
    std::vector<std::string> words = variants(*k);
    std::vector<std::string> all = order_choice().which().words;
    if (name == std::string_view("mm")) all.insert(all.end(), {"dac-full", "best"});
    EXPECT_EQ(words, all) << name;
  }
}

}  // namespace
}  // namespace gallery
