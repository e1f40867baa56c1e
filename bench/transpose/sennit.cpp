// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "common/dac_loop.hpp"
#include "transpose/matrix.hpp"

#include <sennit/nest.hpp>
#include <sennit/space.hpp>

#include <cstdint>

using transpose::side;
using part = transpose::matrix::part;

template <typename Order>
static void in_order_of(const Order& order, const part& all) {
  sennit::parallel_for_nest(sennit::upper_triangle(all.n), [=](auto i, auto j) { all.cell(i, j); }, order);
}

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::sennit_runtime runtime(program);
  transpose::matrix matrix(program.size());
  const auto flip = [&](const part& all) {
    if (program.is("tiled")) return in_order_of(sennit::tiled(side), all);
    if (program.is("morton")) return in_order_of(sennit::morton, all);
    if (program.is("dac-loop")) return bench::dac_loop(1, side, all)(all.n, all.n);
    if (program.is("dac-loop-tiled")) return bench::dac_loop(side, side, all)(all.n, all.n);
    program.knows("row");
    in_order_of(sennit::row, all);
  };
  return program.run([&](std::uint64_t) { runtime.run([&] { matrix.flip(flip); }); },
                     [&](std::uint64_t) { return matrix.check(); });
}
