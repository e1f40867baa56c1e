// What hwloc tells of a machine. It takes milliseconds and a few MiB to ask it:
// only where the answer is needed.
#pragma once

#include "topology/machine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sennit::topology {

// The one the library was built with, such as "2.9.0"; empty if it was built without.
// Then the functions below have no answer.
std::string hwloc_version();

struct hwloc_answer {
  std::vector<processor> processors;
  bool real;  // false if hwloc was told to describe another machine (HWLOC_XMLFILE and the like)
};

// This machine, restricted to these CPUs; nothing if hwloc cannot say.
std::optional<hwloc_answer> processors_by_hwloc(const std::vector<unsigned>& cpus);

// The machine of a synthetic description; nothing if that is not one.
std::optional<std::vector<processor>> processors_of_synthetic(const std::string& description);

}  // namespace sennit::topology
