// parallel_filter: the elements that a predicate chooses, in a std::vector.
#pragma once

#include <sennit/detail/algorithm/frontier.hpp>
#include <sennit/detail/algorithm/keeping.hpp>
#include <sennit/detail/algorithm/marks.hpp>
#include <sennit/detail/algorithm/packing.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// Appends what is assigned to it to a vector.
template <class T>
class appending {
 public:
  using difference_type = std::ptrdiff_t;

  appending() = default;
  explicit appending(std::vector<T>& all) noexcept : all_(&all) {}
  const appending& operator*() const noexcept { return *this; }
  appending& operator++() noexcept { return *this; }
  appending operator++(int) noexcept { return *this; }
  template <class U>
    requires(!std::same_as<std::remove_cvref_t<U>, appending>)
  const appending& operator=(U&& value) const {
    all_->emplace_back(std::forward<U>(value));
    return *this;
  }

 private:
  std::vector<T>* all_ = nullptr;
};

// The elements that keep() accepts, for `filter`.
template <class In, class Keep>
struct filtered_elements {
  using value = std::iter_value_t<In>;
  static constexpr std::size_t element_bytes = sizeof(value);
  static constexpr bool assigns = destination<std::vector<value>&, std::iter_reference_t<In>>;

  marked_block mark(mark_word* words, position from, position to) const {
    const Keep kept = keep;
    return {set_marks(words, in.at(from), in.at(to), kept)};
  }
  template <class Out>
  void transfer(const mark_word* words, position from, position to, Out out) const {
    transfer_marked<copied_elsewhere>(words, to - from, in.at(from), out);
  }

  elements<In> in;
  Keep keep;
};

// The vector is made once it is known how many elements it will have. So all blocks are marked first. `Work` is that of
// packing, with
//
//   value                      the elements of the vector
//   static constexpr bool assigns
//                              several strands may assign to these
//   void transfer(const mark_word*, position from, position to, Out out)
//                              instead of place()
template <class Engine, class Work>
class filter {
 public:
  using value = typename Work::value;

  filter(const Work& work, position n, const loop_options& how)
      : work_(work),
        size_(n),
        how_(how),
        block_(elements_in_block(n, how, Work::element_bytes)),
        words_(words_of_block<Work>(block_)) {
    if (how_.grain != 0) how_.grain = 1;
  }

  std::vector<value> run() {
    const position blocks = size_ / block_ + (size_ % block_ != 0 ? 1 : 0);
    std::vector<position> offsets(static_cast<std::size_t>(blocks));
    marks_ = std::make_unique_for_overwrite<mark_word[]>(static_cast<std::size_t>(blocks * words_));
    for_blocks(blocks, [&](position b) {
      offsets[static_cast<std::size_t>(b)] = work_.mark(marks_of(b), begin_of(b), end_of(b)).kept;
    });
    position size = 0;
    for (position& offset : offsets) offset = std::exchange(size, size + offset);

    std::vector<value> result;
    if constexpr (std::default_initializable<value> && Work::assigns) {
      result.resize(static_cast<std::size_t>(size));
      for_blocks(blocks, [&](position b) {
        const auto offset = static_cast<std::ptrdiff_t>(offsets[static_cast<std::size_t>(b)]);
        work_.transfer(marks_of(b), begin_of(b), end_of(b), result.begin() + offset);
      });
    } else {
      result.reserve(static_cast<std::size_t>(size));
      for (position b = 0; b != blocks; ++b)
        work_.transfer(marks_of(b), begin_of(b), end_of(b), appending(result));
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
    return begin_of(block) + std::min(size_ - begin_of(block), block_);
  }
  mark_word* marks_of(position block) const noexcept { return marks_.get() + block * words_; }

  const Work& work_;
  const position size_;
  loop_options how_;
  const position block_;
  const position words_;
  std::unique_ptr<mark_word[]> marks_;
};

}  // namespace sennit::detail
