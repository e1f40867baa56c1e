// SPDX-License-Identifier: Apache-2.0
#include "trace/told_flow.hpp"

#include "system/nanoseconds.hpp"

#include <sennit/detail/effects_access.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace sennit::detail {

std::unique_ptr<told_flow> told_flow::begin(const void* code, std::uint64_t first) noexcept {
  tracer* const by = tracer::may_be_on() ? tracer::current(0) : nullptr;
  const std::optional<traced_body> body =
      by != nullptr ? by->flow_begins(reinterpret_cast<std::uintptr_t>(code) - 1) : std::nullopt;
  if (!body) return nullptr;
  return std::unique_ptr<told_flow>(new (std::nothrow) told_flow(*by, *body, first));
}

told_flow::told_flow(tracer& by, const traced_body& body, std::uint64_t first) noexcept
    : by_(by), body_(body), first_(first), tells_(by.tells_nodes(body.site)) {
  if (tells_.load(std::memory_order_relaxed)) told_.emplace(by_, body_);
}

void told_flow::note_submission(std::uint64_t task, const char* name,
                                const std::vector<std::uint64_t>& before, const effects& fx) {
  if (!tells_.load(std::memory_order_relaxed)) return;
  told_node node;
  node.number = number_of(task);
  node.name = name != nullptr ? name : "task";
  for (const std::uint64_t b : before) {
    if (b > first_) node.before.push_back(number_of(b));
  }
  std::ranges::sort(node.before);
  const auto twice = std::ranges::unique(node.before);
  node.before.erase(twice.begin(), twice.end());
  for (std::uint32_t i = 0; i < effects_access::size(fx); ++i) {
    const region_view region = effects_access::region(fx, i);
    if (region.where.last == UINTPTR_MAX) continue;
    const std::uint64_t hull_bytes = region.where.last - region.where.first;
    const bool knows = region.kind != nullptr && region.kind->bytes != nullptr;
    node.touches.push_back({.address = region.where.first,
                            .bytes = knows ? region.kind->bytes(region.data->get()) : hull_bytes,
                            .written = region.written});
  }
  const std::lock_guard guard(lock_);
  submitted_.emplace(task, std::move(node));
}

traced_body* told_flow::task_begins() noexcept {
  return tells_.load(std::memory_order_relaxed) ? by_.task_begins() : nullptr;
}

void told_flow::task_ends(std::uint64_t task, traced_body* body, std::uint64_t begun_ns) noexcept {
  const std::uint64_t ended_ns = now_ns();
  const std::uint64_t id = body != nullptr ? by_.task_ends(*body) : 0;
  if (!tells_.load(std::memory_order_relaxed)) return;
  std::unique_lock guard(lock_);
  const auto node = submitted_.extract(task);
  guard.unlock();
  if (!node.empty() && !told_->tell(node.mapped(), begun_ns, ended_ns, id))
    tells_.store(false, std::memory_order_relaxed);
}

void told_flow::end(std::uint64_t wait_begun_ns) noexcept {
  by_.flow_ends(body_, wait_begun_ns, told_ ? told_->nodes() : told_nodes());
}

}  // namespace sennit::detail
