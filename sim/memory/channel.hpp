// What several cores share: the memory of a node, a link.
#pragma once

#include "machine/machine.hpp"
#include "time/picoseconds.hpp"

#include <cstdint>
#include <vector>

namespace sennit::sim {

// Who begins to use a channel has what the others leave, but no less than an even share; this stays so until the use ends,
// whoever comes or goes meanwhile. Of n cores that use it all the time, each therefore has an nth.
class channel {
 public:
  // 0: no limit.
  explicit channel(bytes_per_microsecond bandwidth) noexcept : bandwidth_(bandwidth) {}

  // For one more at this time. Times may go back a little, as strands of several cores are looked at one after the other;
  // a use that has ended by the latest time of all is then gone. Cost: logarithmic in the number of users, amortized.
  bytes_per_microsecond share(picoseconds now);
  void use(picoseconds until, bytes_per_microsecond rate);

 private:
  struct user {
    picoseconds until;
    bytes_per_microsecond rate;
    bool operator>(const user& other) const noexcept { return until > other.until; }
  };

  bytes_per_microsecond bandwidth_;
  bytes_per_microsecond used_ = 0;
  std::vector<user> users_;  // a heap, the next that ends first
};

}  // namespace sennit::sim
