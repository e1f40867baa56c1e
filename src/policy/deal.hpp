// SPDX-License-Identifier: Apache-2.0
// How a beginning loop is dealt out to workers that wait for work.
#pragma once

#include "policy/waking.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sennit::policy {

// With many workers that wait, the last ones would get their parts late if one strand dealt them all. So the strand hands at
// most so many out. Each is for a group of workers, of which the first one gets it, and hands out the parts of the others.
inline constexpr std::uint64_t most_dealt_at_once = 16;

// The first worker of the group, of `workers` that wait: each has a part in the end, and it has the lowest one of its group.
constexpr std::uint64_t first_of_group(std::uint64_t group, std::uint64_t workers) noexcept {
  if (workers <= most_dealt_at_once) return group;
  constexpr std::uint64_t groups = most_dealt_at_once;
  return workers / groups * group + std::min(group, workers % groups);
}

// Whether a strand cuts its part of a loop because somebody has asked. `since_deal`: the time since the loop was last dealt,
// and `settles`: what a deal takes until all parts have arrived, in the same unit. Meanwhile, who asks is about to get a part,
// and those who get the cut ones would be missing when their parts come. And a part that nobody waits for any more would only
// lie in a list. Either way the request is turned down, so that its thief asks anew and does not come behind a barrier.
inline constexpr std::uint64_t never_dealt = ~std::uint64_t{0};
constexpr bool cuts_for_who_asked(bool anybody_waits, std::uint64_t since_deal,
                                  std::uint64_t settles) noexcept {
  return anybody_waits && since_deal >= settles;
}

// In the simulator, of a loop that is dealt along places: whether a worker gets its own part as the loop begins. A part goes to who waits for work at
// once. For who sleeps it is put aside, until that worker has woken, if it takes longer than to wake. Else such a worker would
// come later, and steal from anywhere. The part of a worker that has something else goes with the part before.
constexpr bool has_part_along_places(bool waits, bool sleeps, std::uint64_t part_ns) noexcept {
  return waits || (sleeps && part_ns >= waking::worth_ns);
}

// In the simulator, of a loop along places: whether a part that has `left` iterations that nobody has begun is cut for a thief. The last one stays
// on its node: its strand is about to begin it, next to its data, and a thief from another node would take longer for it. Where
// data are written first, it would also stay there.
constexpr bool leaves_its_place(std::uint64_t left, bool for_other_node) noexcept {
  return left >= (for_other_node ? 2 : 1);
}

// Of what is left of a loop, a chunk is at most 2^-sharing: so each worker can have several chunks to the end.
constexpr unsigned loop_sharing(unsigned workers) noexcept {
  constexpr unsigned chunks_a_worker = 8;
  return workers <= 1 ? 0 : static_cast<unsigned>(std::bit_width(chunks_a_worker * workers - 1));
}

// Contiguous parts of [first, last), in the order of seats. The parts are the same for each loop with these
// bounds that finds the same number of waiting workers. The first part is for the strand that deals. It is
// larger by a lead, because that strand begins before the others have their parts. Otherwise, no part is more than an
// iteration larger than another one: with 80 parts, what does not divide evenly is as much as many of them.
class deal {
 public:
  // Each part but the first has at least `least` iterations, so there may be fewer parts than requested.
  deal(std::uint64_t first, std::uint64_t last, std::uint64_t parts, std::uint64_t least,
       std::uint64_t lead) noexcept {
    std::uint64_t n = last - first;
    lead = std::min(lead, n / 8);
    n -= lead;
    const std::uint64_t worthwhile = n / std::max<std::uint64_t>(1, least);
    parts_ = std::max<std::uint64_t>(1, std::min(parts, worthwhile));
    begin_ = first + lead;
    size_ = n / parts_;
    larger_ = n % parts_;
  }

  [[nodiscard]] std::uint64_t parts() const noexcept { return parts_; }
  // The parts without the first.
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t part) const noexcept {
    return begin_ + part * size_ + std::min(part, larger_);
  }

 private:
  std::uint64_t parts_;
  std::uint64_t begin_;   // of the first part, without the lead
  std::uint64_t size_;    // of the smaller parts
  std::uint64_t larger_;  // as many parts, the first ones, have an iteration more
};

}  // namespace sennit::policy
