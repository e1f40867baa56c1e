// SPDX-License-Identifier: Apache-2.0
// The limit on CPU time of containers and services.
#pragma once

#include <optional>
#include <string>

namespace sennit::topology {

// The CPU time that the process's cgroups (v1 or v2) allow, in CPUs: the smallest limit from the process's
// own group up to the root of the hierarchy, as far as it is mounted here. Nothing if there is no limit, or
// none can be read. `root` is put before the paths of all files.
std::optional<double> cgroup_cpu_quota(const std::string& root = "");

}  // namespace sennit::topology
