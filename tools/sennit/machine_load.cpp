// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/machine_load.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>

namespace command {
namespace {

constexpr double most_share = 0.05;
constexpr std::size_t most_named = 3;

using ticks = unsigned long long;

double seconds_of(ticks t) {
  const long per_second = sysconf(_SC_CLK_TCK);
  return per_second > 0 ? static_cast<double>(t) / static_cast<double>(per_second) : 0;
}

// Of all CPUs, since the system has started. `stolen`: a virtual machine's CPUs were taken from it.
struct all_cpus {
  ticks busy = 0;
  ticks stolen = 0;
};

all_cpus now() {
  std::ifstream file("/proc/stat");
  std::string word;
  std::array<ticks, 8> of{};  // user, nice, system, idle, waiting for a disk, interrupts, soft ones, stolen
  file >> word;
  for (ticks& each : of) file >> each;
  if (!file) return {};
  return {of[0] + of[1] + of[2] + of[5] + of[6], of[7]};
}

struct process_time {
  std::string name;
  ticks taken = 0;
};

// A line of /proc/PID/stat: the name in parentheses may have spaces; the 14th and 15th field are the times.
std::optional<process_time> time_of(const std::string& line) {
  const std::size_t open = line.find('(');
  const std::size_t close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  std::istringstream rest(line.substr(close + 1));
  std::string skipped;
  constexpr int before_times = 11;
  for (int i = 0; i < before_times; ++i) rest >> skipped;
  ticks user = 0;
  ticks system = 0;
  if (!(rest >> user >> system)) return std::nullopt;
  return process_time{line.substr(open + 1, close - open - 1), user + system};
}

std::map<std::string, process_time> processes() {
  std::map<std::string, process_time> all;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", failed)) {
    const std::string number = entry.path().filename();
    if (!std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;  // it has ended
    if (auto found = time_of(line)) all.emplace(number, std::move(*found));
  }
  return all;
}

}  // namespace

machine_load measure_load(std::chrono::milliseconds time) {
  machine_load load;
  load.cpus = std::max(1U, std::thread::hardware_concurrency());
  const auto began = processes();
  const all_cpus first = now();
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(time);
  const all_cpus last = now();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  load.others = seconds_of(last.busy - first.busy + last.stolen - first.stolen) / seconds;
  if (last.stolen > first.stolen)
    load.programs.push_back({"other virtual machines", seconds_of(last.stolen - first.stolen) / seconds});
  const std::string own = std::to_string(getpid());
  for (const auto& [number, ended] : processes()) {
    const auto before = began.find(number);
    const ticks earlier = before == began.end() ? 0 : before->second.taken;
    if (number == own || ended.taken <= earlier) continue;
    load.programs.push_back(
        {fmt::format("{} (process {})", ended.name, number), seconds_of(ended.taken - earlier) / seconds});
  }
  std::ranges::sort(load.programs, std::greater<>(), &busy_program::cpus);
  if (load.programs.size() > most_named) load.programs.resize(most_named);
  return load;
}

std::string why_busy(const machine_load& load) {
  if (load.others <= most_share * load.cpus) return "";
  std::vector<std::string> named;
  for (const busy_program& p : load.programs) named.push_back(fmt::format("{} takes {:.2f}", p.name, p.cpus));
  return fmt::format(
      "others take {:.2f} of the {} CPUs{}{}; what is measured now would be wrong by about as much. Stop "
      "them, or measure all the same with --force",
      load.others, load.cpus, named.empty() ? "" : ": ", fmt::join(named, ", "));
}

}  // namespace command
