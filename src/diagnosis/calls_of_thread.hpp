// SPDX-License-Identifier: Apache-2.0
// Asks another thread, by a signal, in which calls it is.
#pragma once

#include <sys/types.h>

#include <string>

namespace sennit::detail {

// Where the thread is, a line for each call, the innermost first. Makes the thread handle a signal.
std::string calls_of_thread(pid_t thread);
// Chooses the signal, and handles it from then on. Threads of the library that are started later take it.
void prepare_to_ask_threads() noexcept;

}  // namespace sennit::detail
