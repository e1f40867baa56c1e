// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/demo.hpp"

#include "gallery/kernel.hpp"
#include "tools/output.hpp"
#include "tools/sennit/progress.hpp"
#include "tools/sennit/report.hpp"
#include "tools/sennit/table.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace command {
namespace {

// With this budget, the demo takes at most two minutes on a slow machine with two cores. No kernel starts
// another pair of runs after its budget.
constexpr std::chrono::seconds budget_of_a_kernel{4};

// The list of packages, a large text that every Debian system has; on other systems the bundled text.
std::filesystem::path input_of(const gallery::description& about) {
  std::filesystem::path packages = "/var/lib/dpkg/status";
  const bool reads_text = about.reads == gallery::content::text;
  std::error_code error;
  if (reads_text && std::filesystem::file_size(packages, error) > 0 && !error) return packages;
  return gallery::default_input(about);
}

// Empty if the kernel has no output.
std::string output_of(const gallery::description& about, const demo_options& options) {
  if (options.folder.empty() || about.writes != gallery::content::picture) return {};
  return (options.folder / fmt::format("{}.png", about.name)).string();
}

class demonstration {
 public:
  explicit demonstration(const demo_options& options) : options_(options) {
    options_.measuring.budget = budget_of_a_kernel;
  }

  void show(gallery::kernel& kernel, const std::string& place) {
    const gallery::description& about = kernel.about();
    shown_.step(fmt::format("{} {}: {}", place, about.name, about.summary));
    kernel.choose_demo();
    const std::filesystem::path input = input_of(about);
    const std::string output = output_of(about, options_);
    if (!input.empty()) files_ += fmt::format("{} read {}\n", about.name, input.string());
    kernel.prepare(input);
    const measurement m = measure(kernel, options_.measuring, [&](std::string_view stage) {
      shown_.detail(fmt::format("{} {}: {}", place, about.name, stage));
    });
    workers_ = m.workers;
    if (!m.complaint.empty()) {
      all_right_ = false;
      results_.add({std::string(about.name), "", "", "", "", "", "", "WRONG: " + m.complaint});
      return;
    }
    results_.add({std::string(about.name), show_seconds(median(m.serial.seconds)),
                  show_seconds(median(m.parallel.seconds)), fmt::format("{:.2f} x", m.speedup()),
                  show_forks(m), show_steals(m), show_mib(m.parallel.peak_mib), m.description});
    if (output.empty()) return;
    tools::write_file(output, kernel.encode(m.result));
    files_ += fmt::format("{} wrote {}\n", about.name, output);
  }

  bool finish() {
    shown_.clear();
    fmt::print(
        "\n{}\n"
        "serial: the serial elision, the same source with forks as plain calls and loops as plain loops.\n"
        "sennit: on {}. A loop counts as one fork. Times are {},\n"
        "fewer where those take long. Every result was checked, and compared with the elision's.\n\n{}",
        results_.str(), show_workers(workers_), show_sampling(options_.measuring.repeat), files_);
    return all_right_;
  }

 private:
  demo_options options_;
  progress shown_;
  table results_{{"kernel", "serial", "sennit", "speed-up", "forks", "steals", "peak memory", "result"},
                 {table::left, table::right, table::right, table::right, table::right, table::right,
                  table::right, table::left}};
  std::string files_;
  unsigned workers_ = 0;
  bool all_right_ = true;
};

}  // namespace

bool run_demo(std::vector<std::unique_ptr<gallery::kernel>> kernels, const demo_options& options) {
  std::vector<std::string> written;
  std::vector<std::string> read;
  for (const auto& k : kernels) {
    written.push_back(output_of(k->about(), options));
    read.push_back(input_of(k->about()).string());
  }
  const tools::outputs checked(std::move(written), read);
  demonstration demo(options);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    demo.show(*kernels[i], fmt::format("[{}/{}]", i + 1, kernels.size()));
    kernels[i].reset();  // so that its input does not count in the memory of the next kernel
  }
  return demo.finish();
}

}  // namespace command
