// SPDX-License-Identifier: Apache-2.0
// This machine's largest cache, as hwloc knows it.
#pragma once

#include "gallery/cache_model.hpp"

#include <cstddef>
#include <optional>

#if defined(SENNIT_BENCH_HWLOC)
#include <hwloc.h>
#endif

namespace bench {

// Nothing, where hwloc or the machine does not say.
inline std::optional<gallery::cache_shape> last_level_cache() {
  std::optional<gallery::cache_shape> found;
#if defined(SENNIT_BENCH_HWLOC)
  hwloc_topology_t machine = nullptr;
  if (hwloc_topology_init(&machine) != 0) return found;
  if (hwloc_topology_load(machine) == 0) {
    for (const hwloc_obj_type_t level :
         {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE}) {
      const hwloc_obj_t cache = hwloc_get_obj_by_type(machine, level, 0);
      if (cache == nullptr || cache->attr->cache.size == 0) continue;
      const auto& known = cache->attr->cache;
      found.emplace().bytes = static_cast<std::size_t>(known.size);
      // Zero where it is not known, and -1 where a line may be anywhere.
      if (known.associativity > 0) found->ways = static_cast<std::size_t>(known.associativity);
      if (known.linesize > 0) found->line = known.linesize;
      break;
    }
  }
  hwloc_topology_destroy(machine);
#endif
  return found;
}

}  // namespace bench
