// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb.hpp"

#include "mm/matrices.hpp"

#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <cstddef>
#include <cstdint>

using range = tbb::blocked_range2d<std::ptrdiff_t>;
using part = mm::matrices::part;

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::onetbb_version());
  bench::onetbb tbb(program);
  mm::matrices matrices(program.size());
  const auto multiply = [&](const part& product, std::ptrdiff_t n) {
    const auto body = [&](const range& r) {
      product(r.rows().begin(), r.rows().end(), r.cols().begin(), r.cols().end(), 0, n);
    };
    // Its own halves of the longer side, down to tiles.
    if (program.is("morton"))
      tbb::parallel_for(range(0, n, mm::side, 0, n, mm::side), body, tbb::simple_partitioner());
    else
      tbb::parallel_for(range(0, n, 0, n), body);
  };
  return program.run([&](std::uint64_t size) { tbb.run([&] { matrices.multiply(size, multiply); }); },
                     [&](std::uint64_t size) { return matrices.check(size); });
}
