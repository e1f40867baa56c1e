// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "blur/image.hpp"
#include "common/dac_loop.hpp"

#include <sennit/nest.hpp>

#include <cstdint>

using blur::side;

template <typename Order>
static void in_order_of(const Order& order, const blur::image::part& pixels) {
  sennit::parallel_for_nest({pixels.n, pixels.n}, [=](auto y, auto x) { pixels.pixel(y, x); }, order);
}

static void run(const bench::program& program, const blur::image::part& pixels) {
  if (program.is("tiled")) return in_order_of(sennit::tiled(side), pixels);
  if (program.is("morton")) return in_order_of(sennit::morton, pixels);
  if (program.is("dac-loop")) return bench::dac_loop(1, side, pixels)(pixels.n, pixels.n);
  if (program.is("dac-loop-tiled")) return bench::dac_loop(side, side, pixels)(pixels.n, pixels.n);
  program.knows("row");
  in_order_of(sennit::row, pixels);
}

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::sennit_runtime runtime(program);
  blur::image image(program.size());
  return program.run([&](std::uint64_t size) { runtime.run([&] { run(program, image.pixels(size)); }); },
                     [&](std::uint64_t size) { return image.check(size); });
}
