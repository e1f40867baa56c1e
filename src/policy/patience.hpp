// How long an idle worker searches before it sleeps, and how soon it lets itself be woken again.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sennit::policy {

class patience {
 public:
  enum class step { spin, yield, sleep };

  // A round is a look at every other worker: with two workers, some 50 ns. Spinning lasts long enough to
  // outlive the gap between two phases of a program and short enough not to show in its energy.
  static constexpr unsigned spin_rounds = 600;
  static constexpr unsigned yield_rounds = 8;
  // A worker that has done its part of a loop waits for that of the next one before it asks around: phases
  // follow each other, and asking disturbs whoever is about to deal.
  static constexpr unsigned rounds_at_the_mailbox = 32;
  // A suspension ends on another worker, and a guest's thread is to be called home from there: microseconds.
  static constexpr unsigned rounds_before_suspending = 100;
  static constexpr unsigned rounds_before_looking = 20;
  // Parts of a loop that were dealt out evenly end at about the same time; whether one of them has not even
  // been begun is to be read from where others are writing.
  static constexpr unsigned rounds_before_asking_back = 8;
  // Stacks that are given back cost a page fault for each page when the next phase needs them again.
  static constexpr std::uint64_t idle_before_trimming_ns = 100'000'000;
  // Stacks that nobody has used for so long are unmapped, where there are more than two a worker.
  static constexpr std::uint64_t between_tidying_ns = 500'000'000;
  static constexpr std::uint64_t longest_wait_for_turn_ns = 5'000'000;
  // Of a worker that was woken in vain: nap_ns().
  static constexpr std::uint64_t first_nap_ns = 50'000;
  static constexpr std::uint64_t longest_nap_ns = 400'000;
  static constexpr unsigned quiet_naps = 8;  // without a fork, and it goes to sleep

  // What to do after the n-th vain round in a row.
  static step after(unsigned rounds) noexcept {
    if (rounds < spin_rounds) return step::spin;
    return rounds < spin_rounds + yield_rounds ? step::yield : step::sleep;
  }

  // A worker woken although the work was gone by the time it came costs the waker a system call. So each such
  // wake makes it nap, and look for itself, for twice as long each time. Zero: no nap.
  std::uint64_t nap_ns() const noexcept {
    return vain_ == 0 ? 0 : std::min(longest_nap_ns, first_nap_ns << std::min(vain_ - 1, 16U));
  }
  void woken_in_vain() noexcept { ++vain_; }
  // After such a nap. `forks`: there were some meanwhile. False: there have been none for a while, and it is
  // to sleep.
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
