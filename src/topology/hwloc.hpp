// SPDX-License-Identifier: Apache-2.0
// hwloc's description of a machine. A query takes milliseconds and a few MiB, so it is made only if its
// answer is needed.
#pragma once

#include "policy/splicing.hpp"
#include "topology/machine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sennit::topology {

// The version with which the library was built, such as "2.9.0". Empty if the library was built without
// hwloc; the functions below then return nothing.
std::string hwloc_version();

struct hwloc_answer {
  std::vector<processor> processors;
  bool real;  // false if hwloc was told to describe another machine (HWLOC_XMLFILE and the like)
};

// This machine, restricted to these CPUs; nothing if hwloc cannot describe it.
std::optional<hwloc_answer> processors_by_hwloc(const std::vector<unsigned>& cpus);

struct synthetic_answer {
  std::vector<processor> processors;
  // The last level is the outermost cache that is described. 0: no cache of this level, or one whose size the description
  // leaves out. Nothing if it gives no size at all.
  std::optional<policy::cache_sizes> caches;
};

// The machine of a synthetic description; nothing if the description is wrong.
std::optional<synthetic_answer> machine_of_synthetic(const std::string& description);

}  // namespace sennit::topology
