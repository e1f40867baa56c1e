// How many CPUs this process may use.
#pragma once

#include <optional>
#include <vector>

namespace sennit::topology {

// The kernel's numbers of the CPUs in the affinity mask of the calling thread, ascending;
// if that cannot be read, of all CPUs online. Never empty.
std::vector<unsigned> allowed_cpus();

// How many threads can be at work at once on so many CPUs under this quota: it is rounded up, and at least 1.
unsigned workers_within(unsigned cpus, std::optional<double> quota) noexcept;

// workers_within() the affinity mask and the cgroups' quota.
unsigned default_workers();

}  // namespace sennit::topology
