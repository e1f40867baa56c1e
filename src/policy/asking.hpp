// How long a thief waits for an owner to hand over a frame before the thief takes a frame behind a barrier.
#pragma once

#include <cstdint>

namespace sennit::policy {

// An owner hands over a frame at its next fork or join, which costs a lock. A barrier works at once, but
// interrupts every CPU that runs the process: half a microsecond on bare metal, and more than ten in a
// virtual machine. A thief that waits as long as a barrier takes pays at most twice the cost of the better
// choice.
class asking {
 public:
  // Call it after a barrier, with the time that the barrier took.
  void barrier_took(std::uint64_t ns) noexcept { barrier_ns_ = (3 * barrier_ns_ + ns) / 4; }
  [[nodiscard]] bool silent(std::uint64_t asked_ns_ago) const noexcept { return asked_ns_ago >= barrier_ns_; }

 private:
  std::uint64_t barrier_ns_ = 1000;
};

}  // namespace sennit::policy
