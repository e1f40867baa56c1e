// SPDX-License-Identifier: Apache-2.0
// Each rank waits for a message of the other one that nobody sends. The watchdog is to say so; then the program ends.
#include <sennit/join.hpp>
#include <sennit/mpi.hpp>

#include <chrono>
#include <span>
#include <thread>

int main(int argc, char** argv) {
  const sennit::mpi::session mpi(argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::thread end([] {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    MPI_Abort(MPI_COMM_WORLD, 3);
  });
  sennit::join(
      [&] {
        int value = 0;
        sennit::mpi::recv(std::span(&value, 1), 1 - rank, 5 + rank);
      },
      [] {});
  end.join();
}
