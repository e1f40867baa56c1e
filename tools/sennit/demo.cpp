#include "tools/sennit/demo.hpp"

#include "tools/sennit/progress.hpp"
#include "tools/sennit/report.hpp"
#include "tools/sennit/table.hpp"

#include <fmt/format.h>

namespace command {
namespace {

// Leaves a slow machine with two cores within two minutes: no kernel starts another pair of runs beyond it.
constexpr std::chrono::seconds budget_of_a_kernel{6};

// A large text that every Debian system has, its list of packages; elsewhere the bundled text.
std::filesystem::path input_of(const gallery::description& about) {
  const std::filesystem::path packages = "/var/lib/dpkg/status";
  const bool reads_text = about.writes == gallery::output::text;
  std::error_code error;
  if (reads_text && std::filesystem::file_size(packages, error) > 0 && !error) return packages;
  return gallery::data_file(about.input);
}

std::filesystem::path output_of(const gallery::description& about, const std::filesystem::path& folder) {
  return folder / fmt::format("{}.png", about.name);
}

}  // namespace

bool run_demo(const std::vector<std::unique_ptr<gallery::kernel>>& kernels, const demo_options& options) {
  table results(
      {"kernel", "serial", "sennit", "speed-up", "forks", "steals", "peak memory", "checked result"},
      {table::left, table::right, table::right, table::right, table::right, table::right, table::right,
       table::left});
  plan measuring = options.measuring;
  measuring.budget = budget_of_a_kernel;
  std::vector<std::string> notes;
  unsigned workers = 0;
  bool all_right = true;
  progress shown;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    gallery::kernel& kernel = *kernels[i];
    const gallery::description& about = kernel.about();
    const std::string place = fmt::format("[{}/{}] {}", i + 1, kernels.size(), about.name);
    shown.step(fmt::format("{}: {}", place, about.summary));
    kernel.choose_demo();
    const std::filesystem::path input = about.input.empty() ? "" : input_of(about);
    kernel.prepare(input);
    const measurement m = measure(kernel, measuring, [&](std::string_view stage) {
      shown.detail(fmt::format("{}: {}", place, stage));
    });
    workers = m.workers;
    if (!m.complaint.empty()) {
      all_right = false;
      shown.clear();
      fmt::print(stderr, "sennit: {} ({}) failed its check: {}\n", about.name, show_parameters(kernel),
                 m.complaint);
      results.add({std::string(about.name), "", "", "", "", "", "", "WRONG: " + m.complaint});
      continue;
    }
    results.add({std::string(about.name), show_seconds(median(m.serial.seconds)),
                 show_seconds(median(m.parallel.seconds)), fmt::format("{:.2f} x", m.speedup()),
                 show_forks(m), show_steals(m), show_mib(m.parallel.peak_mib), m.description});
    if (!input.empty()) notes.push_back(fmt::format("{} read {}", about.name, input.string()));
    if (about.writes == gallery::output::picture) {
      const std::filesystem::path output = output_of(about, options.folder);
      kernel.write(m.result, output);
      notes.push_back(fmt::format("{} wrote {}", about.name, output.string()));
    }
  }
  shown.clear();
  fmt::print(
      "{}\nserial: the serial elision, which is the same source with every fork a plain call. sennit: on {} "
      "worker{}.\nTimes are medians of up to {} interleaved runs each; every result was compared with the "
      "elision's.\n\n",
      results.str(), workers, workers == 1 ? "" : "s", options.measuring.repeat);
  for (const std::string& note : notes) fmt::print("{}\n", note);
  return all_right;
}

}  // namespace command
