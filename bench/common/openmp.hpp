// SPDX-License-Identifier: Apache-2.0
// What all of OpenMP's benchmark programs share: one thread of a team starts the
// recursion, the others take tasks.
#pragma once

#include "common/program.hpp"

#include <omp.h>

#include <string>

namespace bench {

inline std::string openmp_version() { return "OpenMP " + std::to_string(_OPENMP); }

template <typename F>
auto openmp_team(const program& program, F&& f) {
  decltype(f()) result{};
#pragma omp parallel num_threads(program.workers()) shared(result)
#pragma omp single
  result = f();
  return result;
}

}  // namespace bench
