// How many CPUs this process may use.
#pragma once

#include <optional>

namespace sennit::topology {

// CPUs in the affinity mask of the calling thread; at least 1.
unsigned affinity_cpus() noexcept;

// CPUs' worth of time that the process' cgroups (v1 or v2, the tightest one up to the root) allow; nothing if there is
// no limit, or none can be read.
std::optional<double> cgroup_cpu_quota();

// The affinity mask's CPUs, no more than the quota rounded up; at least 1.
unsigned default_workers();

}  // namespace sennit::topology
