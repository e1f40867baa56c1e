// What the runtime sees of the machine, and what it misses.
#pragma once

#include <sennit/detail/config.hpp>

#include <string>
#include <vector>

namespace sennit {

// One finding. `note`: may cost speed, and may be meant so. `missing`: to be mended.
struct doctor_line {
  enum class severity { good, note, missing };
  std::string topic;    // "membarrier", "workers", ...
  std::string finding;  // what was found, with units
  severity verdict = severity::good;
  std::string remedy;  // what would mend it; empty where nothing is to be mended
};

// Looks at the machine now: CPUs, quota, topology, barrier, stacks, huge pages, clock,
// and the SENNIT_ variables. Starts no runtime and changes nothing. Throws nothing but std::bad_alloc:
// what cannot be read is a finding. May be called from any thread while none changes the environment.
// Cost: some milliseconds, mostly hwloc's.
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
