// SPDX-License-Identifier: Apache-2.0
// The stack that a thread handles signals on: a handler of a stack overflow needs one, and so do handlers that interrupt
// a strand with little of its stack left.
#pragma once

namespace sennit::detail {

// Before the first thread gets one.
void prepare_signal_stacks() noexcept;
// Threads that outlive the library keep theirs.
void leave_signal_stacks() noexcept;
// Gives the calling thread one, unless it has one. Cheap after the first call.
void ensure_signal_stack() noexcept;

}  // namespace sennit::detail
