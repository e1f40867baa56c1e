// SPDX-License-Identifier: Apache-2.0
#include <sennit/mpi.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace {

// Catches: sizes that are cut to an int. 2.5 GiB of numbers on each of two ranks, which others watch.
TEST(Large, AMessageOfMoreThanTwoGigabytes) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr std::size_t size = (std::size_t{5} << 29) / sizeof(unsigned) + 3;
  if (ranks == 1 || rank > 1) return;
  std::vector<unsigned> values(size);
  if (rank == 0) {
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<unsigned>(i);
    sennit::mpi::send(values, 1, 0);
  } else {
    const MPI_Status status = sennit::mpi::recv(values, 0, 0);
    EXPECT_EQ(sennit::mpi::size_of(status), size * sizeof(unsigned));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < size; ++i) wrong += values[i] != static_cast<unsigned>(i);
    EXPECT_EQ(wrong, 0U);
  }
}

}  // namespace
