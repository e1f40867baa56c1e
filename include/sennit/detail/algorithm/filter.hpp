// SPDX-License-Identifier: Apache-2.0
// parallel_filter: the elements that a predicate chooses, in a std::vector.
#pragma once

#include <sennit/detail/algorithm/frontier.hpp>
#include <sennit/detail/algorithm/keeping.hpp>
#include <sennit/detail/algorithm/marked_blocks.hpp>
#include <sennit/detail/algorithm/marks.hpp>
#include <sennit/detail/algorithm/packing.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
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
      : work_(work), how_(how), blocks_(marked_blocks_of<Work>(n, how)) {}

  std::vector<value> run() {
    const position blocks = blocks_.count();
    std::vector<position> offsets(static_cast<std::size_t>(blocks));
    for_each_block<Engine>(blocks, how_, [&](position b) {
      offsets[static_cast<std::size_t>(b)] =
          work_.mark(blocks_.marks_of(b), blocks_.begin_of(b), blocks_.end_of(b)).kept;
    });
    position size = 0;
    for (position& offset : offsets) offset = std::exchange(size, size + offset);

    std::vector<value> result;
    if constexpr (std::default_initializable<value> && Work::assigns) {
      result.resize(static_cast<std::size_t>(size));
      for_each_block<Engine>(blocks, how_, [&](position b) {
        const auto offset = static_cast<std::ptrdiff_t>(offsets[static_cast<std::size_t>(b)]);
        transfer(b, result.begin() + offset);
      });
    } else {
      result.reserve(static_cast<std::size_t>(size));
      for (position b = 0; b != blocks; ++b) transfer(b, appending(result));
    }
    return result;
  }

 private:
  template <class Out>
  void transfer(position block, Out out) const {
    work_.transfer(blocks_.marks_of(block), blocks_.begin_of(block), blocks_.end_of(block), out);
  }

  const Work& work_;
  const loop_options how_;
  const marked_blocks blocks_;
};

}  // namespace sennit::detail
