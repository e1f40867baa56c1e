// SPDX-License-Identifier: Apache-2.0
// A kernel's sweep as a function that declares its effects, and as a declared tree.
#pragma once

#include "gallery/sweeps.hpp"

#include <sennit/splice.hpp>

#include <cstdint>

namespace splice {

template <class Kernel>
void sweep_rows(Kernel& kernel, std::int64_t s, gallery::range rows, std::int64_t block) {
  const sennit::call_effects fx{kernel.effects_of(s, rows)};
  if (rows.size() <= block) {
    sennit::step(fx, [&] { kernel.sweep(s, {rows, kernel.whole().columns}); });
  } else {
    sennit::sequence(sennit::call(sweep_rows<Kernel>, kernel, s, rows.left(), block),
                     sennit::call(sweep_rows<Kernel>, kernel, s, rows.right(), block));
  }
}

template <class Kernel>
auto tree_of(Kernel& kernel, std::int64_t s, std::int64_t block) {
  return sennit::divided{
      kernel.whole().rows, block, [&kernel, s](gallery::range rows) { return kernel.effects_of(s, rows); },
      [&kernel, s](gallery::range rows) { kernel.sweep(s, {rows, kernel.whole().columns}); }};
}

}  // namespace splice
