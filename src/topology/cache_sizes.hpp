// How large the caches of this machine are.
#pragma once

#include "policy/block_size.hpp"

namespace sennit::topology {

// Usual sizes where the system does not tell. Read once.
policy::cache_sizes cache_sizes() noexcept;

}  // namespace sennit::topology
