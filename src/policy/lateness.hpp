// SPDX-License-Identifier: Apache-2.0
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

  // What is taken for a strand in a crowd as long as nothing is known.
  static constexpr std::uint64_t unknown_in_crowd_ns = 40'000'000;

  // The average after one more strand.
  static std::uint64_t strand_ns(std::uint64_t before, std::uint64_t took) noexcept {
    constexpr std::uint64_t weight = 8;
    if (before == 0) return std::max<std::uint64_t>(1, took);
    return std::max<std::uint64_t>(1, before - before / weight + took / weight);
  }

  // Whether the workers that have strands are more than the processors.
  enum class crowd {
    none,
    past,     // since the strand began, and not any more
    present,  // now: who takes work keeps somebody else from working
  };

  // A strand has begun: for so long, thieves leave its latent frames alone, because what the schedule gives them may
  // still be on its way. In a crowd, a strand that has not got far is not late.
  static std::uint64_t before_frames_ns(std::uint64_t strand, crowd among = crowd::none) noexcept {
    constexpr std::uint64_t share = 3;
    constexpr std::uint64_t at_most_ns = 10'000'000;
    if (among != crowd::none) return before_donation_ns(strand, 0, among);
    if (strand == 0) return 10 * delivery_ns;
    return std::clamp(strand / share, delivery_ns, at_most_ns);
  }
  // A branch is donated to a worker that has so many others to begin with: for so long, it is the worker's alone.
  // The worker has time to end what it is at, and to run these, and a quarter more; in a crowd, as much again.
  static std::uint64_t before_donation_ns(std::uint64_t strand, std::uint64_t before,
                                          crowd among = crowd::none) noexcept {
    const std::uint64_t unknown_ns = among == crowd::present ? unknown_in_crowd_ns : 8'000'000;
    const std::uint64_t planned = (strand != 0 ? strand : unknown_ns) * (before + 1);
    return std::max(2 * delivery_ns,
                    among == crowd::present ? 2 * planned + planned / 2 : planned + planned / 4);
  }

  // How often somebody looks at most who has the processors.
  static constexpr std::uint64_t between_looks_ns = 1'000'000;
};

}  // namespace sennit::policy
