// SPDX-License-Identifier: Apache-2.0
#include "process/thread_end.hpp"

#include "process/fork_child.hpp"

#include <utility>

namespace sennit::detail {

thread_end::~thread_end() {
  const no_fork guard;
  if (std::exchange(state_, key_state::deleted) == key_state::made) pthread_key_delete(key_);
}

void thread_end::expect() noexcept {
  const no_fork guard;
  if (state_ == key_state::none && pthread_key_create(&key_, call_) == 0) state_ = key_state::made;
  if (state_ == key_state::made) pthread_setspecific(key_, this);
}

}  // namespace sennit::detail
