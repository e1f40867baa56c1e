#include <sennit/runtime.hpp>

#include "core/float_environment.hpp"
#include "core/runtime_core.hpp"
#include "core/worker.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/region.hpp>
#include <sennit/version.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace sennit {

const char* version() noexcept {
#define SENNIT_TEXT(x) #x
#define SENNIT_VERSION_TEXT(x, y, z) SENNIT_TEXT(x) "." SENNIT_TEXT(y) "." SENNIT_TEXT(z)
  return SENNIT_VERSION_TEXT(SENNIT_VERSION_MAJOR, SENNIT_VERSION_MINOR, SENNIT_VERSION_PATCH);
}

namespace detail {

struct runtime_access {
  static runtime_core& core(runtime& r) noexcept { return *r.core_; }
};

namespace {

// The first frame of a region: it goes to no deque, and its end sends the guest's thread home.
class root_frame : public frame {
 public:
  root_frame(action body, worker& home) noexcept : frame(&run_in_region), body_(body), home_(home) {}
  void rethrow() {
    if (away().failure) std::rethrow_exception(std::move(away().failure));
  }

 private:
  static fiber* run_in_region(frame& base) noexcept {
    auto& self = static_cast<root_frame&>(base);
    try {
      self.body_();
    } catch (...) {
      self.away().failure = std::current_exception();
    }
    // Ends self: the home thread may be gone from here before the call returns.
    self.home_.go_home();
    return nullptr;
  }

  action body_;
  worker& home_;
};

}  // namespace

runtime_core& default_core() { return runtime_access::core(runtime::default_runtime()); }

void run_region(runtime* asked, action body) {
  worker* const here = worker::current();
  runtime_core& core = asked != nullptr   ? runtime_access::core(*asked)
                       : here != nullptr  ? here->core()
                                        : default_core();
  if (here != nullptr && &here->core() == &core) {
    body();
    return;
  }
  region_state region;
  capture_float_environment(region);
  if (here != nullptr) region.outer = here->frames().innermost()->region;
  worker& guest = core.admit_guest();
  {
    root_frame root(body, guest);
    root.depart(&region);
    guest.serve(&root);
    core.dismiss_guest(guest);
    root.rethrow();
  }
}

}  // namespace detail

runtime::runtime(runtime_options options) : core_(std::make_shared<detail::runtime_core>(options)) {}
runtime::~runtime() { core_->stop(); }

runtime& runtime::default_runtime() {
  static runtime instance;
  return instance;
}

unsigned runtime::workers() const noexcept { return core_->workers(); }
statistics runtime::statistics() const noexcept { return core_->statistics(); }
steal_barrier runtime::barrier() const noexcept { return core_->barrier(); }

}  // namespace sennit
