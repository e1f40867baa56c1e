// SPDX-License-Identifier: Apache-2.0
#include "trace/told_graph.hpp"

#include "system/nanoseconds.hpp"
#include "trace/tracer.hpp"

namespace sennit::detail {

graph_section::graph_section(const void* code) noexcept
    : by_(tracer::current(0)),
      body_(by_ != nullptr ? by_->graph_begins(reinterpret_cast<std::uintptr_t>(code)) : nullptr) {
  if (body_ != nullptr && by_->tells_nodes(body_->site)) told_.emplace(*by_, *body_);
}

graph_section::~graph_section() {
  if (body_ != nullptr) by_->graph_ends(*body_, told_ ? told_->nodes() : told_nodes());
}

bool told_graph::tell(const told_node& node, std::uint64_t begun_ns, std::uint64_t ended_ns,
                      std::uint64_t id) noexcept {
  const std::uint64_t count = count_.fetch_add(1, std::memory_order_relaxed) + 1;
  const std::uint64_t took_ns = ended_ns - begun_ns;
  const std::uint64_t all_ns = took_ns_.fetch_add(took_ns, std::memory_order_relaxed) + took_ns;
  by_.tell_node(body_, node, begun_ns, ended_ns, id);
  if (count < first_nodes || all_ns >= count * least_ns) return true;
  std::uint64_t not_yet = 0;
  until_ns_.compare_exchange_strong(not_yet, ended_ns, std::memory_order_relaxed);
  return false;
}

told_nodes told_graph::nodes() const noexcept {
  return {.count = count_.load(std::memory_order_relaxed),
          .took_ns = took_ns_.load(std::memory_order_relaxed),
          .until_ns = until_ns_.load(std::memory_order_relaxed)};
}

std::uint64_t told_now_ns() noexcept { return now_ns(); }

bool tell_node(told_graph& of, const told_node& node, std::uint64_t begun_ns,
               std::uint64_t ended_ns) noexcept {
  return of.tell(node, begun_ns, ended_ns);
}

}  // namespace sennit::detail
