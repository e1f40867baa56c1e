// The kernel's number of the calling thread.
#pragma once

#include <sys/types.h>

namespace sennit::detail {

// As gettid(2), asked once a thread. Async-signal-safe.
pid_t thread_id() noexcept;
// The thread that has come out of fork(2) as the child's only one has another number.
void forget_thread_id() noexcept;

}  // namespace sennit::detail
