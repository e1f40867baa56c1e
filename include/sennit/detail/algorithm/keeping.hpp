// SPDX-License-Identifier: Apache-2.0
// What packing does with the elements of a block: which are kept, and how they reach their places.
#pragma once

#include <sennit/detail/algorithm/frontier.hpp>
#include <sennit/detail/algorithm/marks.hpp>
#include <sennit/detail/algorithm/packing.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/held.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace sennit::detail {

// How an element reaches its place.
struct copied_elsewhere {
  static constexpr bool in_place = false;
  template <class In, class Out>
  SENNIT_INLINE static void transfer(const In& from, const Out& to) {
    *to = *from;
  }
  template <class In, class Out>
  static Out transfer_all(In begin, In end, Out to) {
    return std::ranges::copy(begin, end, to).out;
  }
};
struct moved_in_place {
  static constexpr bool in_place = true;
  template <class It>
  SENNIT_INLINE static void transfer(const It& from, const It& to) {
    *to = std::ranges::iter_move(from);
  }
  // Elements may be at their places already.
  template <class It>
  static It transfer_all(It begin, It end, It to) {
    return begin == to ? end : std::ranges::move(begin, end, to).out;
  }
};

// Whether the predicate says `Wanted` of an element. A copy is for a single strand.
template <class Pred, class Proj, bool Wanted>
class wanted_elements {
 public:
  SENNIT_INLINE wanted_elements(Pred& pred, Proj& proj) : pred_(pred), proj_(proj) {}
  template <class V>
  SENNIT_INLINE bool accepts(V&& element) const {
    auto&& pred = pred_;
    auto&& proj = proj_;
    return static_cast<bool>(detail::invoke(pred, detail::invoke(proj, std::forward<V>(element)))) == Wanted;
  }
  template <class It>
  SENNIT_INLINE bool operator()(const It& i) const {
    return accepts(*i);
  }

 private:
  held<std::remove_reference_t<Pred>> pred_;
  held<std::remove_reference_t<Proj>> proj_;
};

// Where an output goes. `room` is the number of elements of a destination range.
template <class Out>
struct packed_output {
  elements<Out> to;
  position room = ~position{0};
  const char* algorithm = nullptr;

  bool has_room(position offset, position n) const noexcept { return n <= room - std::min(offset, room); }
  void expect_room(position offset, position n) const {
    if (!has_room(offset, n)) fail();
  }

 private:
  [[noreturn]] SENNIT_COLD void fail() const {
    detail::fail<std::invalid_argument>("sennit::" + std::string(algorithm) + ": more than " +
                                        std::to_string(room) +
                                        " elements are kept, and do not fit into a destination of " +
                                        std::to_string(room) + "; resize it before the call");
  }
};

// Moves or copies the marked elements from `begin` on, or the others, to `out`.
template <class Transfer, bool Marked = true, class In, class Out>
void transfer_marked(const mark_word* words, position n, const In& begin, Out out) {
  using step = std::iter_difference_t<In>;
  for_marks<Marked>(
      words, n,
      [&](position at) {
        const In i = begin + static_cast<step>(at);
        if constexpr (Transfer::in_place) {
          if (i == out) return void(++out);
        }
        Transfer::transfer(i, out);
        ++out;
      },
      [&](position from, position to) {
        out = Transfer::transfer_all(begin + static_cast<step>(from), begin + static_cast<step>(to), out);
      });
}

// By the standard library where that can be, as its loop is unrolled.
template <class It, class Keep>
SENNIT_INLINE It first_unwanted(It i, const It& end, const Keep& keep) {
  if constexpr (std::derived_from<typename std::iterator_traits<It>::iterator_category,
                                  std::random_access_iterator_tag>) {
    return std::find_if_not(
        i, end, [&](auto&& element) { return keep.accepts(std::forward<decltype(element)>(element)); });
  } else {
    while (i != end && keep(i)) ++i;
    return i;
  }
}

// Packs the elements for which keep() holds.
template <class In, class Out, class Transfer, class Keep>
class kept_elements {
 public:
  static constexpr bool in_place = Transfer::in_place;
  static constexpr std::size_t element_bytes = sizeof(std::iter_value_t<In>);
  static constexpr bool first_kept = false;

  kept_elements(const elements<In>& in, const packed_output<Out>& out, const Keep& keep)
      : in_(in), out_(out), keep_(keep) {}

  bool direct(position offset, position n) const noexcept { return out_.has_room(offset, n); }

  marked_block pack(position from, position to, position offset, bool) const {
    const Keep keep = keep_;
    In i = in_.at(from);
    const In end = in_.at(to);
    const Out begin = out_.to.at(offset);
    Out o = begin;
    if constexpr (in_place) {
      if (i == o) {
        o = i = first_unwanted(i, end, keep);
        if (i != end) ++i;
      }
    }
    for (; i != end; ++i) {
      if (!keep(i)) continue;
      Transfer::transfer(i, o);
      ++o;
    }
    return {static_cast<position>(o - begin)};
  }
  marked_block mark(mark_word* words, position from, position to) const {
    const Keep keep = keep_;
    return {set_marks(words, in_.at(from), in_.at(to), keep)};
  }
  void place(const mark_word* words, position from, position to, const frontier::block_record& block) const {
    out_.expect_room(block.offset, block.kept);
    transfer_marked<Transfer>(words, to - from, in_.at(from), out_.to.at(block.offset));
  }

 private:
  const elements<In> in_;
  const packed_output<Out> out_;
  const Keep keep_;
};

// Packs the first of each run of equivalent elements. A strand compares each element of its block with the next
// one, also with the first one of the next block. So no element is compared after it may have been moved.
template <class In, class Out, class Transfer, class Equal>
class first_of_runs {
 public:
  static constexpr bool in_place = Transfer::in_place;
  static constexpr std::size_t element_bytes = sizeof(std::iter_value_t<In>);
  static constexpr bool first_kept = true;

  first_of_runs(const elements<In>& in, const packed_output<Out>& out, const Equal& equal)
      : in_(in), out_(out), equal_(equal) {}

  bool direct(position offset, position n) const noexcept { return out_.has_room(offset, n); }

  marked_block pack(position from, position to, position offset, bool first) const {
    const Equal equal = equal_;
    const In end = in_.at(to);
    const bool has_next = to != in_.size;
    In i = in_.at(from);
    Out o = out_.to.at(offset);
    if (first) o = Transfer::transfer_all(i, i + 1, o);
    const Out begin = o;
    if constexpr (in_place) {
      // The last element that was kept is equivalent to the one before *i, which may have been moved.
      for (++i; i == o && i != end && !equal.at(o - 1, i); ++i) ++o;
      for (; i != end; ++i) {
        if (equal.at(o - 1, i)) continue;
        Transfer::transfer(i, o);
        ++o;
      }
      return {static_cast<position>(o - begin), has_next && !equal.at(o - 1, i)};
    } else {
      for (In last = i++; i != end; last = i++) {
        if (equal.at(last, i)) continue;
        Transfer::transfer(i, o);
        ++o;
      }
      return {static_cast<position>(o - begin), has_next && !equal.at(i - 1, i)};
    }
  }
  // The mark of an element says whether the next one begins a run.
  marked_block mark(mark_word* words, position from, position to) const {
    const auto begins_run = [equal = equal_](const In& i) { return !equal.at(i, i + 1); };
    const In last = in_.at(to - 1);
    const position kept = set_marks(words, in_.at(from), last, begins_run);
    return {kept, to != in_.size && begins_run(last)};
  }
  void place(const mark_word* words, position from, position to, const frontier::block_record& block) const {
    out_.expect_room(block.offset, block.kept + (block.first_kept ? 1 : 0));
    const In begin = in_.at(from);
    Out o = out_.to.at(block.offset);
    if (block.first_kept) o = Transfer::transfer_all(begin, begin + 1, o);
    transfer_marked<Transfer>(words, to - from - 1, begin + 1, o);
  }

 private:
  const elements<In> in_;
  const packed_output<Out> out_;
  const Equal equal_;
};

}  // namespace sennit::detail
