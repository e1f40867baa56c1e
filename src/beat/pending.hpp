// A thread's beat that has found no promotion point to go to.
#pragma once

namespace sennit::detail {

// Of the thread; read and written by it and by handlers that run on it.
extern constinit thread_local volatile bool beat_pending [[gnu::tls_model("initial-exec")]];

}  // namespace sennit::detail
