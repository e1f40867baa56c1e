// SPDX-License-Identifier: Apache-2.0
// What the forks of a program have taken so far, by their places in its code and how deep they lie.
#pragma once

#include "policy/brevity.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {

// Several threads may use it at once. Of very many places some are taken for one.
class durations {
 public:
  policy::fork_shares shares(std::uintptr_t site) const noexcept {
    const of_site& at = sites_[slot_of(site, 0)];
    return {.of_body = at.of_body.load(std::memory_order_relaxed),
            .left = at.left.load(std::memory_order_relaxed),
            .right = at.right.load(std::memory_order_relaxed)};
  }
  void learn(std::uintptr_t site, const policy::fork_shares& now) noexcept {
    of_site& at = sites_[slot_of(site, 0)];
    at.of_body.store(now.of_body, std::memory_order_relaxed);
    at.left.store(now.left, std::memory_order_relaxed);
    at.right.store(now.right, std::memory_order_relaxed);
  }
  // policy::unknown_ns: nothing is known.
  std::uint64_t mean_ns(std::uintptr_t site, std::uint32_t depth) const noexcept {
    const float mean = means_[slot_of(site, depth + 1)].load(std::memory_order_relaxed);
    return mean == 0 ? policy::unknown_ns : static_cast<std::uint64_t>(mean);
  }
  void took(std::uintptr_t site, std::uint32_t depth, std::uint64_t ns) noexcept {
    std::atomic<float>& mean = means_[slot_of(site, depth + 1)];
    const float before = mean.load(std::memory_order_relaxed);
    const float now = static_cast<float>(ns) + 1;
    mean.store(before == 0 ? now : policy::learned(before, now), std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t room = std::size_t{1} << 12;
  struct of_site {
    std::atomic<float> of_body{1};
    std::atomic<float> left{0};
    std::atomic<float> right{0};
  };
  static std::size_t slot_of(std::uintptr_t site, std::uint32_t depth) noexcept {
    return ((site + depth * 0x100000001b3U) * 0x9e3779b97f4a7c15U) >> 52;
  }

  std::array<of_site, room> sites_{};
  std::array<std::atomic<float>, room> means_{};
};

}  // namespace sennit::detail
