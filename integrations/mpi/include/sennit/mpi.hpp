// SPDX-License-Identifier: Apache-2.0
// Strands that wait for MPI, and graphs and sweeps of several ranks.
#pragma once

#include <sennit/mpi/collectives.hpp>
#include <sennit/mpi/error.hpp>
#include <sennit/mpi/graph.hpp>
#include <sennit/mpi/graph_error.hpp>
#include <sennit/mpi/grid.hpp>
#include <sennit/mpi/messages.hpp>
#include <sennit/mpi/session.hpp>
#include <sennit/mpi/sweep.hpp>
#include <sennit/mpi/sweep_error.hpp>
#include <sennit/mpi/wait.hpp>
