// SPDX-License-Identifier: Apache-2.0
#include "program/trace_forest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace sennit::sim {
namespace {

void stretch(trace_event& body, const trace_event& child) {
  const picoseconds begin = std::min(body.begin, child.begin);
  body.length = std::max(body.end(), child.end()) - begin;
  body.begin = begin;
  if (body.what == traced::loop && child.what == traced::leaf) body.a = std::max(body.a, child.b);
  if (body.what == traced::fork && child.what != traced::right)
    body.a = std::max(body.a, child.end() - begin);
}

picoseconds begin_in_body(const trace_event& e) { return e.what == traced::child ? e.b : e.begin; }

// A fork's own body is its left branch.
picoseconds body_end(const trace_event& e) { return e.what == traced::fork ? e.begin + e.a : e.end(); }

}  // namespace

void refuse_event(const trace& t, const trace_event& e, std::string_view what) {
  throw std::runtime_error(
      fmt::format("'{}', line {}: {}; write the trace again, with SENNIT_TRACE=FILE, and do not edit it",
                  t.file, e.line, what));
}

trace_forest::trace_forest(const trace& t) : trace_(t), events_(t.events) {
  number_ids();
  find_bodies();
  put_in_sections();
  list_children();
  list_within();
  order();
}

std::uint32_t trace_forest::find(std::uint64_t id) const {
  const auto found = numbers_.find(id);
  return found == numbers_.end() ? nobody : found->second;
}

void trace_forest::number_ids() {
  numbers_.reserve(events_.size());
  for (std::uint32_t e = 0; e < events_.size(); ++e) {
    if (events_[e].id == 0) continue;
    if (!numbers_.try_emplace(events_[e].id, e).second)
      refuse_event(trace_, events_[e], fmt::format("the id {} is in the file twice", events_[e].id));
  }
}

// A body that had not ended is not in the file. What it was in is not known either, so that one region has all such bodies;
// of which kind it was, its children tell.
std::uint32_t trace_forest::add_unfinished(const trace_event& child) {
  if (unfinished_ == 0) {
    unfinished_region_ = static_cast<std::uint32_t>(events_.size());
    events_.push_back({.begin = child.begin, .worker = child.worker, .line = child.line});
    bodies_.push_back(nobody);
  }
  trace_event e{.id = child.in, .begin = child.begin, .worker = child.worker, .line = child.line};
  e.what = child.what == traced::leaf    ? traced::loop
           : child.what == traced::node  ? traced::graph
           : child.what == traced::right ? traced::fork
                                         : traced::named;
  const auto number = static_cast<std::uint32_t>(events_.size());
  events_.push_back(e);
  bodies_.push_back(unfinished_region_);
  numbers_.emplace(child.in, number);
  ++unfinished_;
  return number;
}

void trace_forest::find_bodies() {
  const std::size_t told = events_.size();
  bodies_.resize(told, nobody);
  for (std::uint32_t e = 0; e < told; ++e) {
    const trace_event child = events_[e];  // a copy, as events are added
    if (child.in == 0) continue;
    std::uint32_t body = find(child.in);
    if (body == nobody) body = add_unfinished(child);
    const traced around = events_[body].what;
    if (around == traced::wait || around == traced::brief)
      refuse_event(trace_, child, fmt::format("its body {} holds nothing", child.in));
    if ((child.what == traced::leaf && around != traced::loop) ||
        (child.what == traced::node && around != traced::graph) ||
        (child.what == traced::right && around != traced::fork)) {
      if (body < told) refuse_event(trace_, child, fmt::format("its body {} is of another kind", child.in));
    }
    bodies_[e] = body;
    if (body >= told) {
      stretch(events_[body], child);
      stretch(events_[unfinished_region_], child);
    }
  }
}

// A section outside of regions has those in it that begin and end while it runs.
void trace_forest::put_in_sections() {
  std::vector<std::uint32_t> roots;
  for (std::uint32_t e = 0; e < events_.size(); ++e)
    if (bodies_[e] == nobody) roots.push_back(e);
  std::ranges::sort(roots, {}, [&](std::uint32_t e) {
    return std::tuple(events_[e].begin, ~events_[e].length, events_[e].what != traced::named, events_[e].id);
  });
  std::vector<std::uint32_t> open;
  for (const std::uint32_t e : roots) {
    while (!open.empty() && events_[open.back()].end() < events_[e].end()) open.pop_back();
    if (!open.empty()) bodies_[e] = open.back();
    if (events_[e].what == traced::named) open.push_back(e);
  }
}

void trace_forest::list_children() {
  begins_.assign(events_.size() + 1, 0);
  for (const std::uint32_t b : bodies_)
    if (b != nobody) ++begins_[b + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  children_.resize(begins_.back());
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (std::uint32_t e = 0; e < events_.size(); ++e) {
    if (bodies_[e] == nobody) {
      roots_.push_back(e);
    } else {
      children_[next[bodies_[e]]++] = e;
    }
  }
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [&](std::uint32_t e) { return std::pair(begin_in_body(events_[e]), events_[e].id); };
    return key(a) < key(b);
  };
  for (std::uint32_t e = 0; e < events_.size(); ++e) {
    const auto first = children_.begin() + begins_[e];
    const auto last = children_.begin() + begins_[e + 1];
    if (!std::is_sorted(first, last, earlier)) std::sort(first, last, earlier);
  }
  std::ranges::sort(roots_, earlier);
}

void trace_forest::list_within() {
  std::vector<std::uint32_t> bodies;
  for (std::uint32_t e = 0; e < events_.size(); ++e) {
    const traced what = events_[e].what;
    if (what != traced::loop && what != traced::wait && what != traced::graph && what != traced::brief)
      bodies.push_back(e);
  }
  // What is around before what is in it: ids are given as bodies begin.
  std::ranges::sort(bodies, {}, [&](std::uint32_t e) {
    return std::tuple(events_[e].worker, events_[e].begin, ~body_end(events_[e]), events_[e].id);
  });
  std::vector<std::uint32_t> around(events_.size(), nobody);
  std::vector<std::uint32_t> open;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const trace_event& e = events_[bodies[i]];
    if (i > 0 && events_[bodies[i - 1]].worker != e.worker) open.clear();
    while (!open.empty() &&
           (body_end(events_[open.back()]) <= e.begin || body_end(events_[open.back()]) < body_end(e)))
      open.pop_back();
    const bool is_construct = e.what == traced::fork || e.what == traced::named || e.what == traced::region;
    if (!open.empty() && !is_construct) around[bodies[i]] = open.back();
    open.push_back(bodies[i]);
  }
  within_begins_.assign(events_.size() + 1, 0);
  for (const std::uint32_t a : around)
    if (a != nobody) ++within_begins_[a + 1];
  for (std::size_t i = 1; i < within_begins_.size(); ++i) within_begins_[i] += within_begins_[i - 1];
  within_.resize(within_begins_.back());
  std::vector<std::uint32_t> next(within_begins_.begin(), within_begins_.end() - 1);
  for (std::size_t i = bodies.size(); i-- > 0;)
    if (around[bodies[i]] != nobody) within_[next[around[bodies[i]]]++] = bodies[i];
}

void trace_forest::order() {
  upward_ = roots_;
  for (std::size_t i = 0; i < upward_.size(); ++i)
    for (const std::uint32_t c : children(upward_[i])) upward_.push_back(c);
  if (upward_.size() < events_.size()) {
    std::vector<bool> seen(events_.size());
    for (const std::uint32_t e : upward_) seen[e] = true;
    const auto lost = static_cast<std::size_t>(std::ranges::find(seen, false) - seen.begin());
    refuse_event(trace_, events_[lost], fmt::format("the body {} is inside itself", events_[lost].in));
  }
  std::ranges::reverse(upward_);
}

}  // namespace sennit::sim
