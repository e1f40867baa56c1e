// SPDX-License-Identifier: Apache-2.0
#include "schedule/processors.hpp"

#include "policy/lateness.hpp"
#include "system/thread_state.hpp"

#include <unistd.h>

#include <new>
#include <utility>

namespace sennit::detail {

bool processors::begin(unsigned count, std::uint32_t roles) noexcept {
  threads_.reset(new (std::nothrow) std::atomic<pid_t>[roles]);
  if (!threads_) return false;
  for (std::uint32_t role = 0; role < roles; ++role) threads_[role].store(0, std::memory_order_relaxed);
  count_ = count;
  roles_ = roles;
  return true;
}

void processors::serve(std::uint32_t role) noexcept {
  if (role < roles_) threads_[role].store(gettid(), std::memory_order_relaxed);
}

bool processors::due(std::uint64_t now) const noexcept {
  return now >= looked_ns_ + policy::lateness::between_looks_ns;
}

// A thread that has not begun with anything yet would.
bool processors::runs(std::uint32_t role) const noexcept {
  const pid_t thread = threads_[role].load(std::memory_order_relaxed);
  return thread == 0 || wants_processor(thread);
}

// A thread may be away for a moment. So it takes two looks in a row to say that one is free.
void processors::note(std::uint64_t now, unsigned running) noexcept {
  looked_ns_ = now;
  const bool fewer = running < count_;
  if (!fewer) last_ns_.store(now, std::memory_order_relaxed);
  all_in_use_.store(!fewer || !std::exchange(fewer_before_, fewer), std::memory_order_relaxed);
  if (!fewer) fewer_before_ = false;
}

}  // namespace sennit::detail
