// partition: what says where a loop is cut among workers as it begins.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace sennit {

// What a parallel_for takes as its last argument to be cut by, where it is dealt out to workers that wait as
// it begins. `p.begin_of(part, n)` is where a part of n iterations begins: part 0 is for the worker that
// begins the loop, part i for the i-th worker after it. Of a part that the partition does not have it is n.
// It is called by the worker that begins the loop, once for each worker that waits, and must not throw. The
// part of a worker that is busy, or is not there, goes with the part before it; where a part is to begin
// before the one that it comes after, that one has its iterations. So a partition is a hint, and any answer
// is right.
//
// sennit::split is one: parts in proportions, or as a schedule had them.
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

// Any partition, for the library.
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
