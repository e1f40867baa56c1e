// The peak of the process's resident memory.
#pragma once

#include <optional>

namespace command {

// Gives back to the system what earlier work has freed.
void return_freed_memory();

// Lets the peak begin anew at what is in use now. Where the kernel refuses that,
// it stays the peak since the start.
void forget_peak();

// Nothing where /proc does not say.
std::optional<double> peak_mib();

}  // namespace command
