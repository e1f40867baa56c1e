// SPDX-License-Identifier: Apache-2.0
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
  // As long as no barrier has been timed, it is taken to last half a microsecond for each worker: with many workers, it
  // keeps the thief and the owner for as long as dozens of steals.
  static constexpr std::uint64_t first_ns_per_worker = 500;
  explicit asking(unsigned workers = 2) noexcept : barrier_ns_(first_ns_per_worker * workers) {}

  // Call it after a barrier, with the time that the barrier took.
  void barrier_took(std::uint64_t ns) noexcept { barrier_ns_ = (3 * barrier_ns_ + ns) / 4; }
  // How long the thief waits.
  std::uint64_t patience_ns() const noexcept { return barrier_ns_; }
  [[nodiscard]] bool silent(std::uint64_t asked_ns_ago) const noexcept { return asked_ns_ago >= barrier_ns_; }

 private:
  std::uint64_t barrier_ns_;
};

}  // namespace sennit::policy
