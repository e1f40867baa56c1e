// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/doctor.hpp"

#include "tools/output.hpp"
#include "tools/sennit/machine_load.hpp"
#include "tools/sennit/measured_machine.hpp"
#include "tools/sennit/progress.hpp"
#include "tools/sennit/table.hpp"

#include <sennit/doctor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace command {

void print_doctor() {
  using severity = sennit::doctor_line::severity;
  const auto word = [](severity verdict) {
    switch (verdict) {
      case severity::good: return "good";
      case severity::note: return "note";
      case severity::missing: break;
    }
    return "MISSING";
  };
  const std::vector<sennit::doctor_line> findings = sennit::doctor();
  table lines({"", "topic", "finding", "remedy"}, {table::left, table::left, table::left, table::left});
  for (const sennit::doctor_line& line : findings) {
    lines.add({word(line.verdict), line.topic, line.finding, line.remedy});
  }
  const auto missing = std::count_if(findings.begin(), findings.end(),
                                     [](const auto& line) { return line.verdict == severity::missing; });
  fmt::print("{}\n{}\n", lines.str(),
             missing == 0   ? "Nothing is missing."
             : missing == 1 ? "One thing is missing or to be mended."
                            : fmt::format("{} things are missing or to be mended.", missing));
}

void write_machine(const doctor_options& options) {
  const std::string file = options.machine.empty() ? tools::standard_output : options.machine;
  const tools::outputs to({file}, {});
  constexpr std::chrono::milliseconds looking{500};
  if (const std::string why = options.force ? "" : why_busy(measure_load(looking)); !why.empty())
    throw std::runtime_error(why);
  progress shown;
  const std::string text =
      measured_machine(options.seconds, [&](std::string_view what) { shown.step(what); });
  shown.clear();
  to.save(file, text, "; `sennit sim --machine` reads it.");
}

}  // namespace command
