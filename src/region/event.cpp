// SPDX-License-Identifier: Apache-2.0
#include "region/waiting_strand.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/event.hpp>

#include <atomic>

namespace sennit {

namespace {

// In the place of a strand that waits.
detail::waiting_strand* set_already() noexcept {
  alignas(detail::waiting_strand) static constinit unsigned char mark{};
  return reinterpret_cast<detail::waiting_strand*>(&mark);
}

}  // namespace

bool event::is_set() const noexcept {
  // ORD[D74] acquire: what happened before the event came; pairs with the exchange in set().
  return waits_.load(std::memory_order_acquire) == set_already();
}

void event::set() noexcept {
  // ORD[D74] acq_rel: release publishes what happened before; acquire: the strand that waits, as wait_in_strand() made it. The
  // event may be gone afterwards, and the strand is there until it goes on. Model: models/event.pml.
  detail::waiting_strand* const waits = waits_.exchange(set_already(), std::memory_order_acq_rel);
  if (waits != nullptr) waits->go_on();
}

void event::wait() {
  if (is_set()) return;
  if (detail::in_strand()) {
    wait_in_strand();
  } else {
    auto body = [this] { wait_in_strand(); };
    detail::run_region(nullptr, body);
  }
}

void event::wait_in_strand() noexcept {
  detail::waiting_strand self;
  detail::waiting_strand* nobody = nullptr;
  // ORD[D74] release: this strand as it waits; pairs with the exchange in set(). Acquire, if the event has come meanwhile:
  // what happened before. Model: models/event.pml.
  if (waits_.compare_exchange_strong(nobody, &self, std::memory_order_release, std::memory_order_acquire))
    self.wait();
}

}  // namespace sennit
