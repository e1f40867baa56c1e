// The limit on CPU time that containers and services run under.
#pragma once

#include <optional>
#include <string>

namespace sennit::topology {

// CPUs' worth of time that the process' cgroups allow: v1 or v2, the tightest from its own group up to the
// root of the hierarchy, as far as it is mounted here. Nothing if there is no limit, or none can be read.
// `root` comes before the paths of all files read.
std::optional<double> cgroup_cpu_quota(const std::string& root = "");

}  // namespace sennit::topology
