// SPDX-License-Identifier: Apache-2.0
#include "region/background.hpp"

#include "fork/views.hpp"
#include "runtime/runtime.hpp"
#include "stack/float_environment.hpp"
#include "stack/strand_state.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/calls.hpp>

#include <utility>

namespace sennit::detail {

view* run_apart(action body) noexcept {
  view* const before = exchange_views(nullptr);
  body();
  return exchange_views(before);
}

void prepare_background(region_state& inside) noexcept {
  capture_float_environment(inside);
  inside.root = true;
  inside.implied = true;
}

background::background(region_state& inside) noexcept : frame_with_state(&run_elsewhere), region_(inside) {}

fiber* background::run_elsewhere(frame& base) noexcept {
  const std::unique_ptr<background> self(&static_cast<background&>(base));
  self->run();
  leave_branch(base);
  end_views(base.stolen().views);
  return nullptr;
}

void background::begin(std::unique_ptr<background> work) {
  worker* const here = worker::current();
  worker& seat = here != nullptr ? *here : admit_to_default();
  background& listed = *work.release();
  listed.mark_stolen(&listed.region_);
  seat.frames().listed().add(listed);
  seat.announce_work();
  if (here == nullptr) seat.core().dismiss_guest(seat);
}

bool background::take_back() noexcept { return listed_frames::reclaim(*this); }

helps_region::helps_region(const region_state& other) noexcept : seat_(*worker::current()) {
  seat_.frames().wish().admit_also(&other);
}
helps_region::~helps_region() { seat_.frames().wish().admit_also(nullptr); }

}  // namespace sennit::detail
