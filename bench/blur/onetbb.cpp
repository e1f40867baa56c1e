// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb.hpp"

#include "blur/image.hpp"

#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <cstddef>
#include <cstdint>

using range = tbb::blocked_range2d<std::ptrdiff_t>;

static void run(const bench::program& program, const blur::image::part& pixels) {
  const auto body = [&](const range& r) {
    pixels(r.rows().begin(), r.rows().end(), r.cols().begin(), r.cols().end());
  };
  // Its own halves of the longer side, down to tiles.
  if (program.is("morton"))
    tbb::parallel_for(range(0, pixels.n, blur::side, 0, pixels.n, blur::side), body,
                      tbb::simple_partitioner());
  else
    tbb::parallel_for(range(0, pixels.n, 0, pixels.n), body);
}

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::onetbb_version());
  bench::onetbb tbb(program);
  blur::image image(program.size());
  return program.run([&](std::uint64_t size) { tbb.run([&] { run(program, image.pixels(size)); }); },
                     [&](std::uint64_t size) { return image.check(size); });
}
