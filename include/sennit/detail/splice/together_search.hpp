// SPDX-License-Identifier: Apache-2.0
// How many trees are interleaved: numbers that are tried from one group of trees to the next.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/splice/block_search.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>

namespace sennit::detail {

// Doubles the number for as long as that is faster. If that is not so for any, halves it for as long as that is faster.
class together_search {
 public:
  // `start` is where the search begins; a splice has `most` trees.
  constexpr together_search(std::uint32_t start, std::uint32_t most) noexcept
      : search_(start, std::min(start, 2U), std::max(start, most), 1) {}

  // Of the next group: to be tried, or the best.
  std::uint32_t number() const noexcept { return static_cast<std::uint32_t>(search_.size()); }
  std::uint32_t best() const noexcept { return static_cast<std::uint32_t>(search_.best()); }
  bool over() const noexcept { return search_.over(); }
  unsigned tried() const noexcept { return search_.tried(); }

  // A group of that number took so long for each of its trees. Other numbers than the one that is tried say nothing.
  void took(std::uint32_t number, double ns) noexcept { search_.took(number, ns); }
  // A number is not worth a try. Returns false if it is not the one that is tried, or if the search begins with it.
  bool refuse(std::uint32_t number) noexcept {
    if (over() || tried() == 0 || number != this->number()) return false;
    while (!over() && number == this->number()) took(number, std::numeric_limits<double>::infinity());
    return true;
  }

 private:
  block_search search_;
};

// A site that splices trees, and what is known of their number. Thread-safety: any thread may use it.
class SENNIT_EXPORT together_site {
 public:
  constexpr together_site() noexcept : search_(1, 1) {}

  // A splice of `most` trees begins, of so many indices each: the search goes on, unless it was about other trees.
  void begin(std::uint32_t start, std::uint32_t most, std::int64_t indices) noexcept;
  // Of the next group, if so many trees are left.
  std::uint32_t next(std::uint32_t left) const noexcept {
    const std::uint32_t trying = number_.load(std::memory_order_relaxed);
    return trying <= left ? trying : std::min(best_.load(std::memory_order_relaxed), left);
  }
  bool over() const noexcept { return over_.load(std::memory_order_relaxed); }
  unsigned tried() const noexcept { return tried_.load(std::memory_order_relaxed); }
  // As together_search has it.
  void took(std::uint32_t number, double ns) noexcept;
  bool refuse(std::uint32_t number) noexcept;

 private:
  template <class Change>
  void change(Change&& what) noexcept;

  // Nobody waits for it, as for that of a block_site.
  std::mutex lock_;
  together_search search_;
  std::uint32_t start_ = 0;
  std::uint32_t most_ = 0;
  std::int64_t indices_ = 0;
  // All relaxed: any number is right.
  std::atomic<std::uint32_t> number_{1};
  std::atomic<std::uint32_t> best_{1};
  std::atomic<unsigned> tried_{0};
  std::atomic<bool> over_{false};
};

}  // namespace sennit::detail
