// SPDX-License-Identifier: Apache-2.0
// A program that initializes MPI itself: levels serialized|funneled. Ends with "as expected".
#include <sennit/join.hpp>
#include <sennit/mpi.hpp>
#include <sennit/parallel_reduce.hpp>
#include <sennit/runtime.hpp>

#include <cstdio>
#include <span>
#include <string_view>

namespace {

int before_mpi_is_in_use() {
  try {
    sennit::mpi::barrier();
  } catch (const sennit::mpi::error& e) {
    return std::string_view(e.what()).find("session") == std::string_view::npos;
  }
  return 1;
}

// Many strands of four workers, none of which may call MPI beside another one.
int serialized(int rank, int ranks) {
  sennit::runtime four(4);
  int wrong = 0;
  four.run([&] {
    wrong = sennit::parallel_reduce(0, 200, 0, [&](int tag) {
      int token = tag * 10 + rank;
      int received = 0;
      const int before = (rank + ranks - 1) % ranks;
      sennit::mpi::sendrecv(std::span(&token, 1), (rank + 1) % ranks, tag, std::span(&received, 1), before,
                            tag);
      return received == tag * 10 + before ? 0 : 1;
    });
    int own = 0;
    sennit::mpi::exclusive([&] { MPI_Comm_rank(MPI_COMM_WORLD, &own); });
    if (own != rank) ++wrong;
  });
  return wrong;
}

int funneled() {
  try {
    sennit::mpi::barrier();
  } catch (const sennit::mpi::error& e) {
    return std::string_view(e.what()).find("MPI_THREAD_SERIALIZED") == std::string_view::npos;
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool one_thread = argc > 1 && std::string_view(argv[1]) == "funneled";
  int wrong = before_mpi_is_in_use();
  int level = 0;
  MPI_Init_thread(&argc, &argv, one_thread ? MPI_THREAD_FUNNELED : MPI_THREAD_SERIALIZED, &level);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // An MPI may allow more than it was asked for.
  wrong += one_thread && level < MPI_THREAD_SERIALIZED ? funneled() : serialized(rank, ranks);
  MPI_Finalize();
  if (wrong != 0) return 1;
  std::puts("as expected");
  return 0;
}
