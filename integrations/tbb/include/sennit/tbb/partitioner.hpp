// SPDX-License-Identifier: Apache-2.0
// How a range is split: partitioners.
#pragma once

#include <sennit/join.hpp>
#include <sennit/tbb/blocked_range.hpp>
#include <sennit/tbb/entering.hpp>
#include <sennit/tbb/setting.hpp>

#include <bit>
#include <cstddef>
#include <type_traits>

namespace tbb {
namespace on_sennit {

// As often as the range can be split.
class simple_partitioner {};
// In parts by measured time, or where Sennit cannot measure, in some for each worker.
class auto_partitioner {};
// In equal parts, one for each worker.
class static_partitioner {};
// In equal parts, some for each worker.
class affinity_partitioner {
 public:
  affinity_partitioner() = default;
  affinity_partitioner(const affinity_partitioner&) = delete;
  affinity_partitioner& operator=(const affinity_partitioner&) = delete;
};

template <class P>
inline constexpr bool is_partitioner =
    std::is_same_v<P, simple_partitioner> || std::is_same_v<P, auto_partitioner> ||
    std::is_same_v<P, static_partitioner> || std::is_same_v<P, affinity_partitioner>;
template <class P>
inline constexpr bool gives_parts =
    std::is_same_v<P, static_partitioner> || std::is_same_v<P, affinity_partitioner>;

// What remains to be split of a range. `parts`: so many more, or as many as there can be.
template <class Range, class Partitioner>
class splitting {
 public:
  splitting(Range& range, std::size_t parts) : range_(range), parts_(parts) {}

  static std::size_t parts_in_all() {
    const std::size_t workers = workers_here();
    if constexpr (std::is_same_v<Partitioner, static_partitioner>) return workers;
    if constexpr (std::is_same_v<Partitioner, affinity_partitioner>) return 16 * workers;
    if constexpr (std::is_same_v<Partitioner, auto_partitioner>)
      return workers == 1 ? 1 : std::bit_ceil(64 * workers);
    return ~std::size_t{0};
  }

  bool goes_on() const { return parts_ > 1 && range_.is_divisible(); }
  std::size_t right_parts() const { return parts_ == ~std::size_t{0} ? parts_ : parts_ / 2; }
  std::size_t left_parts() const { return parts_ == ~std::size_t{0} ? parts_ : parts_ - parts_ / 2; }
  // The left part remains in the range.
  Range right() const {
    if constexpr (gives_parts<Partitioner> && std::is_constructible_v<Range, Range&, proportional_split&>) {
      proportional_split parts(left_parts(), right_parts());
      return Range(range_, parts);
    } else {
      return Range(range_, split());
    }
  }

 private:
  Range& range_;
  const std::size_t parts_;
};

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::affinity_partitioner;
using on_sennit::auto_partitioner;
using on_sennit::simple_partitioner;
using on_sennit::static_partitioner;
}  // namespace v1
}  // namespace tbb
