// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb.hpp"

#include "transpose/matrix.hpp"

#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <cstddef>
#include <cstdint>

using range = tbb::blocked_range2d<std::ptrdiff_t>;
using part = transpose::matrix::part;

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::onetbb_version());
  bench::onetbb tbb(program);
  transpose::matrix matrix(program.size());
  const auto flip = [&](const part& all) {
    const auto body = [&](const range& r) {
      all(r.rows().begin(), r.rows().end(), r.cols().begin(), r.cols().end());
    };
    // Its own halves of the longer side, down to tiles.
    if (program.is("morton"))
      tbb::parallel_for(range(0, all.n, transpose::side, 0, all.n, transpose::side), body,
                        tbb::simple_partitioner());
    else
      tbb::parallel_for(range(0, all.n, 0, all.n), body);
  };
  return program.run([&](std::uint64_t) { tbb.run([&] { matrix.flip(flip); }); },
                     [&](std::uint64_t) { return matrix.check(); });
}
