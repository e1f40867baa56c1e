// SPDX-License-Identifier: Apache-2.0
#include "doctor/doctor.hpp"

#include "doctor/variables.hpp"
#include "stack/stack.hpp"
#include "system/barrier.hpp"
#include "system/text.hpp"
#include "topology/cgroup.hpp"
#include "topology/cpus.hpp"
#include "topology/hwloc.hpp"
#include "topology/machine.hpp"

#include <sennit/runtime.hpp>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <optional>
#include <utility>

namespace sennit::detail {

namespace {

using severity = doctor_line::severity;

std::string count(std::size_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string show(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

std::string show_bytes(std::size_t bytes) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  return bytes % mib == 0 ? std::to_string(bytes / mib) + " MiB" : std::to_string(bytes >> 10) + " KiB";
}

doctor_line examine_affinity(std::size_t allowed) {
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  if (online <= 0 || allowed >= static_cast<std::size_t>(online)) {
    return {"CPUs", count(allowed, "CPU") + ", all in the affinity mask", severity::good, {}};
  }
  return {"CPUs",
          std::to_string(allowed) + " of " + count(static_cast<std::size_t>(online), "CPU") +
              " in the affinity mask",
          severity::note, "start the program without taskset, or with more CPUs in the container's cpuset"};
}

doctor_line examine_quota(std::size_t allowed, std::optional<double> quota) {
  if (!quota) return {"CPU quota", "no cgroup limits the time on them", severity::good, {}};
  const std::string finding =
      "a cgroup allows the time of " + show(*quota) + (*quota == 1 ? " CPU" : " CPUs");
  if (*quota >= static_cast<double>(allowed)) return {"CPU quota", finding, severity::good, {}};
  return {"CPU quota", finding, severity::note,
          "raise the container's limit (cpu.max, or cpu.cfs_quota_us) if it is yours to raise"};
}

doctor_line examine_workers(unsigned allowed, std::optional<double> quota) {
  const unsigned workers = topology::workers_within(allowed, quota);
  const std::string why = workers < allowed ? "the CPU quota, rounded up" : "one for each allowed CPU";
  return {"workers", std::to_string(workers) + " by default: " + why, severity::good, {}};
}

doctor_line examine_barrier() {
  if (detail::membarrier_available()) {
    return {"membarrier", "expedited: a join needs no fence", severity::good, {}};
  }
  return {"membarrier", "refused by the kernel: each join costs a fence", severity::missing,
          "use Linux 4.14 or later, with a seccomp filter that lets membarrier(2) pass"};
}

doctor_line examine_stack() {
  return {"stack",
          show_bytes(detail::default_stack_bytes()) + " of address space for each fiber by default: " +
              (detail::address_space_is_scarce()
                   ? "as much as the main thread's limit, as address space is scarce"
                   : "32 times the main thread's limit (ulimit -s)"),
          severity::good,
          {}};
}

doctor_line examine_places(const topology::machine& seen) {
  return {"places",
          count(seen.node_count(), "NUMA node") + ", " + count(seen.cache_count(), "last-level cache") +
              ", " + count(seen.core_count(), "core") + ", " + count(seen.processors().size(), "CPU"),
          severity::good,
          {}};
}

doctor_line examine_hwloc() {
  const std::string version = topology::hwloc_version();
  if (!version.empty()) return {"hwloc", "built in, version " + version, severity::good, {}};
  return {"hwloc", "not built in: caches and cores are not seen", severity::missing,
          "install libhwloc-dev and configure with -DSENNIT_WITH_HWLOC=ON"};
}

// Asks for a mask without CPUs. A thread that may bind threads gets the error for an empty mask, and nothing
// changes.
bool binding_permitted() noexcept {
  const unsigned long empty = 0;
  return sched_setaffinity(0, sizeof empty, reinterpret_cast<const cpu_set_t*>(&empty)) != 0 &&
         errno == EINVAL;
}

doctor_line examine_binding(const topology::machine& seen) {
  const bool several = seen.node_count() > 1;
  if (!binding_permitted()) {
    return {"binding", "the kernel does not let threads be bound",
            several ? severity::missing : severity::note, "let sched_setaffinity(2) pass the seccomp filter"};
  }
  return {"binding",
          several ? "workers are bound to NUMA nodes by default"
                  : "permitted; not done by default, with one NUMA node",
          severity::good,
          {}};
}

doctor_line examine_huge_pages(const std::string& root) {
  // For example "always [madvise] never".
  const auto text = text::read_text(root + "/sys/kernel/mm/transparent_hugepage/enabled");
  const std::size_t open = text ? text->find('[') : std::string::npos;
  const std::size_t close = text ? text->find(']') : std::string::npos;
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return {"huge pages", "the kernel has no transparent ones, or does not say", severity::note, {}};
  }
  const std::string mode = text->substr(open + 1, close - open - 1);
  if (mode != "never") return {"huge pages", "transparent: " + mode, severity::good, {}};
  return {"huge pages", "transparent: never; programs with much data run slower", severity::missing,
          "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
}

doctor_line examine_overcommit(const std::string& root) {
  const auto mode = text::read_text(root + "/proc/sys/vm/overcommit_memory");
  if (!mode) return {"overcommit", "the kernel does not say", severity::note, {}};
  if (*mode != "2") {
    return {"overcommit", "mode " + *mode + ": address space for stacks costs nothing", severity::good, {}};
  }
  return {"overcommit", "mode 2: each fiber's stack counts in full against the limit", severity::note,
          "set a smaller SENNIT_STACK (256K, say), or vm.overcommit_memory=0"};
}

doctor_line examine_clock(const std::string& root) {
  const auto source =
      text::read_text(root + "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (!source) return {"clock", "the kernel does not say", severity::note, {}};
  if (*source != "hpet" && *source != "acpi_pm" && *source != "jiffies")
    return {"clock", *source, severity::good, {}};
  return {"clock", *source + ": reading it is a system call of a microsecond or more", severity::note,
          "see why the kernel distrusts a faster one (dmesg), as clocksource=tsc forces it"};
}

// Returns nothing if the kernel does not control the frequency, as in most virtual machines.
std::optional<doctor_line> examine_governor(const std::string& root) {
  const std::string folder = root + "/sys/devices/system/cpu/cpu0/cpufreq/";
  const auto governor = text::read_text(folder + "scaling_governor");
  if (!governor) return std::nullopt;
  const std::string driver = text::read_text(folder + "scaling_driver").value_or("driver unknown");
  const std::string finding = "governor " + *governor + " (" + driver + ")";
  // With the pstate drivers, "powersave" means that the CPU adapts its frequency.
  if (*governor != "powersave" || driver.find("pstate") != std::string::npos) {
    return doctor_line{"CPU frequency", finding, severity::good, {}};
  }
  return doctor_line{"CPU frequency", finding + ": CPUs stay at their lowest clock", severity::note,
                     "cpupower frequency-set -g schedutil (or performance)"};
}

}  // namespace

std::vector<doctor_line> examine(const std::string& root) {
  const auto allowed = static_cast<unsigned>(topology::allowed_cpus().size());
  const auto quota = topology::cgroup_cpu_quota(root);
  // With workers bound to cores, the runtime examines the machine closely in any case.
  const topology::machine seen = topology::machine::detect({}, pin_mode::core);

  std::vector<doctor_line> lines = {
      examine_affinity(allowed),
      examine_quota(allowed, quota),
      examine_workers(allowed, quota),
      examine_places(seen),
      examine_hwloc(),
      examine_binding(seen),
      examine_barrier(),
      examine_stack(),
      examine_overcommit(root),
      examine_huge_pages(root),
      examine_clock(root),
  };
  if (auto governor = examine_governor(root)) lines.push_back(*std::move(governor));
  auto variables = examine_variables();
  std::move(variables.begin(), variables.end(), std::back_inserter(lines));
  return lines;
}

}  // namespace sennit::detail

namespace sennit {

std::vector<doctor_line> doctor() { return detail::examine(); }

}  // namespace sennit
