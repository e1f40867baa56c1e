// SPDX-License-Identifier: Apache-2.0
// A thread's beat that has found no promotion point.
#pragma once

namespace sennit::detail {

// One for each thread; the thread, and handlers that run on it, read and write it.
extern constinit thread_local volatile bool beat_pending [[gnu::tls_model("initial-exec")]];

}  // namespace sennit::detail
