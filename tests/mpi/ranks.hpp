// SPDX-License-Identifier: Apache-2.0
// This rank, and how many there are.
#pragma once

#include <mpi.h>

inline int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}

inline int ranks() {
  int n = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}
