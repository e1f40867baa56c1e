// SPDX-License-Identifier: Apache-2.0
#include "policy/roles.hpp"
#include "system/nanoseconds.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/homes.hpp>
#include <sennit/graph_replay.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

namespace sennit::detail {

node_homes::node_homes(const graph::schedule& followed, fidelity how, const workers_of_homes& of)
    : followed_(followed),
      strict_(how != relaxed),
      ordered_(how == strict_ordered),
      caller_(of.first != nullptr ? of.first : worker::current()),
      first_number_(of.first_number) {
  // There, the schedule of the region says who runs what.
  if (current_tls().cursor != nullptr) return;
  const unsigned workers = caller_->core().numbered_workers();
  if (strict_ && followed.workers() > workers) {
    fail<std::runtime_error>("sennit: graph::replay: the schedule has " + std::to_string(followed.workers()) +
                             " workers, and the runtime has " + std::to_string(workers) +
                             ": replay it relaxed, or in a runtime of as many workers");
  }
  boxes_ = std::vector<box>(workers);
  if (!ordered()) return;
  for (std::uint32_t h = 0; h < boxes_.size() && h < followed.workers(); ++h) {
    const std::size_t nodes = followed.nodes_of(h);
    boxes_[h].exists.resize(nodes);
    boxes_[h].taken.resize(nodes);
  }
}

worker& node_homes::worker_of(std::uint32_t home) const noexcept {
  // The first guest's number is that of the caller's thread in most programs. If this caller is another guest, then the
  // schedule means this one.
  if (home == 0 && caller_->is_guest()) return *caller_;
  return caller_->core().numbered((home + first_number_) % count());
}

std::uint32_t node_homes::here() const noexcept {
  if (boxes_.empty()) return no_home;
  const worker& w = *worker::current();
  if (&w.core() != &caller_->core()) return no_home;
  if (&w == caller_ && w.is_guest()) return 0;
  const unsigned number = w.core().number_of(w);
  return number < count() ? (number + count() - first_number_) % count() : no_home;
}

void node_homes::made(node_number n, std::string_view key) {
  if (boxes_.empty()) return;
  places_.ensure(n);
  const std::optional<graph::schedule::place> found = followed_.find(key);
  if (!found) {
    places_[n] = 0;
    return;
  }
  const auto workers = static_cast<std::uint32_t>(boxes_.size());
  const std::uint32_t home = policy::role_here(found->worker, followed_.workers(), workers);
  places_[n] = std::uint64_t{home + 1} << 32 | found->position;
  if (boxes_[home].exists.empty()) return;
  const std::lock_guard guard(boxes_[home].lock);
  boxes_[home].exists[found->position] = true;
}

// Returns true if all nodes are known now.
bool node_homes::count_unexplored(std::int64_t more) noexcept {
  const std::lock_guard guard(exploring_);
  unexplored_ += more;
  return unexplored_ == 0;
}

home_place node_homes::place_of(node_number n) noexcept {
  if (boxes_.empty()) return {};
  const std::uint64_t packed = places_[n];
  if (packed == 0) return {};
  return {.home = static_cast<std::uint32_t>(packed >> 32) - 1,
          .position = static_cast<std::uint32_t>(packed)};
}

bool node_homes::put(home_place at, node_number n) {
  box& to = boxes_[at.home];
  const std::lock_guard guard(to.lock);
  to.nodes.push_back({.position = at.position, .node = n, .since_ns = now_ns()});
  std::push_heap(to.nodes.begin(), to.nodes.end(), &later);
  waiting_.fetch_add(1, std::memory_order_relaxed);
  if (to.served || !may_take(to)) return false;
  to.served = true;
  return true;
}

bool node_homes::begin_to_serve(std::uint32_t home) noexcept {
  box& of = boxes_[home];
  const std::lock_guard guard(of.lock);
  if (of.served || !may_take(of)) return false;
  of.served = true;
  return true;
}

node_number node_homes::take(std::uint32_t home) noexcept {
  box& from = boxes_[home];
  const std::lock_guard guard(from.lock);
  if (!may_take(from)) {
    from.served = false;
    return nobody;
  }
  const waiting_node first = from.nodes.front();
  std::pop_heap(from.nodes.begin(), from.nodes.end(), &later);
  from.nodes.pop_back();
  note_taken(from, first);
  return first.node;
}

void node_homes::note_taken(box& of, const waiting_node& n) noexcept {
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  if (!of.taken.empty()) of.taken[n.position] = true;
}

// Whether the first node of the box is the next by the order. Nodes that do not exist are passed over once all nodes are
// known.
bool node_homes::may_take(box& of) noexcept {
  if (of.nodes.empty()) return false;
  if (!ordered()) return true;
  const std::uint32_t first = of.nodes.front().position;
  // The lock, so that all that exist have been noted.
  const bool all_known = count_unexplored(0);
  while (of.next < first) {
    const bool comes = !of.taken[of.next] && (!all_known || of.exists[of.next]);
    if (comes) return false;
    ++of.next;
  }
  return true;
}

std::vector<node_number> node_homes::take_late(std::uint64_t since_ns) {
  const std::size_t own = here() == no_home ? 0 : here();
  for (std::size_t b = 1; b <= boxes_.size(); ++b) {
    box& from = boxes_[(own + b) % boxes_.size()];
    const std::lock_guard guard(from.lock);
    const auto late = [&](const waiting_node& n) { return n.since_ns <= since_ns; };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(from.nodes, late));
    if (count == 0) continue;
    // Those that the worker would come to last.
    std::ranges::sort(from.nodes, {}, &waiting_node::position);
    std::vector<node_number> taken;
    taken.reserve((count + 1) / 2);
    for (std::size_t i = from.nodes.size(); i-- > 0 && taken.size() < (count + 1) / 2;) {
      if (!late(from.nodes[i])) continue;
      taken.push_back(from.nodes[i].node);
      note_taken(from, from.nodes[i]);
      from.nodes.erase(from.nodes.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return taken;  // what is sorted is a heap
  }
  return {};
}

}  // namespace sennit::detail
