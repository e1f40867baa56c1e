// How large the caches of this machine are.
#pragma once

#include "policy/splicing.hpp"

#include <string>

namespace sennit::topology {

// Usual sizes where the system does not tell. `root` comes before the paths of all files read.
policy::cache_sizes cache_sizes(const std::string& root = "");

}  // namespace sennit::topology
