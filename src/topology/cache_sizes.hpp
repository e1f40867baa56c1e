// How large the caches of this machine are.
#pragma once

#include "policy/splicing.hpp"

#include <string>

namespace sennit::topology {

// Usual sizes if the system does not tell. `root` is put before the paths of all files.
policy::cache_sizes cache_sizes(const std::string& root = "");

}  // namespace sennit::topology
