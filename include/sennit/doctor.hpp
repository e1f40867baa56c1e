// SPDX-License-Identifier: Apache-2.0
// doctor: what the runtime finds on this machine, and what it misses.
#pragma once

#include <sennit/detail/config.hpp>

#include <string>
#include <vector>

namespace sennit {

// One finding. `note`: it may cost speed, and may be intended. `missing`: it should be corrected.
struct doctor_line {
  // How bad it is.
  enum class severity { good, note, missing };
  std::string topic;                  // "membarrier", "workers", ...
  std::string finding;                // what was found, with units
  severity verdict = severity::good;  // how bad that is
  std::string remedy;                 // what would correct it; empty if nothing needs correction
};

// Examines the machine: CPUs, quota, topology, barrier, stacks, huge pages, clock, and the SENNIT_
// variables. Starts no runtime and changes nothing. If something cannot be read, that is a finding, too.
// Throws only std::bad_alloc. Thread-safety: any thread may call it while no thread changes the environment.
// Cost: some milliseconds, mostly in hwloc.
//
// Example:
//   #include <cstdio>
//
//   void print_what_is_missing() {
//     for (const sennit::doctor_line& line : sennit::doctor()) {
//       if (line.verdict != sennit::doctor_line::severity::missing) continue;
//       std::printf("%s: %s; %s\n", line.topic.c_str(), line.finding.c_str(), line.remedy.c_str());
//     }
//   }
SENNIT_EXPORT std::vector<doctor_line> doctor();

}  // namespace sennit
