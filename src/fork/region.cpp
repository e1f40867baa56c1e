#include "fork/unqueued_children.hpp"
#include "process/settings.hpp"
#include "stack/fiber.hpp"
#include "stack/float_environment.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/action.hpp>
#include <sennit/detail/calls.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/region.hpp>

#include <atomic>

namespace sennit {

const char* cancelled::what() const noexcept { return "sennit: the region was cancelled"; }

namespace detail {

namespace {

// The calling strand is in `region` while this lives; by its end the strand may be on another worker.
class stay_in_region {
 public:
  explicit stay_in_region(region_state& region) : strand_(worker::current()->running()) {
    worker& w = *worker::current();
    scope_ = {&region, load_tail(), strand_.innermost, &strand_, strand_.spawns};
    region.outer = strand_.innermost->region;
    capture_float_environment(region);
    enter(w, &scope_);
  }
  ~stay_in_region() {
    for (const group_state* g = strand_.open_groups; g != nullptr; g = g->next_open()) {
      if (g->newest_order() > scope_.spawns_before) left_open();
    }
    if (unqueued_children::any_open(load_views(), *scope_.region)) left_open();
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
  const stay_in_region stay(region);
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
}

bool stop_requested() noexcept {
  worker* const w = worker::current();
  return w != nullptr && w->running().innermost->region->stopped();
}

}  // namespace detail

bool cancel_requested() noexcept {
  detail::worker* const w = detail::worker::current();
  return w != nullptr && w->running().innermost->region->cancelled();
}

}  // namespace sennit
