// SPDX-License-Identifier: Apache-2.0
// The caches for which blocks are chosen.
#pragma once

#include "policy/splicing.hpp"

namespace sennit::detail {

// Those of the runtime that a construct here uses: of this machine, unless the runtime's topology describes others.
policy::cache_sizes caches_here();

}  // namespace sennit::detail
