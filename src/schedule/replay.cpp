// SPDX-License-Identifier: Apache-2.0
#include "region/observed.hpp"
#include "schedule/execution.hpp"
#include "schedule/follow.hpp"
#include "schedule/plan.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/replay.hpp>

#include <memory>
#include <optional>
#include <stdexcept>

namespace sennit {

namespace detail {

namespace {

execution::mode mode_of(fidelity how) noexcept {
  switch (how) {
    case fidelity::strict_unordered: return execution::mode::strict_unordered;
    case fidelity::strict_ordered: return execution::mode::strict_ordered;
    case fidelity::relaxed: break;
  }
  return execution::mode::relaxed;
}

schedule taken_from(execution& run) { return schedule_access::make(hold(run.take())); }

}  // namespace

std::optional<schedule> run_scheduled(const schedule* followed, fidelity how, bool recorded, action body) {
  std::shared_ptr<const steal_tree> tree;
  std::optional<plan> to_follow;
  if (followed != nullptr) {
    tree = schedule_access::tree(*followed);
    to_follow.emplace(*tree);
  }
  execution run(to_follow ? &*to_follow : nullptr, mode_of(how), recorded);
  observe(run, body);
  return recorded ? std::optional(taken_from(run)) : std::nullopt;
}

void follow(const plan& by, fidelity how, action body) {
  execution run(&by, mode_of(how), false);
  observe(run, body);
}

schedule run_designed(action body) {
  static const steal_tree nothing;
  const plan empty(nothing);
  execution run(&empty, execution::mode::designed);
  observe(run, body);
  return taken_from(run);
}

}  // namespace detail

void designate(unsigned worker) {
  detail::trace_cursor* const cursor = detail::current_tls().cursor;
  if (cursor == nullptr || !cursor->by().keeps_positions()) return;
  auto* const run = static_cast<detail::execution*>(&cursor->by());
  if (!run->designed()) return;
  if (!detail::worker::current()->frames().empty()) {
    detail::fail<std::logic_error>("sennit::designate(" + std::to_string(worker) +
                                   "): the branch of a construct around this one stays with its worker, and "
                                   "thieves take the outermost first; designate a worker for that one, too");
  }
  run->designate(*cursor, worker);
}

bool may_be_stolen() noexcept {
  detail::trace_cursor* const cursor = detail::current_tls().cursor;
  if (cursor == nullptr || !cursor->by().strict()) return true;
  // What is designed is not known yet.
  if (static_cast<detail::execution&>(cursor->by()).designed()) return true;
  return cursor->level().awaited != detail::nowhere;
}

}  // namespace sennit
