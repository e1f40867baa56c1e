// Whether a push that sleepers want to know of is worth a wake.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sennit::policy {

// A wake costs the pusher a system call, and the woken worker comes some microseconds later: in vain, if the
// fork is over by then. So while somebody watches, who looks for himself now and then, a push only notes its
// frame and leaves the gate shut. The next ones see what became of it: it is over, or it lasts.
class waking {
 public:
  enum class verdict {
    wake,
    wait,  // the gate is to stay shut: the next push decides
    over   // the gate may be opened
  };
  // About what it takes a woken worker to come.
  static constexpr std::uint64_t worth_ns = 5000;

  // The gate has been shut anew.
  void forget() noexcept { noted_ = false; }
  [[nodiscard]] bool noted() const noexcept { return noted_; }
  // The owner has met the gate. Its frames are in [head, tail), in positions that begin anew with each epoch;
  // `pushed`: the newest of them just now.
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
  // By who watches: whether what is in [head, tail) has been there for long. `since_ns`: when the gate was
  // shut; it has not been opened since. What is there after the noted frame has gone came later, and its
  // owner may push nothing any more: it is noted for the next look.
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
