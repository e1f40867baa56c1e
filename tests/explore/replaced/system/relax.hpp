// SPDX-License-Identifier: Apache-2.0
// In place of the library's header: a thread of an explored program that spins waits until another has changed
// something.
#pragma once

#include "explorer.hpp"

namespace sennit::detail {

inline void relax() noexcept { explore::spin(); }

}  // namespace sennit::detail
