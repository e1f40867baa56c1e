// SPDX-License-Identifier: Apache-2.0
// A stack overflow on a fiber says so before the program ends.
#pragma once

#include <atomic>

namespace sennit::detail {

// What to say of a fault at this address, if the calling thread runs a spliced function whose stack ends
// there; else null. Null as long as there are no such stacks.
extern constinit std::atomic<const char* (*)(const void* address) noexcept> overflow_of_calls;

// Installs the handler of SIGSEGV and SIGBUS, once; a fault that is not ours goes to the handler found there.
void install_overflow_handler() noexcept;
// Takes it out again, if nobody has installed another one since.
void remove_overflow_handler() noexcept;

}  // namespace sennit::detail
