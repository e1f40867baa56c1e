// SPDX-License-Identifier: Apache-2.0
// Threads of the library's own.
#pragma once

#include <functional>
#include <thread>

namespace sennit::detail {

// Starts one with the name "name/number", and with a stack for handlers of signals. The program's signals are for the
// program's threads: it blocks them. False: there is no memory, or the system refuses.
bool start_thread(std::thread& started, const char* name, unsigned number,
                  std::function<void()> body) noexcept;

// Such threads do not block the signal, if they are started from now on.
void let_threads_take(int signal) noexcept;

}  // namespace sennit::detail
