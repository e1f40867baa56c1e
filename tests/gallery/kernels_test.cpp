// SPDX-License-Identifier: Apache-2.0
// Every kernel gives the serial elision's result on the runtime, whatever the number of workers.
// A kernel fails here that lets branches touch the same data, or depends on their order.
#include "tests/gallery/support.hpp"

#include <sennit/runtime.hpp>
#include <sennit/serial.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace gallery {
namespace {

// Large enough that thieves get work, small enough for a sanitizer.
std::unique_ptr<kernel> small(std::string_view name) {
  std::unique_ptr<kernel> k = find(name);
  if (name == "fib") set(*k, "n", 20);
  if (name == "nqueens") set(*k, "n", 8);
  if (name == "knapsack") set(*k, "items", 18);
  if (name == "uts") set(*k, "expected", 0.95);
  if (name == "mergesort" || name == "quicksort") set(*k, "copies", 10);
  if (name == "mandelbrot") {
    set(*k, "width", 90);
    set(*k, "height", 60);
  }
  if (name == "heat" || name == "srad") set(*k, "steps", 3);
  if (name == "life") {
    set(*k, "n", 70);
    set(*k, "steps", 9);
    set(*k, "block", 4);
  }
  if (name == "sw" || name == "swn2") {
    set(*k, "n", 150);
    set(*k, "block", 20);
  }
  if (name == "pagerank") {
    set(*k, "scale", 9);
    set(*k, "block", 40);
  }
  if (name == "cholesky") {
    set(*k, "n", 150);
    set(*k, "tile", 20);
  }
  if (name == "blur") set(*k, "radius", 2);
  // Several tiles in each direction.
  if (name == "mm" || name == "transpose" || name == "mandelbrot") set(*k, "tile", 20);
  if (name == "daxpy") {
    set(*k, "n", 10000);
    set(*k, "times", 5);
  }
  if (name == "kmeans") set(*k, "objects", 2000);
  if (name == "spmv") {
    set(*k, "nonzeros", 20000);
    set(*k, "times", 2);
  }
  if (name == "fdtd-2d") {
    set(*k, "n", 60);
    set(*k, "steps", 5);
  }
  // What is spliced: several blocks, and more of them than sweeps.
  if (name == "jacobi-1d" || name == "apop" || name == "copy" || name == "wave-1d") {
    set(*k, "n", 20000);
    set(*k, "block", 300);
  }
  if (name == "jacobi-2d" || name == "seidel-2d" || name == "convolution-2d" || name == "gray-scott") {
    set(*k, "n", 90);
    set(*k, "block", 3);
  }
  if (name == "jacobi-3d" || name == "stencil-27") set(*k, "n", 30);
  if (name == "mvt" || name == "bicg") set(*k, "n", 200);
  if (name == "cg" || name == "mg") set(*k, "class", 0);
  if (name == "memcpy" || name == "scan") {
    set(*k, "n", 10000);
    set(*k, "times", 2);
    set(*k, "block", 100);
  }
  if (name == "floyd-warshall") set(*k, "n", 60);
  if (name == "transpose") {
    set(*k, "n", 150);
    set(*k, "times", 3);
  }
  if (name == "mm") set(*k, "n", 80);
  if (name == "matmul") set(*k, "n", 150);
  if (name == "strassen") set(*k, "n", 150);
  prepare(*k);
  return k;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& k : kernels()) all.emplace_back(k->about().name);
  return all;
}

double number(const parameter& p) {
  if (const auto* const whole = std::get_if<std::int64_t*>(&p.value)) return static_cast<double>(**whole);
  return *std::get<double*>(p.value);
}

// As GoogleTest allows in a name.
std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class Kernel : public testing::TestWithParam<std::string> {};

TEST_P(Kernel, GivesTheElisionsResultOnTheRuntime) {
  const std::unique_ptr<kernel> k = small(GetParam());
  const std::any serial = k->run(policy::serial);
  EXPECT_EQ(k->complaint(serial), "");
  for (const unsigned workers : {1u, 2u, 4u}) {
    sennit::runtime runtime({.workers = workers});
    const std::any parallel = runtime.run([&] { return k->run(policy::parallel); });
    EXPECT_TRUE(k->same(serial, parallel)) << workers << " workers";
    EXPECT_EQ(k->complaint(parallel), "") << workers << " workers";
  }
}

// Catches: a variant that does something else, or is not told apart from another.
TEST_P(Kernel, GivesTheSameResultInEachVariant) {
  const std::unique_ptr<kernel> k = small(GetParam());
  const std::any first = k->run(policy::serial);
  for (const parameter& p : k->parameters()) {
    if (p.name != "variant") continue;
    std::set<std::uint64_t> forks;
    for (std::size_t i = 0; i < p.words.size(); ++i) {
      set(*k, p.name, static_cast<double>(i));
      const std::any result = k->run(policy::parallel);
      EXPECT_TRUE(k->same(first, result)) << p.words[i];
      EXPECT_EQ(k->complaint(result), "") << p.words[i];
      sennit::counted_serial::reset();
      k->run(policy::counted);
      forks.insert(sennit::counted_serial::forks());
    }
    EXPECT_EQ(forks.size(), p.words.size());
  }
}

// Catches: a color that is not what it seems, a graph that cannot do without.
TEST_P(Kernel, GivesTheSameResultInAllColors) {
  const std::unique_ptr<kernel> k = small(GetParam());
  const std::any first = k->run(policy::serial);
  sennit::runtime runtime({.workers = 3});
  for (const parameter& p : k->parameters()) {
    if (p.name == "variant" && p.words.back() == "graph")
      set(*k, p.name, static_cast<double>(p.words.size() - 1));
    if (p.name != "colors") continue;
    for (std::size_t i = 0; i < p.words.size(); ++i) {
      set(*k, p.name, static_cast<double>(i));
      EXPECT_TRUE(k->same(first, runtime.run([&] { return k->run(policy::parallel); }))) << p.words[i];
    }
  }
}

TEST_P(Kernel, ForksAndCountsItsForks) {
  const std::unique_ptr<kernel> k = small(GetParam());
  sennit::counted_serial::reset();
  const std::any counted = k->run(policy::counted);
  EXPECT_GT(sennit::counted_serial::forks(), 0U);
  EXPECT_TRUE(k->same(counted, k->run(policy::serial)));
}

TEST_P(Kernel, CanBePreparedTwice) {
  const std::unique_ptr<kernel> k = small(GetParam());
  prepare(*k);
  EXPECT_EQ(k->complaint(k->run(policy::serial)), "");
}

TEST_P(Kernel, RunsAtItsLeastParameters) {
  const std::unique_ptr<kernel> k = find(GetParam());
  for (const parameter& p : k->parameters()) set(*k, p.name, p.least);
  prepare(*k);
  const std::any result = k->run(policy::parallel);
  EXPECT_EQ(k->complaint(result), "");
  EXPECT_NE(k->describe(result), "");
}

TEST_P(Kernel, StaysWithinItsBoundsInTheDemo) {
  const std::unique_ptr<kernel> k = find(GetParam());
  const auto in_bounds = [&] {
    for (const parameter& p : k->parameters()) {
      if (const auto* const word = std::get_if<std::string*>(&p.value)) {
        EXPECT_THAT(p.words, testing::Contains(**word)) << p.name;
      } else {
        const double value = number(p);
        EXPECT_THAT(value, testing::AllOf(testing::Ge(p.least), testing::Le(p.most))) << p.name;
      }
    }
  };
  in_bounds();
  k->choose_demo();
  in_bounds();
}

INSTANTIATE_TEST_SUITE_P(Gallery, Kernel, testing::ValuesIn(names()),
                         [](const auto& name) { return with_underscores(name.param); });

TEST(Kernels, HaveNamesOfTheirOwn) {
  const std::vector<std::string> all = names();
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
}

TEST(Kernels, OnTheDefaultRuntimeNeedNoRuntimeOfTheirOwn) {
  const std::unique_ptr<kernel> k = small("mergesort");
  EXPECT_TRUE(k->same(k->run(policy::serial), k->run(policy::parallel)));
}

}  // namespace
}  // namespace gallery
