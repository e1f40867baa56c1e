// A stack overflow on a fiber says so before the program ends.
#pragma once

namespace sennit::detail {

// Installs the handler of SIGSEGV and SIGBUS, once; a fault that is not ours goes to the handler found there.
void install_overflow_handler() noexcept;
// Takes it out again, if nobody has installed another one since.
void remove_overflow_handler() noexcept;
// Gives the calling thread a stack for signal handlers, unless it has one. Cheap after the first call.
void ensure_signal_stack() noexcept;

}  // namespace sennit::detail
