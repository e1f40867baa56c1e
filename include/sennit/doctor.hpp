// What the runtime sees of the machine, and what it misses.
#pragma once

#include <string>
#include <vector>

namespace sennit {

struct doctor_line {
  enum class severity { good, note, missing };
  std::string topic;    // "membarrier", "workers", ...
  std::string finding;  // what was found, with units
  severity verdict = severity::good;
  std::string remedy;  // what would mend it; empty where nothing is to be mended
};

// Looks at the machine now; starts no runtime. Throws nothing but std::bad_alloc:
// what cannot be read is a finding.
std::vector<doctor_line> doctor();

}  // namespace sennit
