// How long a thief waits for an owner to hand a frame over before it takes one behind a barrier.
#pragma once

#include <cstdint>

namespace sennit::policy {

// The owner hands over at its next fork or join for the price of a lock; a barrier works at once, but
// interrupts every CPU that runs the process: half a microsecond on bare metal, more than ten in a virtual
// machine. Waiting for as long as the barrier takes costs at most twice the better of the two.
class asking {
 public:
  // After a barrier that took so long.
  void barrier_took(std::uint64_t ns) noexcept { barrier_ns_ = (3 * barrier_ns_ + ns) / 4; }
  [[nodiscard]] bool silent(std::uint64_t asked_ns_ago) const noexcept { return asked_ns_ago >= barrier_ns_; }

 private:
  std::uint64_t barrier_ns_ = 1000;
};

}  // namespace sennit::policy
