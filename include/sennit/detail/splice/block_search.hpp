// SPDX-License-Identifier: Apache-2.0
// Which size of blocks is tried next while a splice runs, and when the best one has been found.
#pragma once

#include <sennit/splice_report.hpp>

#include <algorithm>
#include <cstdint>

namespace sennit::detail {

// Doubles the size for as long as that is faster: by default also beyond one size that is slower, as the blocks of the next
// level of the cache may be worse than those of the first, if they are few, and better, if they are many. If no doubling is faster,
// halves the size for as long as that is faster.
class block_search {
 public:
  // `start` is where the search begins, and stays between `least` and `most`. slower_sizes: so many in a row end the
  // direction of larger sizes.
  constexpr block_search(std::int64_t start, std::int64_t least, std::int64_t most,
                         unsigned slower_sizes = 2) noexcept
      : least_(least), most_(most), best_(start), trying_(start), slower_sizes_(slower_sizes) {}

  // Of the next blocks: to be tried, or the best.
  std::int64_t size() const noexcept { return trying_; }
  std::int64_t best() const noexcept { return best_; }
  bool over() const noexcept { return over_; }
  unsigned tried() const noexcept { return tried_; }
  const tried_blocks& sizes() const noexcept { return sizes_; }

  // With blocks of that size, the work at one index took so long. Other sizes than the one that is tried say nothing.
  void took(std::int64_t size, double ns) noexcept {
    if (over_ || size != trying_) return;
    // What disturbs a program makes it slower.
    ns_ = samples_ == 0 ? ns : std::min(ns_, ns);
    if (++samples_ == samples_needed) decide();
  }

 private:
  static constexpr unsigned samples_needed = 2;
  static constexpr double worthwhile = 0.98;  // of the best time

  void decide() noexcept {
    samples_ = 0;
    sizes_.add({trying_, ns_});
    if (tried_++ == 0 || ns_ < worthwhile * best_ns_) {
      grown_ = trying_ > best_;
      best_ = trying_;
      best_ns_ = ns_;
      slower_ = 0;
    } else {
      ++slower_;
    }
    if (larger_ && (slower_ == slower_sizes_ || trying_ > most_ / 2)) {
      larger_ = false;
      slower_ = 0;
      if (grown_) return end();
      trying_ = best_;
    } else if (!larger_ && slower_ != 0) {
      return end();
    }
    trying_ = larger_ ? 2 * trying_ : trying_ / 2;
    if (trying_ < least_) end();
  }
  void end() noexcept {
    over_ = true;
    trying_ = best_;
  }

  std::int64_t least_;
  std::int64_t most_;
  std::int64_t best_;
  std::int64_t trying_;
  unsigned slower_sizes_;
  double best_ns_ = 0;
  double ns_ = 0;
  tried_blocks sizes_;
  unsigned samples_ = 0;
  unsigned tried_ = 0;
  bool larger_ = true;   // which way the search goes
  unsigned slower_ = 0;  // sizes in a row
  bool grown_ = false;
  bool over_ = false;
};

}  // namespace sennit::detail
