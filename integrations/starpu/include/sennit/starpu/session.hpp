// SPDX-License-Identifier: Apache-2.0
// session: StarPU and its part for MPI, from their beginning to their end.
#pragma once

#include <sennit/starpu/detail/engine.hpp>

namespace sennit::starpu {

// Initializes StarPU with one worker, the fewest it allows, and pauses that worker, so that it takes no time from Sennit's; then
// StarPU-MPI, whose thread moves the values of graphs. StarPU's environment variables are the user's. A program that has
// tasks of its own for StarPU calls starpu_resume(), and may set STARPU_NCPU.
//
// Preconditions: MPI is in use (sennit::mpi::session), and stays so until the session ends; all ranks make one and end it; one
// at a time, and no graph runs when it ends. Throws mpi::error if this MPI does not allow calls from several threads at once;
// std::runtime_error if StarPU cannot begin.
// Cost: a thread, which looks for messages without pause while values are awaited.
class session {
 public:
  session() = default;
  session(const session&) = delete;
  session& operator=(const session&) = delete;

 private:
  detail::engine engine_;
};

}  // namespace sennit::starpu
