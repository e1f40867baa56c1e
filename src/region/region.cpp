// SPDX-License-Identifier: Apache-2.0
// How regions are entered and left, and how they are cancelled.
#include "fork/views.hpp"
#include "process/contract.hpp"
#include "process/settings.hpp"
#include "region/cancel_listener.hpp"
#include "region/construct_site.hpp"
#include "runtime/runtime.hpp"
#include "stack/fiber.hpp"
#include "stack/float_environment.hpp"
#include "trace/tracer.hpp"
#include "worker/runtime_core.hpp"
#include "worker/unobserved_part.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/action.hpp>
#include <sennit/detail/calls.hpp>
#include <sennit/detail/fork/open_group.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/region.hpp>

#include <atomic>
#include <exception>
#include <utility>

namespace sennit {

const char* cancelled::what() const noexcept { return "sennit: the region was cancelled"; }

namespace detail {

namespace {

// The first frame of a region: it goes to no deque, and its end sends the guest's thread home.
class root_frame : public frame_with_state {
 public:
  root_frame(action body, worker& home) noexcept
      : frame_with_state(&run_in_region), body_(body), home_(home) {}
  void rethrow() {
    if (stolen().failure) std::rethrow_exception(std::move(stolen().failure));
  }

 private:
  static fiber* run_in_region(frame& base) noexcept {
    auto& self = static_cast<root_frame&>(base);
    // A region entered in a handler or a destructor: its strand sees the exceptions that the caller sees.
    current_exceptions() = self.exceptions_;
#if SENNIT_CHECKED
    innermost_site() = self.site_;
#endif
#if SENNIT_EXCEPTIONS
    try {
      self.body_();
    } catch (...) {
      self.stolen().failure = std::current_exception();
    }
#else
    self.body_();
#endif
    current_exceptions() = {};
#if SENNIT_CHECKED
    innermost_site() = nullptr;
#endif
    leave_branch(self);
    // Ends self: the home thread may be gone from here before the call returns.
    self.home_.go_home();
    return nullptr;
  }

  action body_;
  worker& home_;
  const exception_state exceptions_ = current_exceptions();
#if SENNIT_CHECKED
  const construct_site* const site_ = innermost_site();
#endif
};

// A guest's seat, for the length of a region.
class guest_seat {
 public:
  explicit guest_seat(worker& guest) : guest_(guest) { guest_.stay(); }
  ~guest_seat() { guest_.core().dismiss_guest(guest_); }
  guest_seat(const guest_seat&) = delete;
  guest_seat& operator=(const guest_seat&) = delete;
  worker& operator*() const noexcept { return guest_; }

 private:
  worker& guest_;
};

}  // namespace

namespace {

// `implied`: children of groups from outside may outlast the region.
void run_root(runtime* asked, bool implied, action body) {
  worker* const here = worker::current();
  if (here != nullptr && (asked == nullptr || &core_of(asked) == &here->core())) {
    body();
    return;
  }
  const guest_seat guest(asked != nullptr ? core_of(asked).admit_guest() : admit_to_default());
  if (((*guest).core().lasting_reasons() & contract) != 0) check_contract();
  region_state region;
  capture_float_environment(region);
  region.root = true;
  region.implied = implied;
  if (here != nullptr) region.outer = here->frames().innermost()->region;
  root_frame root(body, *guest);
  if (tracer* const all = tracer::current((*guest).core().workers())) [[unlikely]] {
    region.observed_by = all;
    root.where() = tracer::root;
  }
  root.mark_stolen(&region);
  (*guest).frames().wish().restrict_to(&region);
  (*guest).serve(&root);
  if (any_open(root.stolen().views, region)) left_open();
  if (here == nullptr) hand_to_thread(root.stolen().views);
  append_views(root.stolen().views);
  root.rethrow();
}

}  // namespace

void run_region(runtime* asked, action body) { run_root(asked, asked == nullptr, body); }
void run_implied_region(runtime& home, action body) { run_root(&home, true, body); }

namespace {

// The calling strand is in `region` while this lives; by its end the strand may be on another worker.
class stay_in_region {
 public:
  // `frame`: of the caller.
  stay_in_region(region_state& region, const void* frame) : strand_(worker::current()->running()) {
    worker& w = *worker::current();
    scope_ = {&region, load_tail(), strand_.innermost, &strand_, strand_.spawns, frame};
    region.outer = strand_.innermost->region;
    capture_float_environment(region);
    enter(w, &scope_);
  }
  ~stay_in_region() {
    // One that has begun within the region.
    if (strand_.innermost != &scope_) [[unlikely]]
      unobserved_part::end_stretch();
    for (const open_group* g = strand_.open_groups; g != nullptr; g = g->next_open) {
      if (g->has_child_after(scope_.spawns_before)) left_open();
    }
    if (any_open(load_views(), *scope_.region)) left_open();
    enter(*worker::current(), scope_.outer);
    scope_.region->outer = nullptr;
  }
  stay_in_region(const stay_in_region&) = delete;
  stay_in_region& operator=(const stay_in_region&) = delete;

 private:
  void enter(worker& w, scope* innermost) noexcept {
    strand_.innermost = innermost;
    w.frames().enter(innermost);
  }

  fiber& strand_;
  scope scope_{};
};

}  // namespace

void enter_region(region_state& region, action body) {
  if (worker::current() == nullptr) {
    auto inside = [&] { enter_region(region, body); };
    run_region(nullptr, inside);
    return;
  }
  unobserved_part::end_stretch_if_possible();
  const stay_in_region stay(region, __builtin_frame_address(0));
  body();
}

void set_promotion(region_state& region, promotion when) {
  region.beat_ns = beat_ns_of(when, "region::promotion");
}

void cancel_region(region_state& region) noexcept {
  region.cancel_requested.store(true, std::memory_order_relaxed);
  // The flag reaches the workers through the locks of their deques.
  // Parts of the region may run in other runtimes.
  runtime_core::note_cancellation();
  tell_of_cancellation();
}

bool in_strand() noexcept { return worker::current() != nullptr; }

bool stop_requested() noexcept {
  worker* const w = worker::current();
  return w != nullptr && w->running().innermost->region->stopped();
}

const region_state* innermost_region() noexcept {
  worker* const w = worker::current();
  return w != nullptr ? w->running().innermost->region : nullptr;
}

const void* strand_in_reports() noexcept {
  worker* const w = worker::current();
  return w != nullptr ? &w->running() : nullptr;
}

}  // namespace detail

bool cancel_requested() noexcept {
  detail::worker* const w = detail::worker::current();
  return w != nullptr && w->running().innermost->region->cancelled();
}

}  // namespace sennit
