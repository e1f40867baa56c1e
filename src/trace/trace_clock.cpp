// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_clock.hpp"

#include "process/fork_child.hpp"
#include "process/library_thread.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <algorithm>

namespace sennit::detail {

trace_clock::trace_clock() noexcept : generation_(fork_generation()) {}

trace_clock::traced* trace_clock::find(const runtime_core* core) noexcept {
  auto* const found = std::ranges::find(runtimes_, core, &traced::core);
  return found != runtimes_.end() ? &*found : nullptr;
}

void trace_clock::strand_begins(runtime_core& of) noexcept {
  if (fork_generation() != generation_) return;
  const std::lock_guard guard(lock_);
  traced* at = find(&of);
  if (at == nullptr) at = find(nullptr);
  if (at == nullptr || stops_) return;
  at->core = &of;
  ++at->strands;
  if (strands_++ != 0) return;
  if (!thread_.joinable()) {
    (void)start_thread(thread_, "sennit-trace", 0, [this] { run(); });
  } else if (sleeps_) {
    sleeps_ = false;
    woken_.notify_one();
  }
}

void trace_clock::strand_ends(runtime_core& of) noexcept {
  if (fork_generation() != generation_) return;
  const std::lock_guard guard(lock_);
  traced* const at = find(&of);
  if (at == nullptr) return;
  --strands_;
  if (--at->strands == 0) at->core = nullptr;
}

void trace_clock::stop() noexcept {
  {
    const std::lock_guard guard(lock_);
    stops_ = true;
    sleeps_ = false;
  }
  woken_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void trace_clock::run() noexcept {
  constexpr unsigned quiet_periods = 5;
  std::unique_lock guard(lock_);
  for (unsigned quiet = 0; !stops_; quiet = strands_ == 0 ? quiet + 1 : 0) {
    for (const traced& of : runtimes_) {
      if (of.core == nullptr) continue;
      for (unsigned i = 0; i < of.core->worker_count(); ++i)
        (void)of.core->worker_at(i).frames().ask_for_sign();
    }
    // Programs have regions one shortly after the other, and to wake this thread for each would take time.
    if (quiet >= quiet_periods) {
      sleeps_ = true;
      woken_.wait(guard, [this] { return !sleeps_; });
      quiet = 0;
    } else {
      woken_.wait_for(guard, period);
    }
  }
}

}  // namespace sennit::detail
