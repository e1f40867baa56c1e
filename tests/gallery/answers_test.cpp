// SPDX-License-Identifier: Apache-2.0
// The kernels' answers where they are known from elsewhere, and that their checks notice wrong ones.
#include "gallery/matrix.hpp"
#include "gallery/picture.hpp"
#include "tests/gallery/support.hpp"

#include <array>
#include <cstdint>

namespace gallery {
namespace {

template <class Number>
Number answer(kernel& k) {
  prepare(k);
  return std::any_cast<Number>(k.run(policy::parallel));
}

TEST(Answers, Fib) {
  const std::unique_ptr<kernel> k = find("fib");
  for (const auto& [n, right] : {std::pair{0, 0}, {1, 1}, {2, 1}, {10, 55}, {25, 75025}}) {
    set(*k, "n", n);
    EXPECT_EQ(answer<std::int64_t>(*k), right) << n;
  }
}

TEST(Answers, NQueens) {
  const std::unique_ptr<kernel> k = find("nqueens");
  constexpr std::array<std::int64_t, 13> right{0, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
  for (std::size_t n = 1; n < right.size(); ++n) {
    set(*k, "n", static_cast<double>(n));
    for (const int variant : {0, 1, 2}) {
      set(*k, "variant", variant);
      EXPECT_EQ(answer<std::int64_t>(*k), right[n]) << n;
    }
  }
}

// Nodes of the default tree, counted by a loop with a stack of its own.
TEST(Answers, UtsDefaultTree) {
  const std::unique_ptr<kernel> k = find("uts");
  EXPECT_EQ(answer<std::uint64_t>(*k), 4792385U);
}

// Catches: another matrix, other random numbers, an operation on the wrong grid.
TEST(Answers, CgAndMgAreThoseOfNas) {
  for (const char* name : {"cg", "mg"}) {
    const std::unique_ptr<kernel> k = find(name);
    for (const int problem : {0, 1}) {
      set(*k, "class", problem);
      prepare(*k);
      EXPECT_EQ(k->complaint(k->run(policy::parallel)), "") << name << ' ' << problem;
    }
  }
}

TEST(Answers, KnapsackIsTheTablesForManyInstances) {
  const std::unique_ptr<kernel> k = find("knapsack");
  for (int seed = 0; seed < 50; ++seed) {
    set(*k, "items", 1 + seed % 14);
    set(*k, "seed", seed);
    EXPECT_EQ(k->complaint(answer<std::int64_t>(*k)), "") << seed;
  }
}

TEST(Answers, MatricesOfAwkwardSizes) {
  for (const char* name : {"matmul", "strassen", "mm"}) {
    const std::unique_ptr<kernel> k = find(name);
    for (const int n : {1, 2, 31, 33, 63, 64, 65, 127, 129}) {
      set(*k, "n", n);
      EXPECT_EQ(k->complaint(answer<matrix>(*k)), "") << name << ' ' << n;
    }
  }
}

// Catches: a path over a vertex that comes late being missed; row and column mixed up.
TEST(Answers, FloydWarshallGoesAroundARing) {
  const std::unique_ptr<kernel> k = find("floyd-warshall");
  constexpr std::size_t n = 33;
  set(*k, "n", n);
  set(*k, "degree", 1);
  set(*k, "longest", 1);
  const auto lengths = answer<std::vector<std::int32_t>>(*k);
  ASSERT_EQ(lengths.size(), n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_EQ(lengths[i * n + j], static_cast<std::int32_t>((j + n - i) % n)) << i << ' ' << j;
    }
  }
}

// Catches: a vertex that cannot be reached being given a length.
TEST(Answers, FloydWarshallFindsNoPathWithoutEdges) {
  const std::unique_ptr<kernel> k = find("floyd-warshall");
  set(*k, "n", 5);
  set(*k, "degree", 0);
  const auto lengths = answer<std::vector<std::int32_t>>(*k);
  for (std::size_t i = 0; i < lengths.size(); ++i) EXPECT_EQ(lengths[i] == 0, i % 6 == 0) << i;
}

// Catches: a cell swapped twice, or not at all, at the sizes where halves are uneven.
TEST(Answers, TransposeTurnsAnOddAndAnEvenNumberOfTimes) {
  const std::unique_ptr<kernel> k = find("transpose");
  for (const std::uint32_t n : {1U, 2U, 3U, 65U}) {
    for (const int times : {1, 2}) {
      set(*k, "n", n);
      set(*k, "times", times);
      const auto cells = answer<std::vector<std::uint32_t>>(*k);
      ASSERT_EQ(cells.size(), std::size_t{n} * n);
      for (std::uint32_t i = 0; i < n; ++i) {
        for (std::uint32_t j = 0; j < n; ++j) EXPECT_EQ(cells[i * n + j], times == 1 ? j * n + i : i * n + j);
      }
    }
  }
}

// Catches: objects in the wrong group, empty clusters, and an end that is not noticed. Objects that are all
// in the middle of their groups stay with the first centers, which are the first objects.
TEST(Answers, KmeansFindsGroupsWithoutSpread) {
  const std::unique_ptr<kernel> k = find("kmeans");
  set(*k, "objects", 100);
  set(*k, "clusters", 7);
  set(*k, "spread", 0);
  prepare(*k);
  const std::any result = k->run(policy::parallel);
  EXPECT_EQ(k->complaint(result), "");
  EXPECT_EQ(k->describe(result), "100 objects in 7 clusters, settled after 2 rounds");
}

// Catches: a loop over the rounds that goes on after they are over.
TEST(Answers, KmeansEndsWithItsRounds) {
  const std::unique_ptr<kernel> k = find("kmeans");
  set(*k, "objects", 1000);
  set(*k, "rounds", 1);
  prepare(*k);
  const std::any result = k->run(policy::parallel);
  EXPECT_EQ(k->complaint(result), "");
  EXPECT_EQ(k->describe(result), "1000 objects in 5 clusters, still moving after 1 rounds");
}

TEST(Checks, NoticeAWrongNumber) {
  for (const char* name : {"fib", "nqueens", "knapsack"}) {
    const std::unique_ptr<kernel> k = find(name);
    k->parameters();
    set(*k, name == std::string_view("knapsack") ? "items" : "n", 8);
    EXPECT_NE(k->complaint(answer<std::int64_t>(*k) + 1), "") << name;
  }
  const std::unique_ptr<kernel> uts = find("uts");
  set(*uts, "expected", 0.5);
  EXPECT_NE(uts->complaint(answer<std::uint64_t>(*uts) - 1), "");
}

TEST(Checks, NoticeAWrongNorm) {
  const std::unique_ptr<kernel> k = find("mg");
  set(*k, "class", 0);
  EXPECT_NE(k->complaint(answer<double>(*k) * (1 + 1e-7)), "");
}

TEST(Checks, NoticeAWrongCell) {
  for (const char* name : {"matmul", "mm"}) {
    const std::unique_ptr<kernel> k = find(name);
    set(*k, "n", 40);
    auto product = answer<matrix>(*k);
    product.all().row(39)[39] += 1;
    EXPECT_NE(k->complaint(product), "") << name;
  }
}

template <class Cell>
void expect_complaint_about_one(const char* name, const char* size, double least, Cell change) {
  const std::unique_ptr<kernel> k = find(name);
  set(*k, size, least);
  const auto right = answer<std::vector<Cell>>(*k);
  for (const std::size_t i : {std::size_t{0}, right.size() / 2, right.size() - 1}) {
    auto wrong = right;
    wrong[i] += change;
    EXPECT_NE(k->complaint(wrong), "") << name << ' ' << i;
    EXPECT_FALSE(k->same(right, wrong)) << name << ' ' << i;
  }
}

TEST(Checks, NoticeOneWrongCellOfMany) {
  expect_complaint_about_one<double>("daxpy", "n", 100, 1);
  expect_complaint_about_one<double>("spmv", "nonzeros", 1000, 1e-9);
  expect_complaint_about_one<std::int32_t>("floyd-warshall", "n", 10, 1);
  expect_complaint_about_one<std::int32_t>("floyd-warshall", "n", 10, -1);
  expect_complaint_about_one<std::uint32_t>("transpose", "n", 10, 1);
  expect_complaint_about_one<double>("memcpy", "n", 100, 1);
  expect_complaint_about_one<double>("scan", "n", 100, 1);
}

TEST(Checks, NoticeOneWrongPixel) {
  const std::unique_ptr<kernel> k = find("blur");
  auto image = answer<picture>(*k);
  image.bytes.back() ^= 1;
  EXPECT_NE(k->complaint(image), "");
}

TEST(Checks, NoticeARowThatWasNotComputed) {
  const std::unique_ptr<kernel> k = find("mandelbrot");
  set(*k, "height", 20);
  auto image = answer<picture>(*k);
  std::fill_n(image.row(10), image.width * 3, std::uint8_t{123});
  EXPECT_NE(k->complaint(image), "");
}

}  // namespace
}  // namespace gallery
