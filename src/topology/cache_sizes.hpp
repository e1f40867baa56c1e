// SPDX-License-Identifier: Apache-2.0
// How large the caches of this machine are.
#pragma once

#include "policy/splicing.hpp"

#include <sennit/detail/config.hpp>

#include <string>

namespace sennit::topology {

// Usual sizes if the system does not tell. `root` is put before the paths of all files.
SENNIT_EXPORT policy::cache_sizes cache_sizes(const std::string& root = "");

// Sizes that are not 0 stay. A level without a size is as large as this machine's, but no smaller than the levels before
// it, and, if the level after it is known, no larger than that.
policy::cache_sizes completed(const policy::cache_sizes& described,
                              const policy::cache_sizes& usual) noexcept;

}  // namespace sennit::topology
