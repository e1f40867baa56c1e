// SPDX-License-Identifier: Apache-2.0
// The number of CPUs that this process may use.
#pragma once

#include <optional>
#include <vector>

namespace sennit::topology {

// The kernel's numbers of the CPUs in the calling thread's affinity mask, in ascending order. If the mask
// cannot be read, the numbers of all online CPUs. Never empty.
std::vector<unsigned> allowed_cpus();

// How many threads can run at once on this number of CPUs with this quota, which is rounded up. At least 1.
unsigned workers_within(unsigned cpus, std::optional<double> quota) noexcept;

// workers_within() for the affinity mask and the cgroups' quota.
unsigned default_workers();

}  // namespace sennit::topology
