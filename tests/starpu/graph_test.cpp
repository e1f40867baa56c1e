// SPDX-License-Identifier: Apache-2.0
#include "../mpi/ranks.hpp"

#include <sennit/mpi.hpp>
#include <sennit/runtime.hpp>
#include <sennit/starpu.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace mpi = sennit::mpi;
using cell = std::array<int, 2>;

std::vector<cell> before(cell c) {
  std::vector<cell> all;
  if (c[0] > 0) all.push_back({c[0] - 1, c[1]});
  if (c[1] > 0) all.push_back({c[0], c[1] - 1});
  return all;
}
constexpr int side = 12;

// The ways to a cell, in a vector whose length differs from cell to cell. The cell that fails sees values of others.
long ways_through_grid(cell failing) {
  std::atomic<long> last{0};
  sennit::starpu::run(MPI_COMM_WORLD, std::vector<cell>{{side - 1, side - 1}, {0, 1}},
                      mpi::nodes{.predecessors = before,
                                 .compute = [&](cell c, auto& node) -> std::vector<long> {
                                   if (c == failing) throw std::runtime_error("refused");
                                   long sum = c == cell{0, 0} ? 1 : 0;
                                   for (const cell& p : node.predecessors()) {
                                     EXPECT_EQ(node.value(p).size(),
                                               static_cast<std::size_t>(p[0] * p[1]) + 1);
                                     sum += node.value(p).back();
                                   }
                                   if (c == cell{side - 1, side - 1}) last = sum;
                                   return std::vector<long>(static_cast<std::size_t>(c[0] * c[1]) + 1, sum);
                                 },
                                 .color = [](cell c) { return (c[0] / 2 + c[1]) % ranks(); }});
  return mpi::allreduce(last.load(), MPI_MAX);
}

// Catches: values that are lost, mixed up between nodes or runs, or cut to another length; a failure after which values stay
// under way, so that a rank hangs or the next run gets values of this one.
TEST(StarPU, GraphsBeforeAndAfterAFailure) {
  sennit::runtime runtime(2);
  runtime.run([] {
    constexpr long ways = 705432;  // 22 over 11
    for (int i = 0; i < 3; ++i) EXPECT_EQ(ways_through_grid({-1, -1}), ways);
    for (const cell failing : {cell{0, 0}, cell{5, 6}, cell{side - 1, side - 1}}) {
      std::string told;
      int rank_that_failed = -1;
      try {
        ways_through_grid(failing);
      } catch (const mpi::graph_error& e) {
        told = e.what();
        rank_that_failed = e.rank();
      }
      EXPECT_NE(told.find("refused"), std::string::npos) << told;
      EXPECT_EQ(rank_that_failed, (failing[0] / 2 + failing[1]) % ranks());
      EXPECT_EQ(ways_through_grid({-1, -1}), ways);
    }
  });
}

// Catches: ranks of a communicator that are taken for those of another one, and runs beside each other that share tags.
TEST(StarPU, RunsBesideEachOtherOnCommunicatorsOfTheirOwn) {
  MPI_Comm turned = MPI_COMM_NULL;
  MPI_Comm same = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank(), &turned);
  MPI_Comm_dup(MPI_COMM_WORLD, &same);
  sennit::runtime runtime(2);
  runtime.run([&] {
    const auto sum_on = [](MPI_Comm comm, int factor) {
      std::atomic<int> sum{0};
      sennit::starpu::run(
          comm, std::vector<int>{40, 0},
          mpi::nodes{
              .predecessors = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; },
              .compute = [&](int k, auto& node) -> int {
                const int made = k == 0 ? factor : node.value(k - 1) + factor;
                if (k == 40) sum = made;
                return made;
              },
              .color = [](int k) { return k % ranks(); }});
      return mpi::allreduce(sum.load(), MPI_MAX, comm);
    };
    const auto [a, b] = sennit::join([&] { return sum_on(turned, 1); }, [&] { return sum_on(same, 1000); });
    EXPECT_EQ(a, 41);
    EXPECT_EQ(b, 41000);
  });
  MPI_Comm_free(&turned);
  MPI_Comm_free(&same);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const mpi::session mpi(argc, argv);
  const sennit::starpu::session starpu;
  const int failed = RUN_ALL_TESTS();
  return mpi::allreduce(failed, MPI_MAX);
}
