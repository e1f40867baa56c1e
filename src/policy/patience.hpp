// SPDX-License-Identifier: Apache-2.0
// How long an idle worker searches before it sleeps, and after which time it may be woken again.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sennit::policy {

class patience {
 public:
  enum class step { spin, yield, sleep };

  // In a round, the worker looks at every other worker: some 50 ns with two workers. Spinning lasts long
  // enough to bridge the gap between two phases of a program, and short enough not to matter for energy.
  // What counts are the looks: with a thousand workers, a round takes as long as hundreds of rounds of two.
  static constexpr unsigned spin_looks = 600;
  static constexpr unsigned yield_looks = 8;
  static constexpr unsigned spin_rounds(unsigned others) noexcept {
    return std::max(2U, spin_looks / std::max(others, 1U));
  }
  static constexpr unsigned yield_rounds(unsigned others) noexcept {
    return std::max(1U, yield_looks / std::max(others, 1U));
  }
  // A worker that has done its part of a loop first waits for a part of the next loop. Phases often follow
  // each other, and searching for work disturbs the worker that is about to deal.
  static constexpr unsigned rounds_at_the_mailbox = 32;
  // A suspended strand ends on another worker, which then must call the guest's thread back. That takes
  // microseconds.
  static constexpr unsigned rounds_before_suspending = 100;
  static constexpr unsigned rounds_before_looking = 20;
  // Parts of a loop that was dealt out evenly end at about the same time. A check whether a part has not
  // been begun reads memory that other workers write.
  static constexpr unsigned rounds_before_asking_back = 8;
  // Freed stacks cost a page fault for each page when the next phase uses them again.
  static constexpr std::uint64_t idle_before_trimming_ns = 100'000'000;
  // Stacks that have been unused for this time are unmapped, if there are more than two for each worker.
  static constexpr std::uint64_t between_tidying_ns = 500'000'000;
  static constexpr std::uint64_t longest_wait_for_turn_ns = 5'000'000;
  // The first nap of a worker that was woken in vain: see nap_ns().
  static constexpr std::uint64_t first_nap_ns = 50'000;
  static constexpr std::uint64_t longest_nap_ns = 400'000;
  static constexpr unsigned quiet_naps = 8;  // naps without a fork, after which the worker sleeps

  // A search beside so many other workers. Made once, as it divides.
  class search {
   public:
    explicit constexpr search(unsigned others) noexcept
        : spins_(spin_rounds(others)),
          yields_(yield_rounds(others)),
          quiet_(std::bit_floor(std::min(8U, spins_)) - 1) {}

    // What to do after n failed rounds in a row.
    constexpr step after(unsigned rounds) const noexcept {
      if (rounds < spins_) return step::spin;
      return rounds - spins_ < yields_ ? step::yield : step::sleep;
    }
    // Whether the worker looks behind hints in this round, which takes the deques' locks: in some, also in one of the last
    // before it sleeps. A frame of an owner that does not answer is found in such a round only.
    constexpr bool insists(unsigned rounds) const noexcept { return (rounds & quiet_) == 0; }

   private:
    unsigned spins_;
    unsigned yields_;
    unsigned quiet_;  // rounds between two that insist
  };

  // Waking a worker that finds no work costs the waker a system call. After each such wake, the worker naps
  // before it searches again, twice as long each time. Zero: no nap.
  std::uint64_t nap_ns() const noexcept {
    return vain_ == 0 ? 0 : std::min(longest_nap_ns, first_nap_ns << std::min(vain_ - 1, 16U));
  }
  void woken_in_vain() noexcept { ++vain_; }
  // Call it after such a nap. `forks`: whether there were forks during the nap. Returns false if there have
  // been none for a while; the worker then sleeps.
  bool goes_on_after_nap(bool forks) noexcept {
    ++vain_;
    quiet_ = forks ? 0 : quiet_ + 1;
    if (quiet_ < quiet_naps) return true;
    quiet_ = 0;
    return false;
  }
  void found_work() noexcept {
    vain_ = 0;
    quiet_ = 0;
  }

 private:
  unsigned vain_ = 0;
  unsigned quiet_ = 0;
};

}  // namespace sennit::policy
