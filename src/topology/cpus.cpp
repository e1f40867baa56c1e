// SPDX-License-Identifier: Apache-2.0
#include "topology/cpus.hpp"

#include "topology/cgroup.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace sennit::topology {

std::vector<unsigned> allowed_cpus() {
  std::vector<unsigned> cpus;
  // The kernel's mask may be longer than a cpu_set_t; the kernel then returns only EINVAL.
  for (std::size_t words = sizeof(cpu_set_t) / sizeof(unsigned long); words <= 4096; words *= 2) {
    std::vector<unsigned long> mask(words);
    auto* const set = reinterpret_cast<cpu_set_t*>(mask.data());
    const std::size_t bytes = words * sizeof(unsigned long);
    if (sched_getaffinity(0, bytes, set) == 0) {
      for (unsigned cpu = 0; cpu < bytes * 8; ++cpu) {
        if (CPU_ISSET_S(cpu, bytes, set)) cpus.push_back(cpu);
      }
      break;
    }
    if (errno != EINVAL) break;
  }
  if (cpus.empty()) {
    cpus.resize(static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))));
    std::iota(cpus.begin(), cpus.end(), 0U);
  }
  return cpus;
}

unsigned workers_within(unsigned cpus, std::optional<double> quota) noexcept {
  if (!quota || *quota >= cpus) return cpus;
  return std::max(1U, static_cast<unsigned>(std::ceil(*quota)));
}

unsigned default_workers() {
  return workers_within(static_cast<unsigned>(allowed_cpus().size()), cgroup_cpu_quota());
}

}  // namespace sennit::topology
