// SPDX-License-Identifier: Apache-2.0
// The numbers of elements where positions do not tell them: behind a filter, say.
#pragma once

#include <sennit/detail/algorithm/scan.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/each/element.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// Each element with its number, as far as that is in [first, last). Positions are blocks of those of the sequence before. A
// first pass counts the elements of each block, so what comes before this stage is computed twice. (Blocks whose elements
// come one after the other: Westrick, Rainey, Anderson and Blelloch, "Parallel block-delayed sequences", 2022.)
template <class Base>
class numbered {
 public:
  using lazy = void;
  using engine = typename std::remove_cvref_t<Base>::engine;
  using element = std::pair<std::size_t, element_of<Base>>;
  static constexpr bool indexed = false;

  explicit numbered(Base base, std::size_t first = 0,
                    std::size_t last = std::numeric_limits<std::size_t>::max())
      : base_(std::forward<Base>(base)), first_(first), last_(last) {}

  void prepare(const loop_options& how) {
    base_.prepare(how);
    cut_ = blocks(base_.size(), {});
    count_ = 0;
    before_.assign(static_cast<std::size_t>(cut_.count), 0);
    engine::for_positions(
        cut_.count,
        [&](position from, position to) {
          for (position b = from; b != to; ++b) {
            std::size_t elements = 0;
            base_.push(cut_.begin(b), cut_.end(b), [&](auto&&) { ++elements; });
            before_[static_cast<std::size_t>(b)] = elements;
          }
        },
        how);
    for (std::size_t& block : before_) count_ += std::exchange(block, count_);
    // Blocks that have none of the numbers are not computed again.
    const auto block_of = [&](std::size_t number) {
      return static_cast<position>(std::upper_bound(before_.begin(), before_.end(), number) -
                                   before_.begin());
    };
    begin_ = std::max<position>(block_of(first_), 1) - 1;
    end_ = last_ <= first_ ? begin_ : block_of(last_ - 1);
  }
  // All elements there are. Precondition: prepare() has been called.
  std::size_t count() const { return count_; }
  position size() const { return std::max(end_, begin_) - begin_; }

  template <class Take>
  SENNIT_INLINE bool push(position from, position to, Take&& take) const {
    for (position b = begin_ + from; b != begin_ + to; ++b) {
      std::size_t number = before_[static_cast<std::size_t>(b)];
      const bool enough = base_.push(cut_.begin(b), cut_.end(b), [&](auto&& value) {
        const std::size_t mine = number++;
        if (mine < first_) return false;
        return mine >= last_ || give(take, element(mine, std::forward<decltype(value)>(value)));
      });
      if (enough && number <= last_) return true;
    }
    return false;
  }

 private:
  Base base_;
  std::size_t first_;
  std::size_t last_;
  blocks cut_{0, {}};
  std::vector<std::size_t> before_;
  std::size_t count_ = 0;
  position begin_ = 0;
  position end_ = 0;
};

}  // namespace sennit::detail
