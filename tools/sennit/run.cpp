// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/run.hpp"

#include "gallery/kernel.hpp"
#include "tools/output.hpp"
#include "tools/sennit/moved.hpp"
#include "tools/sennit/progress.hpp"
#include "tools/sennit/records.hpp"
#include "tools/sennit/report.hpp"
#include "tools/sennit/trace_events.hpp"

#include <sennit/graph_trace.hpp>
#include <sennit/runtime.hpp>
#include <sennit/splice_schedule.hpp>

#include <fmt/format.h>

#include <any>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace command {
namespace {

// One further run. Returns what is wrong with its result; empty if nothing is.
std::string trace_graph(gallery::kernel& kernel, const run_options& options, const tools::outputs& to,
                        const std::any& expected) {
  sennit::graph::trace seen;
  std::any result;
  kernel.trace_graph(&seen);
  sennit::runtime runtime({.workers = options.measuring.workers});
  runtime.run([&] { result = kernel.run(gallery::policy::parallel); });
  kernel.trace_graph(nullptr);
  if (!kernel.same(result, expected)) return "the traced run's result is another";
  if (seen.nodes().empty())
    throw std::runtime_error(
        fmt::format("{} ran no graph to trace; choose --variant graph", kernel.about().name));
  to.save(options.trace_graph, seen.to_bytes(), "; 'sennit view' shows it.");
  return {};
}

std::string save_splice(gallery::kernel& kernel, const run_options& options, const tools::outputs& to,
                        const std::any& expected) {
  sennit::splice_schedule order;
  std::any result;
  kernel.trace_splice(&order);
  sennit::runtime runtime({.workers = options.measuring.workers});
  runtime.run([&] { result = kernel.run(gallery::policy::parallel); });
  kernel.trace_splice(nullptr);
  if (!kernel.same(result, expected)) return "the result of the run whose splice was saved is another";
  if (order.size() == 0) {
    throw std::runtime_error(
        fmt::format("{} ran no splice to save; choose --variant spliced", kernel.about().name));
  }
  to.save(options.splice, order.to_bytes(), "; 'sennit view splice' shows it.");
  return {};
}

}  // namespace

bool run_kernel(gallery::kernel& kernel, const run_options& options) {
  const std::string_view name = kernel.about().name;
  const std::filesystem::path input =
      options.input.empty() ? gallery::default_input(kernel.about()) : options.input;
  const tools::outputs to({options.output, options.json, options.record, options.trace_events,
                           options.trace_graph, options.splice},
                          {input.string(), options.replay});
  progress shown;
  shown.detail(fmt::format("{}: preparing", name));
  kernel.prepare(input);
  plan measuring = options.measuring;
  measuring.record = !options.record.empty() || !options.trace_events.empty() || !options.replay.empty();
  if (!options.replay.empty()) measuring.followed = sennit::schedule::load(options.replay);
  const measurement m = measure(
      kernel, measuring, [&](std::string_view stage) { shown.detail(fmt::format("{}: {}", name, stage)); });
  shown.clear();
  if (!options.json.empty()) tools::write_file(options.json, records_of(kernel, m));
  if (!m.complaint.empty()) {
    fmt::print(stderr, "sennit: {} ({}) failed its check: {}\n", name, show_parameters(kernel), m.complaint);
    return false;
  }
  fmt::print(to.messages(), "{}", report(kernel, m));
  if (measuring.followed) {
    const std::string file = std::filesystem::path(options.replay).filename().string();
    fmt::print(to.messages(), "\n{}{}", report_of_replay(m, measuring.how),
               text(compare(m.schedule, *measuring.followed, file, 0)));
  }
  if (!options.output.empty()) to.save(options.output, kernel.encode(m.result));
  if (!options.record.empty()) to.save(options.record, m.schedule.to_bytes(), "; 'sennit view' shows it.");
  if (!options.trace_events.empty())
    to.save(options.trace_events, trace_events(m.schedule, name), trace_remark);
  std::string complaint;
  if (!options.trace_graph.empty()) complaint = trace_graph(kernel, options, to, m.result);
  if (!options.splice.empty() && complaint.empty()) complaint = save_splice(kernel, options, to, m.result);
  if (!complaint.empty())
    fmt::print(stderr, "sennit: {} ({}) failed its check: {}\n", name, show_parameters(kernel), complaint);
  return complaint.empty();
}

}  // namespace command
