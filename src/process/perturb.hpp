// SPDX-License-Identifier: Apache-2.0
// Where interleavings matter, builds for the stress tests wait now and then, by a seeded draw.
#pragma once

namespace sennit::detail {

#if defined(SENNIT_PERTURB)
void perturb() noexcept;
#else
inline void perturb() noexcept {}
#endif

}  // namespace sennit::detail
