// SPDX-License-Identifier: Apache-2.0
// The constructs of a strand that its trace does not tell one by one: how many there are at each place, and what they take.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace sennit::detail {

// The constructs at one place. What was not measured is estimated, so the numbers need not be whole.
struct brief_place {
  std::uintptr_t site = 0;
  bool is_fork = false;  // else a loop
  double count = 0;
  double seen = 0;  // of them were measured
  double took_ns = 0;
  double left_ns = 0;     // the left branches of forks
  double iterations = 0;  // of all loops

  void add(const brief_place& more, double share) noexcept {
    count += more.count * share;
    took_ns += more.took_ns * share;
    left_ns += more.left_ns * share;
    iterations += more.iterations * share;
  }
};

// At a few places, so that it needs no memory: constructs at further places are left out.
class brief_places {
 public:
  bool empty() const noexcept { return size_ == 0; }
  void clear() noexcept { size_ = 0; }
  std::span<const brief_place> all() const noexcept { return {places_.data(), size_}; }
  // Null: there is no room for another place.
  brief_place* at(const brief_place& like) noexcept {
    for (std::size_t i = 0; i < size_; ++i)
      if (places_[i].site == like.site && places_[i].is_fork == like.is_fork) return &places_[i];
    if (size_ == places_.size()) return nullptr;
    brief_place& added = places_[size_++];
    added = {.site = like.site, .is_fork = like.is_fork};
    return &added;
  }

 private:
  std::array<brief_place, 4> places_;
  std::size_t size_ = 0;
};

// What is known of one body's brief constructs since the last line about them. A strand hears of some, and is then left alone for
// a while. What it does in that time is taken to be like what was heard last: from the beginning of the first of some brief
// constructs to the beginning of the one that follows the last of them, so that what lies between them counts too.
class brief_ones {
 public:
  // Whose constructs they are; 0: there are none.
  std::uint64_t body() const noexcept { return body_; }
  std::uint64_t begun_ns() const noexcept { return begun_ns_; }
  std::uint64_t ended_ns() const noexcept { return ended_ns_; }
  std::span<const brief_place> places() const noexcept { return told_.all(); }

  // Precondition: body() is this body, or 0.
  void took(std::uint64_t body, const brief_place& one, std::uint64_t begun_ns,
            std::uint64_t ended_ns) noexcept {
    if (now_.empty()) now_begun_ns_ = begun_ns;
    if (brief_place* const place = now_.at(one)) place->add(one, 1);
    if (brief_place* const place = told_.at(one)) {
      place->add(one, 1);
      place->seen += 1;
      extend(body, begun_ns, ended_ns);
    }
  }
  // Something else comes: what was heard until now is not what the strand does from here on.
  void interrupted() noexcept { now_.clear(); }
  // The strand is left alone in a body of that place.
  void left_alone(std::uintptr_t site, std::uint64_t now_ns) noexcept {
    // What bodies of another place did says nothing of this one.
    if (std::exchange(like_site_, site) != site) like_.clear();
    if (now_.empty() || now_ns <= now_begun_ns_) return;
    like_ = now_;
    like_ns_ = now_ns - now_begun_ns_;
    now_.clear();
  }
  // The strand was left alone in the body, and did for so long what it did before. Precondition: as of took().
  void was_alone(std::uint64_t body, std::uint64_t alike_ns, std::uint64_t begun_ns,
                 std::uint64_t ended_ns) noexcept {
    if (like_.empty()) return;
    const double share = static_cast<double>(alike_ns) / static_cast<double>(like_ns_);
    for (const brief_place& one : like_.all())
      if (brief_place* const place = told_.at(one)) place->add(one, share);
    extend(body, begun_ns, ended_ns);
  }
  // All that is known has been told, or nobody wants to know it.
  void forget() noexcept {
    told_.clear();
    body_ = 0;
  }

 private:
  void extend(std::uint64_t body, std::uint64_t begun_ns, std::uint64_t ended_ns) noexcept {
    if (body_ == 0) begun_ns_ = begun_ns;
    body_ = body;
    ended_ns_ = std::max(ended_ns, begun_ns_);
  }

  std::uint64_t body_ = 0;
  std::uint64_t begun_ns_ = 0;
  std::uint64_t ended_ns_ = 0;
  std::uint64_t now_begun_ns_ = 0;
  std::uint64_t like_ns_ = 0;
  std::uintptr_t like_site_ = 0;
  brief_places told_;  // of the body
  brief_places now_;   // heard since the strand was last left alone
  brief_places like_;  // heard before that, in `like_ns_`
};

}  // namespace sennit::detail
