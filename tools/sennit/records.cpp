// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/records.hpp"

#include "gallery/kernel.hpp"

#include <sennit/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>

#include <fstream>
#include <string>
#include <thread>
#include <type_traits>
#include <variant>
#include <vector>

namespace command {
namespace {

using nlohmann::ordered_json;

ordered_json machine() {
  ordered_json result;
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) {
      result["cpu"] = line.substr(line.find(": ") + 2);
      break;
    }
  }
  result["cpus"] = std::thread::hardware_concurrency();
  utsname system{};
  if (uname(&system) == 0) result["kernel"] = system.release;
  return result;
}

class records {
 public:
  records(gallery::kernel& kernel, const measurement& m) : kernel_(kernel.about().name), error_(m.complaint) {
    for (const gallery::parameter& p : kernel.parameters()) {
      ordered_json& place = p.name == "variant" ? variant_ : parameters_[std::string(p.name)];
      std::visit([&](auto* value) { place = *value; }, p.value);
    }
  }

  template <class Number>
  void add(const char* system, unsigned workers, const char* metric, const char* unit,
           std::vector<Number> samples) {
    if (samples.empty() && error_.empty()) return;
    ordered_json record{{"kernel", kernel_},   {"params", parameters_}, {"system", system},
                        {"variant", variant_}, {"workers", workers},    {"metric", metric},
                        {"unit", unit},        {"samples", samples},    {"min", nullptr},
                        {"median", nullptr},   {"ok", error_.empty()}};
    if (!samples.empty()) {
      record["min"] = *std::min_element(samples.begin(), samples.end());
      record["median"] = median(samples);
    }
    if (!error_.empty()) record["error"] = error_;
    lines_.push_back(record.dump());
  }

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::string kernel_;
  ordered_json variant_ = "default";
  ordered_json parameters_ = ordered_json::object();
  std::vector<std::string> lines_;
  std::string error_;
};

}  // namespace

std::string machine_record() { return machine().dump(); }

std::string machine_name() {
  const ordered_json m = machine();
  return fmt::format("{}, {} CPUs, Linux {}", m.value("cpu", "unknown CPU"), m.value("cpus", 0U),
                     m.value("kernel", "unknown"));
}

std::string records_of(gallery::kernel& kernel, const measurement& m) {
  records results(kernel, m);
  const auto some = [](const auto& value) {
    using number = std::decay_t<decltype(*value)>;
    return value ? std::vector<number>{*value} : std::vector<number>{};
  };
  results.add("serial", 1, "seconds", "s", m.serial.seconds);
  results.add("sennit", m.workers, "seconds", "s", m.parallel.seconds);
  std::vector<double> over_serial = m.parallel.seconds;
  for (double& seconds : over_serial) seconds /= median(m.serial.seconds);
  results.add("sennit", m.workers, "over_serial", "ratio", over_serial);
  results.add("sennit", m.workers, "forks", "forks", some(m.forks));
  results.add("sennit", m.workers, "steals", "steals", m.steals);
  results.add("serial", 1, "peak_mib", "MiB", some(m.serial.peak_mib));
  results.add("sennit", m.workers, "peak_mib", "MiB", some(m.parallel.peak_mib));

  // One record on each line, so that people can read the file and diff can compare files.
  return fmt::format(
      "{{\n\"suite\": \"run\",\n\"version\": \"{}\",\n\"machine\": {},\n\"results\": [\n{}\n]\n}}\n",
      sennit::version(), machine().dump(), fmt::join(results.lines(), ",\n"));
}

}  // namespace command
