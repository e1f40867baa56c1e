// SPDX-License-Identifier: Apache-2.0
// Graphs under a trace, and their nodes.
#include "trace/told_graph.hpp"
#include "trace/traced_strand.hpp"
#include "trace/tracer.hpp"

#include <sennit/detail/worker_tls.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace sennit::detail {

namespace {

using kind = traced_body::kind;

// As many numbers as fit, as a list with that name. Returns those that are left.
std::span<const std::uint32_t> add_list(trace_line& line, std::string_view name,
                                        std::span<const std::uint32_t> numbers) noexcept {
  constexpr std::size_t most = 24;
  const auto now = numbers.first(std::min(most, numbers.size()));
  line.raw(R"(,")").raw(name).raw(R"(":[)");
  bool first = true;
  for (const std::uint32_t n : now) {
    if (!std::exchange(first, false)) line.raw(",");
    line.number(n);
  }
  line.raw("]");
  return numbers.subspan(now.size());
}

void add_touches(trace_line& line, const told_node& node, bool written) noexcept {
  constexpr int most = 6;
  int count = 0;
  for (const told_node::touched& t : node.touches) {
    if (t.written != written || count == most) continue;
    line.raw(count++ == 0 ? (written ? R"(,"writes":[[)" : R"(,"reads":[[)") : ",[");
    line.number(t.address).raw(",").number(t.bytes).raw("]");
  }
  if (count != 0) line.raw("]");
}

}  // namespace

traced_body* tracer::graph_begins(std::uintptr_t site) noexcept {
  trace_cursor* const cursor = current_tls().cursor;
  strand* const of = cursor != nullptr && &cursor->by() == this ? strand::of(*cursor) : nullptr;
  if (of == nullptr) return nullptr;
  settle(*of);
  return open(*of, kind::graph, site);
}

void tracer::graph_ends(traced_body& graph, const told_nodes& nodes) noexcept {
  if (nodes.count != 0) durations_.took(graph.site, node_depth, nodes.took_ns / nodes.count);
  graph.first = nodes.count;
  graph.last = nodes.until_ns != 0 ? nodes.until_ns - begun_ns_ : 0;
  name_ends(graph);
}

bool tracer::tells_nodes(std::uintptr_t site) const noexcept {
  const std::uint64_t mean_ns = durations_.mean_ns(site, node_depth);
  return mean_ns == policy::unknown_ns || mean_ns >= told_graph::least_ns;
}

void tracer::tell_node(const traced_body& graph, const told_node& node, std::uint64_t begun_ns,
                       std::uint64_t ended_ns, std::uint64_t id) noexcept {
  const unsigned to = row();
  std::span<const std::uint32_t> before(node.before);
  std::span<const std::uint32_t> then = node.then;
  trace_line line;
  line.raw(R"({"name":)").quoted(node.name);
  line.raw(R"(,"cat":"node","ph":"X","ts":)").time(begun_ns - begun_ns_);
  line.raw(R"(,"dur":)").time(ended_ns - begun_ns).raw(R"(,"pid":1,"tid":)").number(to);
  line.raw(R"(,"args":{"id":)").number(id != 0 ? id : next_id()).raw(R"(,"in":)").number(graph.id);
  line.raw(R"(,"node":)").number(node.number);
  if (node.color != told_node::no_color) line.raw(R"(,"color":)").number(node.color);
  add_touches(line, node, false);
  add_touches(line, node, true);
  const bool knows_successors = before.empty() && !then.empty();
  if (knows_successors) {
    then = add_list(line, "then", then);
  } else {
    before = add_list(line, "after", before);
  }
  file_.add(to, line.raw("}}"));
  // What a line has no room for.
  while (!before.empty() || (knows_successors && !then.empty())) {
    trace_line more;
    more.raw(R"({"name":"edges","ph":"M","pid":1,"tid":)").number(to);
    more.raw(R"(,"args":{"in":)").number(graph.id).raw(R"(,"node":)").number(node.number);
    if (knows_successors) {
      then = add_list(more, "then", then);
    } else {
      before = add_list(more, "after", before);
    }
    file_.add(to, more.raw("}}"));
  }
}

// Task flows ----------------------------------------------------------------------------------------------------------

std::optional<traced_body> tracer::flow_begins(std::uintptr_t site) noexcept {
  trace_cursor* const cursor = current_tls().cursor;
  strand* const of = cursor != nullptr && &cursor->by() == this ? strand::of(*cursor) : nullptr;
  if (of == nullptr) return std::nullopt;
  settle(*of);
  traced_body flow;
  flow.what = kind::graph;
  flow.name = "flow";
  flow.id = next_id();
  flow.in = of->id();
  if (of->innermost != nullptr) of->innermost->holds_told = true;
  flow.site = site;
  return flow;
}

void tracer::flow_ends(traced_body& flow, std::uint64_t wait_begun_ns, const told_nodes& nodes) noexcept {
  if (nodes.count != 0) durations_.took(flow.site, node_depth, nodes.took_ns / nodes.count);
  flow.begun_ns = wait_begun_ns - begun_ns_;
  flow.first = nodes.count;
  flow.last = nodes.until_ns != 0 ? nodes.until_ns - begun_ns_ : 0;
  tell(flow, now());
}

traced_body* tracer::task_begins() noexcept {
  trace_cursor* const cursor = current_tls().cursor;
  strand* const of = cursor != nullptr && &cursor->by() == this ? strand::of(*cursor) : nullptr;
  if (of == nullptr) return nullptr;
  settle(*of);
  return open(*of, kind::node, 0);
}

std::uint64_t tracer::task_ends(traced_body& task) noexcept {
  trace_cursor* const cursor = current_tls().cursor;
  strand* const of = cursor != nullptr && &cursor->by() == this ? strand::of(*cursor) : nullptr;
  const std::uint64_t id = task.id;
  if (of == nullptr) {
    delete &task;
    return id;
  }
  settle(*of);
  tell_leaf(*of);
  leave(*of, task);
  of->give_back(task);
  return id;
}

}  // namespace sennit::detail
