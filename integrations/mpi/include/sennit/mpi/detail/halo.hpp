// SPDX-License-Identifier: Apache-2.0
// Which rows a rank has to have, and to compute, so that some steps of a sweep need no other rank.
#pragma once

#include <sennit/data_regions.hpp>
#include <sennit/effects.hpp>
#include <sennit/mpi/grid.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace sennit::mpi::detail {

inline range hull_of_both(range a, range b) noexcept {
  if (a.size() == 0) return b;
  if (b.size() == 0) return a;
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

// The least n in [0, most] for which holds(n), which holds for all numbers from there on; beyond `most`, if for none. Searches
// near `guess`, as what is looked for is there most of the time.
template <class Holds>
std::int64_t least_that_holds(std::int64_t guess, std::int64_t most, const Holds& holds) {
  std::int64_t low = -1;  // does not hold
  std::int64_t high = most + 1;
  for (std::int64_t at = std::clamp<std::int64_t>(guess, 0, most), step = 1; low + 1 < high; step *= 2) {
    if (holds(at)) {
      high = at;
      at = std::max(low + 1, high - step);
    } else {
      low = at;
      at = std::min(high - 1, low + step);
    }
    if (step > 4) at = low + (high - low) / 2;
    if (at <= low || at >= high) at = low + (high - low) / 2;
  }
  return high;
}

// The rows of a grid that the effects touch, as one range. `near`: where they may be. `touches`: whether some of those rows are
// touched.
template <class Touches>
range rows_touched(std::int64_t rows, range near, const Touches& touches) {
  if (rows == 0 || !touches(range{0, rows})) return {};
  // The first row is the last of the shortest beginning that is touched.
  const std::int64_t first =
      least_that_holds(near.first, rows - 1, [&](std::int64_t n) { return touches(range{0, n + 1}); });
  const std::int64_t beyond = least_that_holds(
      rows - near.last, rows - 1, [&](std::int64_t n) { return touches(range{rows - n - 1, rows}); });
  return {first, rows - beyond};
}

template <std::size_t Grids>
struct halo {
  std::vector<range> computed;      // by each step, in rows of the sweep
  std::array<range, Grids> needed;  // of each grid, before the first step
};

// Steps [first, last) of a sweep over `swept` rows, for a rank whose block is `own`: afterwards, its own rows are as they would
// be on one machine. Goes back from the last step: a step computes what the steps after it, or the end, need of the grids that
// it writes, and all that it touches there has to be right before it.
template <class EffectsOf, class... T>
halo<sizeof...(T)> halo_of(std::int64_t first, std::int64_t last, range swept, range own,
                           const EffectsOf& effects_of, const grid<T>&... grids) {
  halo<sizeof...(T)> found;
  found.computed.resize(static_cast<std::size_t>(last - first));
  found.needed.fill(own);
  for (std::int64_t s = last - 1; s >= first; --s) {
    range& computed = found.computed[static_cast<std::size_t>(s - first)];
    computed = own.within(swept);
    for (bool grows = own.size() != 0; grows;) {
      range grown = computed;
      const effects fx = effects_of(s, computed);
      const effects all = effects_of(s, swept);
      std::size_t i = 0;
      const auto cover = [&](const auto& g) {
        const range needed = found.needed[i++];
        // That interferes with who only reads, if it is written.
        const auto by = [&](const effects& e) {
          return rows_touched(g.rows(), computed,
                              [&](range some) { return e.interferes(effects(reads(g.region(some)))); });
        };
        const range wanted = needed.within(by(all));
        const range written = by(fx);
        if (wanted.size() == 0 || (written.first <= wanted.first && wanted.last <= written.last)) return;
        // Nothing tells where the rows are that write it.
        if (written.size() == 0) {
          grown = swept;
          return;
        }
        // From what is computed so far, and not from what another grid has added: several need the same rows.
        const range more{computed.first - std::max<std::int64_t>(0, written.first - wanted.first),
                         computed.last + std::max<std::int64_t>(0, wanted.last - written.last)};
        grown = hull_of_both(grown, more.within(swept));
      };
      (cover(grids), ...);
      grows = grown != computed;
      computed = grown;
    }
    if (computed.size() == 0) continue;
    const effects fx = effects_of(s, computed);
    std::size_t i = 0;
    const auto add = [&](const auto& g) {
      range& needed = found.needed[i++];
      needed = hull_of_both(needed, rows_touched(g.rows(), computed, [&](range some) {
                              return fx.overlaps(effects(reads(g.region(some))));
                            }));
    };
    (add(grids), ...);
  }
  return found;
}

}  // namespace sennit::mpi::detail
