// parallel_filter: the elements that a predicate chooses, in a std::vector.
#pragma once

#include <sennit/detail/algorithm/frontier.hpp>
#include <sennit/detail/algorithm/keeping.hpp>
#include <sennit/detail/algorithm/marks.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace sennit::detail {

// The vector is made once it is known how many elements it will have. So all blocks are marked first.
template <class Engine, class In, class Keep>
class filter {
 public:
  using value = std::iter_value_t<In>;

  filter(const elements<In>& in, const Keep& keep, const loop_options& how)
      : in_(in),
        keep_(keep),
        how_(how),
        block_(elements_in_block(in.size, how, sizeof(value))),
        words_(words_for_marks(block_)) {
    if (how_.grain != 0) how_.grain = 1;
  }

  std::vector<value> run() {
    const position blocks = in_.size / block_ + (in_.size % block_ != 0 ? 1 : 0);
    std::vector<position> offsets(static_cast<std::size_t>(blocks));
    marks_ = std::make_unique_for_overwrite<mark_word[]>(static_cast<std::size_t>(blocks * words_));
    for_blocks(blocks, [&](position b) {
      const Keep keep = keep_;
      offsets[static_cast<std::size_t>(b)] =
          set_marks(marks_of(b), in_.at(begin_of(b)), in_.at(end_of(b)), keep);
    });
    position size = 0;
    for (position& offset : offsets) offset = std::exchange(size, size + offset);

    std::vector<value> result;
    if constexpr (std::default_initializable<value> &&
                  destination<std::vector<value>&, std::iter_reference_t<In>>) {
      result.resize(static_cast<std::size_t>(size));
      for_blocks(blocks, [&](position b) {
        const auto offset = static_cast<std::ptrdiff_t>(offsets[static_cast<std::size_t>(b)]);
        transfer_marked<copied_elsewhere>(marks_of(b), end_of(b) - begin_of(b), in_.at(begin_of(b)),
                                          result.begin() + offset);
      });
    } else {
      result.reserve(static_cast<std::size_t>(size));
      const auto append = [&](position at) { result.emplace_back(*in_.at(at)); };
      for (position b = 0; b != blocks; ++b) {
        const position begin = begin_of(b);
        for_marks(
            marks_of(b), end_of(b) - begin, [&](position at) { append(begin + at); },
            [&](position from, position to) {
              for (; from != to; ++from) append(begin + from);
            });
      }
    }
    return result;
  }

 private:
  template <class Visit>
  void for_blocks(position blocks, Visit&& visit) {
    Engine::for_positions(
        blocks,
        [&](position from, position to, auto gate) {
          position b = from;
          do visit(b);
          while (goes_on(++b, from, to, gate));
          return b;
        },
        how_);
  }
  position begin_of(position block) const noexcept { return block * block_; }
  position end_of(position block) const noexcept {
    return begin_of(block) + std::min(in_.size - begin_of(block), block_);
  }
  mark_word* marks_of(position block) const noexcept { return marks_.get() + block * words_; }

  const elements<In> in_;
  const Keep keep_;
  loop_options how_;
  const position block_;
  const position words_;
  std::unique_ptr<mark_word[]> marks_;
};

}  // namespace sennit::detail
