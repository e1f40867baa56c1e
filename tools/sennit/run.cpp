#include "tools/sennit/run.hpp"

#include "gallery/kernel.hpp"
#include "tools/sennit/progress.hpp"
#include "tools/sennit/records.hpp"
#include "tools/sennit/report.hpp"
#include "tools/sennit/trace_events.hpp"

#include <sennit/graph_trace.hpp>
#include <sennit/runtime.hpp>
#include <sennit/splice_schedule.hpp>

#include <fmt/format.h>

#include <any>
#include <stdexcept>
#include <string>
#include <string_view>

namespace command {
namespace {

// One more run; what is wrong with its result, if anything.
std::string trace_graph(gallery::kernel& kernel, const run_options& options, const std::any& expected) {
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
  seen.save(options.trace_graph.string());
  fmt::print("Wrote {}; 'sennit view' shows it.\n", options.trace_graph.string());
  return {};
}

std::string save_splice(gallery::kernel& kernel, const run_options& options, const std::any& expected) {
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
  order.save(options.splice.string());
  fmt::print("Wrote {}; 'sennit view splice' shows it.\n", options.splice.string());
  return {};
}

}  // namespace

bool run_kernel(gallery::kernel& kernel, const run_options& options) {
  const std::string_view name = kernel.about().name;
  progress shown;
  shown.detail(fmt::format("{}: preparing", name));
  kernel.prepare(options.input.empty() ? gallery::default_input(kernel.about()) : options.input);
  plan measuring = options.measuring;
  measuring.record = !options.record.empty() || !options.trace.empty();
  const measurement m = measure(
      kernel, measuring, [&](std::string_view stage) { shown.detail(fmt::format("{}: {}", name, stage)); });
  shown.clear();
  if (!options.json.empty()) write_records(kernel, m, options.json);
  if (!m.complaint.empty()) {
    fmt::print(stderr, "sennit: {} ({}) failed its check: {}\n", name, show_parameters(kernel), m.complaint);
    return false;
  }
  fmt::print("{}", report(kernel, m));
  if (!options.output.empty()) {
    kernel.write(m.result, options.output);
    fmt::print("Wrote {}.\n", options.output.string());
  }
  if (!options.record.empty()) {
    m.schedule.save(options.record.string());
    fmt::print("Wrote {}; 'sennit view' shows it.\n", options.record.string());
  }
  if (!options.trace.empty()) write_trace(m.schedule, name, options.trace);
  std::string complaint;
  if (!options.trace_graph.empty()) complaint = trace_graph(kernel, options, m.result);
  if (!options.splice.empty() && complaint.empty()) complaint = save_splice(kernel, options, m.result);
  if (!complaint.empty())
    fmt::print(stderr, "sennit: {} ({}) failed its check: {}\n", name, show_parameters(kernel), complaint);
  return complaint.empty();
}

}  // namespace command
