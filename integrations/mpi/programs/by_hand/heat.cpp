// SPDX-License-Identifier: Apache-2.0
// heat by hand, on MPI and OpenMP: rows are exchanged before each step, while the rows that need no others are done.
#include "integrations/mpi/programs/heat.hpp"

#include <omp.h>

namespace {

class heat_by_hand : public programs::heat {
  void compute() override {
    const std::int64_t first = blocks_->mine().first;
    const std::int64_t last = blocks_->mine().last;
    if (first == last) return;
    const int up = first == 0 ? MPI_PROC_NULL : programs::rank() - 1;
    const int down = last == rows_ ? MPI_PROC_NULL : programs::rank() + 1;
    const int width = static_cast<int>(width_);
#pragma omp parallel
    for (std::int64_t step = 0; step < steps_; ++step) {
      auto& from = *plate_[step % 2];
#pragma omp master
      {
        MPI_Request requests[4];
        MPI_Irecv(from.row(std::max<std::int64_t>(0, first - 1)), width, MPI_FLOAT, up, 0, MPI_COMM_WORLD,
                  &requests[0]);
        MPI_Irecv(from.row(last), width, MPI_FLOAT, down, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(from.row(first), width, MPI_FLOAT, up, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(from.row(last - 1), width, MPI_FLOAT, down, 0, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        diffuse_row(step, first);
        if (last - 1 != first) diffuse_row(step, last - 1);
      }
#pragma omp for schedule(dynamic, 16)
      for (std::int64_t i = first + 1; i < last - 1; ++i) diffuse_row(step, i);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  heat_by_hand h;
  return programs::run(h, "heat_by_hand", "Heat spreads in a plate, by hand", argc, argv);
}
