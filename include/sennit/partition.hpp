// SPDX-License-Identifier: Apache-2.0
// partition: where a loop is cut among workers as it begins.
#pragma once

#include <sennit/detail/action.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace sennit {

// The last argument of a parallel_for may be a partition. When the loop is dealt out to waiting workers as
// it begins, the partition says where to cut it.
//
// `p.begin_of(part, n)` is where a part of n iterations begins. Part 0 is for the worker that begins the
// loop, part i for the i-th worker after that one. For a part that the partition does not have, the value is
// n.
//
// The worker that begins the loop calls begin_of once for each waiting worker; the call must not throw. If a
// worker is busy or absent, its part is joined to the part before it. If a part would begin before its
// predecessor, the predecessor gets its iterations. So a partition is a hint, and any answer is correct.
//
// sennit::split is a partition: its parts are in proportion to weights, or as in a schedule.
//
// Example:
//   #include <sennit/parallel_for.hpp>
//
//   #include <cmath>
//   #include <vector>
//
//   // Row i of a lower triangle has i + 1 elements: parts with as many elements each.
//   struct equal_triangles {
//     unsigned parts;
//     std::uint64_t begin_of(std::size_t part, std::uint64_t n) const noexcept {
//       if (part >= parts) return n;
//       return static_cast<std::uint64_t>(static_cast<double>(n) * std::sqrt(double(part) / parts));
//     }
//   };
//   void fill(std::vector<std::vector<double>>& rows) {
//     sennit::parallel_for(rows.size(), [&](std::size_t i) { rows[i].assign(i + 1, 1.0); }, equal_triangles{8});
//   }
template <class P>
concept partition = requires(const P& p, std::size_t part, std::uint64_t n) {
  { p.begin_of(part, n) } noexcept -> std::convertible_to<std::uint64_t>;
};

namespace detail {

// What runs a loop in its own way: an affinity.
template <class P>
concept loop_follower = requires(const P& p, std::uint64_t iterations, action loop) {
  p.follow(iterations, loop, loop);
  { p.parts() } -> partition;
};

// Holds any partition, so that the library need not be a template.
class partition_view {
 public:
  template <partition P>
  explicit partition_view(const P& p) noexcept : partition_(&p), begin_of_(&call<P>) {}
  std::uint64_t begin_of(std::size_t part, std::uint64_t n) const noexcept {
    return begin_of_(partition_, part, n);
  }

 private:
  template <class P>
  static std::uint64_t call(const void* p, std::size_t part, std::uint64_t n) noexcept {
    return static_cast<const P*>(p)->begin_of(part, n);
  }

  const void* partition_;
  std::uint64_t (*begin_of_)(const void*, std::size_t, std::uint64_t) noexcept;
};

}  // namespace detail

}  // namespace sennit
