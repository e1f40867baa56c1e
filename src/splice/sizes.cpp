// SPDX-License-Identifier: Apache-2.0
// Sizes of blocks, tiles and groups, for the caches of this machine and the workers of this runtime.
#include "policy/splicing.hpp"
#include "splice/caches.hpp"

#include <sennit/detail/splice/made_trees.hpp>
#include <sennit/worker.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace sennit::detail {

bool step_fits(std::uint64_t bytes, std::uint64_t together) {
  return policy::step_fits(bytes, together, worker_count(), caches_here());
}

std::array<std::uint64_t, 3> shifted_step_bytes() { return policy::shifted_step_bytes(caches_here()); }

bool data_fits(std::uint64_t bytes) { return worker_count() == 1 && policy::data_fits(bytes, caches_here()); }

bool shift_fits(std::uint64_t bytes) { return policy::shift_fits(bytes, caches_here()); }

std::uint32_t trees_that_fit(std::uint64_t bytes_apart, std::uint32_t most) {
  const policy::cache_sizes caches = caches_here();
  return policy::trees_that_fit(bytes_apart, most, caches);
}

tile_shape shape_of_tile(std::int64_t cells, std::int64_t columns) noexcept {
  const policy::tile_shape s = policy::shape_of_tile(cells, columns);
  return {s.rows, s.columns};
}

tile_choice choose_tiles(const tiled_sweeps& s) {
  const policy::cache_sizes caches = caches_here();
  // Trees are shifted over an eighth of the rectangle at most.
  const auto room = [](range r, double each) {
    return each > 0 ? static_cast<double>(r.size() / 8) / each + 1 : 1e9;
  };
  const double most =
      std::min({room(s.all.rows, s.down), room(s.all.columns, s.across), static_cast<double>(s.together)});
  const auto cells = static_cast<double>(std::max<std::int64_t>(s.all.size(), 1));
  const policy::tile_choice c = policy::choose_tiles(
      {s.all.rows.size(), s.all.columns.size(), std::max(static_cast<double>(s.bytes), 1.0) / cells, s.down,
       s.across, s.all_together ? s.together : std::max(static_cast<std::uint32_t>(most), 1U),
       s.all_together},
      worker_count(), caches);
  return {c.together, c.cells};
}

bool step_is_short(double ns) noexcept { return policy::step_is_short(ns, 10); }

}  // namespace sennit::detail
