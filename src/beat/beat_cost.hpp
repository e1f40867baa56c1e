// SPDX-License-Identifier: Apache-2.0
// What a beat takes from the thread that it interrupts.
#pragma once

#include <chrono>

namespace sennit::detail {

// Of one beat on this machine: the interrupt, the signal, the handler, and the way back. Measured once a process, in
// about 3 ms on a thread of its own; 0 if the system allows no measurement. Precondition: the handler of beats
// is installed.
std::chrono::nanoseconds cost_of_beat() noexcept;

// The least period at or above `asked` at which beats take at most `share` of a thread's time.
std::chrono::nanoseconds affordable_period(std::chrono::nanoseconds asked, double share) noexcept;

}  // namespace sennit::detail
