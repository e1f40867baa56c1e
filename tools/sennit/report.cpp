// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/report.hpp"

#include "gallery/kernel.hpp"
#include "tools/sennit/table.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <variant>

namespace command {

std::string show_parameters(gallery::kernel& kernel) {
  std::string out;
  for (const gallery::parameter& p : kernel.parameters()) {
    std::visit([&](auto* value) { out += fmt::format("{}{}={}", out.empty() ? "" : " ", p.name, *value); },
               p.value);
  }
  return out;
}

std::string show_sampling(std::size_t runs) {
  return runs == 1 ? "those of one run each" : fmt::format("medians of {} interleaved runs each", runs);
}

std::string show_workers(unsigned workers) {
  return fmt::format("{} worker{}", workers, workers == 1 ? "" : "s");
}
std::string show_steals(const measurement& m) { return show_count(median(m.steals)); }
std::string show_forks(const measurement& m) { return m.forks ? show_count(*m.forks) : "not counted"; }

std::string report(gallery::kernel& kernel, const measurement& m) {
  table lines({"", "time", "speed-up", "forks", "steals", "peak memory"},
              {table::left, table::right, table::right, table::right, table::right, table::right});
  lines.add({"serial elision", show_seconds(median(m.serial.seconds)), "1.00 x", "-", "-",
             show_mib(m.serial.peak_mib)});
  lines.add({"sennit, " + show_workers(m.workers), show_seconds(median(m.parallel.seconds)),
             fmt::format("{:.2f} x", m.speedup()), show_forks(m), show_steals(m),
             show_mib(m.parallel.peak_mib)});
  const std::size_t runs = m.serial.seconds.size();
  return fmt::format(
      "{} ({})\n"
      "{}; checked, and the same in all {} runs\n\n"
      "{}\n"
      "Times and steals are {}. The speed-up is over the\n"
      "serial elision: the same source with forks as plain calls and loops as plain loops.{}\n",
      kernel.about().name, show_parameters(kernel), m.description, 2 * runs + (m.forks ? 1 : 0), lines.str(),
      show_sampling(runs), m.forks ? "\nOne more run of it counted the forks, a loop as one." : "");
}

std::string report_of_replay(const measurement& m, sennit::fidelity how) {
  const double seconds = median(m.replayed.seconds);
  const char* const name = how == sennit::relaxed            ? "relaxed"
                           : how == sennit::strict_unordered ? "strict and unordered"
                                                             : "strict and in order";
  return fmt::format("By the schedule, {}: {}, {:.2f} times as long as without it.\n", name,
                     show_seconds(seconds), seconds / median(m.parallel.seconds));
}

}  // namespace command
