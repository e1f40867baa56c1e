// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "common/dac_loop.hpp"
#include "mm/matrices.hpp"

#include <sennit/join.hpp>
#include <sennit/nest.hpp>
#include <sennit/space.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

using mm::side;
using part = mm::matrices::part;

template <typename Order>
static void in_order_of(const Order& order, const part& product, std::ptrdiff_t n) {
  sennit::parallel_for_nest(
      {n, n, sennit::in_order(n)},
      [=](const sennit::tile<3>& t) {
        product(t.begin(0), t.end(0), t.begin(1), t.end(1), t.begin(2), t.end(2));
      },
      order);
}

// `mm-dac-loop` and `mm-dac-loop-tiled` of Govedič, 2023, §5.2.
static void dac_loop(std::ptrdiff_t outer, const part& product, std::ptrdiff_t n) {
  const auto body = [&](std::ptrdiff_t i, std::ptrdiff_t i_to, std::ptrdiff_t j, std::ptrdiff_t j_to) {
    product(i, i_to, j, j_to, 0, n);
  };
  bench::dac_loop(outer, side, body)(n, n);
}

// `mm-dac-full` of Govedič, 2023, §5.3.1, as one writes it with joins: the order of `best`.
static void dac_full(const part& product, std::ptrdiff_t i, std::ptrdiff_t i_to, std::ptrdiff_t j,
                     std::ptrdiff_t j_to, std::ptrdiff_t k, std::ptrdiff_t k_to) {
  const std::ptrdiff_t largest = std::max({i_to - i, j_to - j, k_to - k});
  if (largest <= side) return product(i, i_to, j, j_to, k, k_to);
  if (i_to - i == largest) {
    const std::ptrdiff_t m = i + largest / 2;
    sennit::join([=, &product] { dac_full(product, i, m, j, j_to, k, k_to); },
                 [=, &product] { dac_full(product, m, i_to, j, j_to, k, k_to); });
  } else if (j_to - j == largest) {
    const std::ptrdiff_t m = j + largest / 2;
    sennit::join([=, &product] { dac_full(product, i, i_to, j, m, k, k_to); },
                 [=, &product] { dac_full(product, i, i_to, m, j_to, k, k_to); });
  } else {
    const std::ptrdiff_t m = k + largest / 2;
    dac_full(product, i, i_to, j, j_to, k, m);
    dac_full(product, i, i_to, j, j_to, m, k_to);
  }
}

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::sennit_runtime runtime(program);
  mm::matrices matrices(program.size());
  const auto multiply = [&](const part& product, std::ptrdiff_t n) {
    if (program.is("tiled")) return in_order_of(sennit::tiled(side, side, n), product, n);
    if (program.is("morton")) return in_order_of(sennit::morton(side, side, n), product, n);
    if (program.is("best")) return in_order_of(sennit::morton, product, n);
    if (program.is("dac-loop")) return dac_loop(1, product, n);
    if (program.is("dac-loop-tiled")) return dac_loop(side, product, n);
    if (program.is("dac-full")) return dac_full(product, 0, n, 0, n, 0, n);
    program.knows("row");
    in_order_of(sennit::row, product, n);
  };
  return program.run([&](std::uint64_t size) { runtime.run([&] { matrices.multiply(size, multiply); }); },
                     [&](std::uint64_t size) { return matrices.check(size); });
}
