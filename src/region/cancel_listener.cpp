// SPDX-License-Identifier: Apache-2.0
#include "region/cancel_listener.hpp"

#include <sennit/region.hpp>

#include <mutex>
#include <utility>

namespace sennit::detail {

namespace {

constinit std::mutex listening;
constinit cancel_listener* first = nullptr;  // under the lock

}  // namespace

void cancel_listener::listen(const region_state& to) {
  const std::lock_guard guard(listening);
  region_ = &to;
  next_ = std::exchange(first, this);
  if (next_ != nullptr) next_->previous_ = this;
  // A cancellation that comes later finds this object in the list.
  if (to.stopped()) told();
}

void cancel_listener::stop_listening() noexcept {
  if (region_ == nullptr) return;
  const std::lock_guard guard(listening);
  (previous_ != nullptr ? previous_->next_ : first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  region_ = nullptr;
}

void tell_of_cancellation() noexcept {
  const std::lock_guard guard(listening);
  for (cancel_listener* l = first; l != nullptr; l = l->next_) {
    if (l->region_->stopped()) l->told();
  }
}

}  // namespace sennit::detail
