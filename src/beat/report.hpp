// SPDX-License-Identifier: Apache-2.0
// What promotion points have come to, in words.
#pragma once

#include <cstdint>
#include <string>

namespace sennit::detail {

// A line for each promotion point of the process, with how often it was taken; those never taken come last.
// `beats` have been delivered. Allocates.
std::string report_points(std::uint64_t beats);

}  // namespace sennit::detail
