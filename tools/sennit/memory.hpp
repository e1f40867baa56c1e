// SPDX-License-Identifier: Apache-2.0
// The peak of the process's resident memory.
#pragma once

#include <optional>

namespace command {

// Returns memory that earlier work has freed to the system.
void return_freed_memory();

// Restarts the peak from the memory in use now. If the kernel refuses that, the peak remains the one since
// the start.
void forget_peak();

// Nothing if /proc does not give it.
std::optional<double> peak_mib();

}  // namespace command
