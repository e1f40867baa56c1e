// SPDX-License-Identifier: Apache-2.0
// sennit::blocking(): while a strand blocks its thread, another thread is at work.
#include "diagnosis/deadlock_check.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/blocking.hpp>

namespace sennit::detail {

blocking_scope::blocking_scope() noexcept : core_(nullptr) {
  if (worker* const w = worker::current()) {
    core_ = &w->core();
    core_->begin_blocking();
    begin_to_allow_blocking();
  }
}

blocking_scope::~blocking_scope() {
  if (core_ == nullptr) return;
  end_to_allow_blocking();
  core_->end_blocking();
}

}  // namespace sennit::detail
