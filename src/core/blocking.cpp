#include "core/runtime_core.hpp"
#include "core/worker.hpp"

#include <sennit/blocking.hpp>

namespace sennit::detail {

blocking_scope::blocking_scope() noexcept : core_(nullptr) {
  if (worker* const w = worker::current()) {
    core_ = &w->core();
    core_->begin_blocking();
  }
}

blocking_scope::~blocking_scope() {
  if (core_ != nullptr) core_->end_blocking();
}

}  // namespace sennit::detail
