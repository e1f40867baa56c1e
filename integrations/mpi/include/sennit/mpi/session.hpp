// SPDX-License-Identifier: Apache-2.0
// session: MPI, from its beginning to its end.
#pragma once

#include <sennit/mpi/detail/clocks.hpp>
#include <sennit/mpi/error.hpp>

#include <mpi.h>

#include <string>

namespace sennit::mpi {

// Initializes MPI so that strands can call it, and finalizes it. A program that calls MPI_Init_thread and MPI_Finalize itself
// needs none. Errors on MPI_COMM_WORLD, MPI_COMM_SELF and communicators made of them are exceptions from then on.
//
// Preconditions: one session in a program, made and ended by the same thread, and no strand waits when it ends.
// Throws mpi::error if this MPI allows one thread only. Cost: that of MPI_Init_thread and of a
// collective; in a traced program also that of some messages between rank 0 and each other rank, which compare their clocks.
class session {
 public:
  session() : session(nullptr, nullptr) {}
  session(int& argc, char**& argv) : session(&argc, &argv) {}
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Finalize();
  }

 private:
  session(int* argc, char*** argv) {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized != 0)
      throw error(
          "sennit::mpi: MPI is initialized already; a session is for programs that do not do that themselves",
          MPI_ERR_OTHER);
    int level = MPI_THREAD_SINGLE;
    const int code = MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    if (code != MPI_SUCCESS) throw error("sennit::mpi: MPI_Init_thread: " + detail::text_of(code), code);
    if (level < MPI_THREAD_SERIALIZED) {
      MPI_Finalize();
      throw error("sennit::mpi: this MPI allows one thread only, and strands call it from any; it was built "
                  "without support for "
                  "MPI_THREAD_SERIALIZED",
                  MPI_ERR_OTHER);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    detail::trace_own_rank(MPI_COMM_WORLD);
  }
};

}  // namespace sennit::mpi
