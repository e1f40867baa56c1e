// SPDX-License-Identifier: Apache-2.0
// placement: on which NUMA nodes the pages of an array lie.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/graph.hpp>
#include <sennit/numa_array.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace sennit {

namespace detail {

// The NUMA node of each page of the memory, as the kernel numbers nodes; -1 if no thread has touched the
// page, or if the kernel does not tell. Throws std::bad_alloc.
SENNIT_EXPORT std::vector<int> nodes_of_pages(const void* memory, std::size_t bytes);
SENNIT_EXPORT std::size_t bytes_of_page() noexcept;

}  // namespace detail

// The NUMA nodes on which the elements of an array lie, for graphs whose colors follow their data
// (graph::coloring::of = nodes). It does not notice pages that move later. Thread-safety: any thread may
// read it. Cost: a system call, and 4 bytes for each page of 4 KiB.
//
// Example:
//   #include <vector>
//
//   // Adds up each block of the array, on the node that has it.
//   void sums(const sennit::numa_array<double>& x, std::vector<double>& sum) {
//     const std::size_t block = x.size() / sum.size();
//     const sennit::placement where(x);
//     const std::size_t all = sum.size();  // the sink
//     const auto parts = [&](std::size_t k) {
//       std::vector<std::size_t> blocks;
//       for (std::size_t b = 0; k == all && b < all; ++b) blocks.push_back(b);
//       return blocks;
//     };
//     const auto add = [&](std::size_t k) {
//       for (std::size_t i = k * block; k != all && i < (k + 1) * block; ++i) sum[k] += x[i];
//     };
//     sennit::graph::run(all, sennit::graph::nodes{
//                                 .predecessors = parts,
//                                 .compute = add,
//                                 .color = where.color_by([=](std::size_t k) { return std::pair(k * block, (k + 1) * block); }),
//                                 .keys = sennit::graph::dense(all + 1)});
//   }
class SENNIT_EXPORT placement {
 public:
  template <class T>
  explicit placement(const numa_array<T>& array)
      : nodes_(detail::nodes_of_pages(array.data(), array.size() * sizeof(T))),
        element_(sizeof(T)),
        bytes_(array.size() * sizeof(T)) {}

  // The nodes of the elements [first, last), each weighted by its share of these elements. Elements beyond
  // the array do not count, nor do pages that no thread has touched. Any thread may call it. Cost: some
  // nanoseconds a page.
  std::vector<graph::weighted_color> colors(std::size_t first, std::size_t last) const;

  // A color function for a graph in which the node with key k works mostly on the elements [first, last) =
  // range(k), a pair. The object must outlive the function.
  template <class Range>
  auto color_by(Range range) const& {
    return [this, range = std::move(range)](const auto& k) {
      const auto [first, last] = range(k);
      return colors(static_cast<std::size_t>(first), static_cast<std::size_t>(last));
    };
  }
  template <class Range>
  auto color_by(Range range) const&& = delete;

 private:
  std::vector<int> nodes_;  // of each page
  std::size_t element_;
  std::size_t bytes_;
};

}  // namespace sennit
