// SPDX-License-Identifier: Apache-2.0
// Where something is in a loop.
#pragma once

#include <cstdint>

namespace sennit::detail {

// Iterations are counted in positions from zero; a loop has fewer than 2^62.
using position = std::uint64_t;

}  // namespace sennit::detail
