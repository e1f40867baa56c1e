#include "core/runtime_core.hpp"
#include "core/worker.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/group.hpp>
#include <sennit/join.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace sennit::detail {

group_state::group_state() noexcept : fiber_(nullptr), suspensions_(0), top_(nullptr), unwinding_(std::uncaught_exceptions()) {
  if (worker* const w = worker::current()) {
    fiber_ = &w->running();
    suspensions_ = fiber_->suspensions;
    top_ = load_tail();
  }
}

bool group_state::on_top() const noexcept {
  worker* const w = worker::current();
  return w != nullptr && fiber_ == &w->running() && suspensions_ == fiber_->suspensions && top_ == load_tail();
}

void group_state::spawn(group_member& child) {
  child.previous_ = std::exchange(newest_, &child);
  ++away_;
}

}  // namespace sennit::detail
