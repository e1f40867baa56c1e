// SPDX-License-Identifier: Apache-2.0
// In the checked variant: whether a strand that blocks its thread waits for what no worker is left to do.
#pragma once

#include "process/contract.hpp"

namespace sennit::detail {

// sennit::blocking() begins or ends on the calling thread, which may block meanwhile.
#if SENNIT_SEES_LOCKS
void begin_to_allow_blocking() noexcept;
void end_to_allow_blocking() noexcept;
#else
inline void begin_to_allow_blocking() noexcept {}
inline void end_to_allow_blocking() noexcept {}
#endif

}  // namespace sennit::detail
