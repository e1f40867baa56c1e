// SPDX-License-Identifier: Apache-2.0
// Each rank runs all tests; the test fails if one of them does.
#include <sennit/mpi.hpp>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const sennit::mpi::session mpi(argc, argv);
  const int failed = RUN_ALL_TESTS();
  return sennit::mpi::allreduce(failed, MPI_MAX);
}
