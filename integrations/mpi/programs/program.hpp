// SPDX-License-Identifier: Apache-2.0
// What the programs on ranks have in common: arguments, workers, and the result in a line.
#pragma once

#include "gallery/splitmix.hpp"

#include <CLI/CLI.hpp>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace programs {

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

// What a rank has of a result: `sum` adds up over the ranks, so that it does not depend on who has what.
struct outcome {
  std::uint64_t sum = 0;
  std::string complaint;  // what is wrong with it, on any rank; empty if nothing is
};

// A value that tells the bytes at this place of the result.
template <class T>
std::uint64_t digest(std::uint64_t place, std::span<const T> values) {
  std::uint64_t all = gallery::splitmix64(place);
  for (const T& value : values) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    all = gallery::splitmix64(all ^ bits);
  }
  return all;
}

class program {
 public:
  virtual ~program() = default;
  virtual void add_arguments(CLI::App& to) = 0;
  virtual void prepare() = 0;
  // The part that is timed, on all ranks at once.
  virtual void compute() = 0;
  virtual outcome check() = 0;
};

// Rank 0 prints, besides the time, what does not depend on the number of ranks.
int run(program& of, const std::string& name, const std::string& summary, int argc, char** argv);

}  // namespace programs
