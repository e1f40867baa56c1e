// When a worker of a schedule counts as late, so that others may do what the schedule gives to it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sennit::policy {

// Times are measured in strands: what a strand of the region takes from its beginning to its end, on average of the
// latest ones. 0: none has ended yet.
class lateness {
 public:
  // A branch takes so long to its worker, where that sleeps.
  static constexpr std::uint64_t delivery_ns = 20'000;

  // The average after one more strand.
  static std::uint64_t strand_ns(std::uint64_t before, std::uint64_t took) noexcept {
    constexpr std::uint64_t weight = 8;
    if (before == 0) return std::max<std::uint64_t>(1, took);
    return std::max<std::uint64_t>(1, before - before / weight + took / weight);
  }

  // A strand begins: for so long, thieves leave its latent frames alone, because what the schedule gives them may
  // still be on its way. `crowded`: processors change from worker to worker. Then a strand that has not got far is not
  // late, and who takes from it keeps another one from its processor. So thieves wait as long as for a donation.
  static std::uint64_t before_frames_ns(std::uint64_t strand, bool crowded = false) noexcept {
    constexpr std::uint64_t share = 3;
    constexpr std::uint64_t at_most_ns = 10'000'000;
    if (crowded) return before_donation_ns(strand, 0, crowded);
    if (strand == 0) return 10 * delivery_ns;
    return std::clamp(strand / share, delivery_ns, at_most_ns);
  }
  // A branch is donated to a worker that has so many others to begin with: for so long, it is the worker's alone.
  // The worker has time to end what it is at, and to run these, and a quarter more; in a crowd, as much again.
  static std::uint64_t before_donation_ns(std::uint64_t strand, std::uint64_t before,
                                          bool crowded = false) noexcept {
    constexpr std::uint64_t unknown_ns = 8'000'000;
    const std::uint64_t planned = (strand != 0 ? strand : unknown_ns) * (before + 1);
    return std::max(2 * delivery_ns, crowded ? 2 * planned + planned / 2 : planned + planned / 4);
  }
  // Whether processors change from worker to worker: a value that each strand changes at its end, from 0 on. `lost`: the
  // strand has lost its processor more often than it gave it up. One in four is enough.
  static constexpr unsigned crowd_after(unsigned before, bool lost) noexcept {
    constexpr unsigned weight = 4;
    constexpr unsigned most = 40;
    if (lost) return std::min(before + weight, most);
    return before - std::min(before, 1U);
  }
  static constexpr bool is_crowd(unsigned value) noexcept { return value >= 16; }
};

}  // namespace sennit::policy
