// SPDX-License-Identifier: Apache-2.0
// The kernel's number of the calling thread.
#pragma once

#include <sys/types.h>

namespace sennit::detail {

// As gettid(2), which is called once on each thread. Async-signal-safe.
pid_t thread_id() noexcept;
// The thread that continues in the child of fork(2) has another number there.
void forget_thread_id() noexcept;

}  // namespace sennit::detail
