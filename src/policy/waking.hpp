// SPDX-License-Identifier: Apache-2.0
// Whether a push should wake a sleeper that waits for work.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sennit::policy {

// A wake costs the pushing worker a system call, and the woken worker starts some microseconds later. It
// finds nothing if the fork has ended by then. So while a watcher, which looks for work now and then, is
// there, a push only notes its frame and leaves the gate shut. The next push sees whether the noted fork has
// ended.
class waking {
 public:
  enum class verdict {
    wake,
    wait,  // leave the gate shut: the next push decides
    over   // open the gate
  };
  // About the time that a woken worker needs to start.
  static constexpr std::uint64_t worth_ns = 5000;

  // Call it when the gate has been shut again.
  void forget() noexcept { noted_ = false; }
  [[nodiscard]] bool noted() const noexcept { return noted_; }
  // The owner has found the gate shut. Its frames are in [head, tail); positions start again with each
  // epoch. `pushed`: the newest of these frames has just been pushed.
  verdict met(bool watched, bool pushed, std::uint64_t now_ns, std::uint64_t epoch, std::size_t head,
              std::size_t tail) noexcept {
    if (!watched) {
      noted_ = false;
      return verdict::wake;
    }
    if (tail <= head) return verdict::wait;
    const std::size_t newest = tail - 1;
    if (!noted_) {
      note(now_ns, epoch, newest);
      return verdict::wait;
    }
    if (!holds(epoch, head, pushed ? newest : tail)) {
      noted_ = false;
      return verdict::over;
    }
    if (now_ns - since_ns_ < worth_ns) return verdict::wait;
    noted_ = false;
    return verdict::wake;
  }
  // Call it as the watcher: whether a frame in [head, tail) has been there for long. `since_ns`: when the
  // gate was shut; it has not been opened since. If the noted frame is gone, the present frames are newer,
  // and their owner may push nothing more. So one of them is noted for the next look.
  [[nodiscard]] bool lasts(std::uint64_t now_ns, std::uint64_t since_ns, std::uint64_t epoch,
                           std::size_t head, std::size_t tail) noexcept {
    if (tail <= head) return false;
    if (!noted_) return now_ns - since_ns >= worth_ns;
    if (!holds(epoch, head, tail)) {
      note(now_ns, epoch, head);
      return false;
    }
    return now_ns - since_ns_ >= worth_ns;
  }

 private:
  void note(std::uint64_t now_ns, std::uint64_t epoch, std::size_t position) noexcept {
    noted_ = true;
    since_ns_ = now_ns;
    epoch_ = epoch;
    position_ = position;
  }
  // Whether the noted frame is in [head, tail).
  [[nodiscard]] bool holds(std::uint64_t epoch, std::size_t head, std::size_t tail) const noexcept {
    return epoch == epoch_ && head <= position_ && position_ < tail;
  }

  bool noted_ = false;
  std::uint64_t since_ns_ = 0;
  std::uint64_t epoch_ = 0;
  std::size_t position_ = 0;
};

}  // namespace sennit::policy
