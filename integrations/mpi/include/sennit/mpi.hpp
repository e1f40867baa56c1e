// Strands that wait for MPI.
#pragma once

#include <sennit/mpi/collectives.hpp>
#include <sennit/mpi/error.hpp>
#include <sennit/mpi/messages.hpp>
#include <sennit/mpi/session.hpp>
#include <sennit/mpi/wait.hpp>
