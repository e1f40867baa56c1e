// SPDX-License-Identifier: Apache-2.0
// Effects of random calls, said with regions of each kind.
#pragma once

#include "semantics.hpp"
#include "support.hpp"

#include <array>
#include <bit>
#include <deque>
#include <memory>
#include <vector>

namespace sennit_test {

using semantics::accesses;

// What regions the effects are said with.
enum class regions_of : std::uint8_t {
  ranges,
  masks,
  hulls,
  large,
  boxes,
  indices,
  any,
  spans  // one range from the first cell to the last: more than there is
};
inline constexpr regions_of exact_ones[] = {regions_of::ranges, regions_of::masks, regions_of::hulls,
                                            regions_of::large,  regions_of::boxes, regions_of::indices};

// A user's own: cells as bits.
struct mask_region {
  std::uint64_t cells;
  friend bool interferes(const mask_region& a, const mask_region& b) { return (a.cells & b.cells) != 0; }
  friend bool contains(const mask_region& a, const mask_region& b) { return (b.cells & ~a.cells) == 0; }
};
// The same with an address, and without a test for subsets.
struct hulled_region {
  const std::uint64_t* data;
  std::uint64_t cells;
  friend bool interferes(const hulled_region& a, const hulled_region& b) { return (a.cells & b.cells) != 0; }
  friend sennit::hull hull_of(const hulled_region& r) {
    if (r.cells == 0) return {0, 0};
    const auto first = reinterpret_cast<std::uintptr_t>(r.data + std::countr_zero(r.cells));
    return {first, reinterpret_cast<std::uintptr_t>(r.data + 64 - std::countl_zero(r.cells))};
  }
};
// Too large to be held in place, and with a destructor.
struct large_region {
  std::vector<std::uint64_t> words;
  std::array<std::uint64_t, 8> more{};
  friend bool interferes(const large_region& a, const large_region& b) {
    return (a.words[0] & b.words[0]) != 0;
  }
  friend bool contains(const large_region& a, const large_region& b) {
    return (b.words[0] & ~a.words[0]) == 0;
  }
};

// Says which cells are accessed, and keeps what the regions refer to.
class random_regions {
 public:
  explicit random_regions(regions_of regions) : regions_(regions) {}
  random_regions(const random_regions&) = delete;
  random_regions& operator=(const random_regions&) = delete;

  sennit::effects effects_of(const accesses& a) {
    if (a.everything) return sennit::effects::everything();
    sennit::effects fx;
    add_regions(fx, a.reads, [](const auto& region) { return sennit::effects(sennit::reads(region)); });
    add_regions(fx, a.writes, [](const auto& region) { return sennit::effects(sennit::writes(region)); });
    return fx;
  }

 private:
  template <class Access>
  void add_regions(sennit::effects& fx, std::uint64_t cells, Access access) {
    if (cells == 0) return;
    regions_of which = regions_;
    if (which == regions_of::any) which = exact_ones[mixed(cells) % std::size(exact_ones)];
    // Intervals of cells, of which none crosses the end of a row.
    const auto intervals = [&](int row, auto&& use) {
      for (int first = 0; first < 64;) {
        if ((cells >> first & 1) == 0) {
          ++first;
          continue;
        }
        int last = first + 1;
        while (last < 64 && last % row != 0 && (cells >> last & 1) != 0) ++last;
        use(sennit::range{first, last});
        first = last;
      }
    };
    switch (which) {
      case regions_of::ranges:
        intervals(64, [&](sennit::range r) { fx += access(sennit::memory_range(base(), r)); });
        break;
      case regions_of::masks: fx += access(mask_region{cells}); break;
      case regions_of::hulls: fx += access(hulled_region{base(), cells}); break;
      case regions_of::large: fx += access(large_region{{cells, 1, 2}}); break;
      case regions_of::boxes:
        intervals(8, [&](sennit::range r) {
          const std::int64_t row = r.first / 8;
          fx += access(sennit::memory_box<2>(
              base(), {8}, {sennit::range{row, row + 1}, {r.first - 8 * row, r.last - 8 * row}}));
        });
        break;
      case regions_of::indices: {
        std::vector<std::int32_t>& list = lists_.emplace_back();
        for (std::int32_t i = 0; i < 64; ++i) {
          if ((cells >> i & 1) != 0) list.push_back(i);
        }
        fx += access(sennit::index_set(base(), list));
        break;
      }
      case regions_of::any: break;
      case regions_of::spans:
        fx += access(sennit::memory_range(
            base(), sennit::range{std::countr_zero(cells), 64 - std::countl_zero(cells)}));
        break;
    }
  }
  // Of no run in particular: regions are compared, not read.
  const std::uint64_t* base() const { return place_->data(); }

  const regions_of regions_;
  std::deque<std::vector<std::int32_t>> lists_;
  std::unique_ptr<std::array<std::uint64_t, 64>> place_ = std::make_unique<std::array<std::uint64_t, 64>>();
};

}  // namespace sennit_test
