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
    EXPECT_EQ(answer<std::int64_t>(*k), right[n]) << n;
  }
}

// Nodes of the default tree, counted by a loop with a stack of its own.
TEST(Answers, UtsDefaultTree) {
  const std::unique_ptr<kernel> k = find("uts");
  EXPECT_EQ(answer<std::uint64_t>(*k), 4792385U);
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
  for (const char* name : {"matmul", "strassen"}) {
    const std::unique_ptr<kernel> k = find(name);
    for (const int n : {1, 2, 31, 33, 63, 64, 65, 127, 129}) {
      set(*k, "n", n);
      EXPECT_EQ(k->complaint(answer<matrix>(*k)), "") << name << ' ' << n;
    }
  }
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

TEST(Checks, NoticeAWrongCell) {
  const std::unique_ptr<kernel> k = find("matmul");
  set(*k, "n", 40);
  auto product = answer<matrix>(*k);
  product.all().row(39)[39] += 1;
  EXPECT_NE(k->complaint(product), "");
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
