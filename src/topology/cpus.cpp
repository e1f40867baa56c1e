#include "topology/cpus.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sennit::topology {

unsigned affinity_cpus() noexcept {
  // The kernel's mask may be longer than cpu_set_t: EINVAL says so.
  for (std::size_t words = 16; words <= 4096; words *= 4) {
    std::vector<unsigned long> mask(words);
    auto* const set = reinterpret_cast<cpu_set_t*>(mask.data());
    const std::size_t bytes = words * sizeof(unsigned long);
    if (sched_getaffinity(0, bytes, set) == 0) return std::max(1U, static_cast<unsigned>(CPU_COUNT_S(bytes, set)));
    if (errno != EINVAL) break;
  }
  return 1;
}

std::optional<double> cgroup_cpu_quota() { return std::nullopt; }

unsigned default_workers() {
  const unsigned cpus = affinity_cpus();
  const auto quota = cgroup_cpu_quota();
  if (!quota) return cpus;
  return std::max(1U, std::min(cpus, static_cast<unsigned>(std::ceil(*quota))));
}

}  // namespace sennit::topology
