#include "tools/sennit/run.hpp"

#include "gallery/kernel.hpp"
#include "tools/sennit/progress.hpp"
#include "tools/sennit/records.hpp"
#include "tools/sennit/report.hpp"
#include "tools/sennit/trace_events.hpp"

#include <fmt/format.h>

#include <string_view>

namespace command {

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
  return true;
}

}  // namespace command
