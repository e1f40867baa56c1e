// SPDX-License-Identifier: Apache-2.0
// The first run of elements of which something holds.
#pragma once

#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/first_match.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <atomic>
#include <iterator>

namespace sennit::detail {

// A run of `count` elements has exactly one of the places count - 1, 2 count - 1, and so on. So elements elsewhere are looked
// at only beside one of these for which holds(i) is true.
template <class Engine, class It, class Holds>
class first_run {
 public:
  first_run(const elements<It>& all, position count, const Holds& holds, const loop_options& how)
      : all_(all), count_(count), holds_(holds), how_(how) {}

  // The position where the first run begins, or the end.
  position find() const {
    const position places = all_.size / count_;
    if constexpr (!Engine::serial) {
      if (count_ >= long_run) {
        position begin = all_.size;
        for (position place = 0; place != places && begin == all_.size; ++place)
          begin = around<Engine>(place);
        return begin;
      }
    }
    std::atomic<position> lowest{all_.size};
    const auto find_place = [&](position place, position to) {
      for (; place != to; ++place) {
        const position begin = around<elided>(place);
        if (begin == all_.size) continue;
        lower(lowest, begin);
        break;
      }
      return place;
    };
    const bool found = first_match<Engine>(places, find_place, how_) != places;
    return found ? lowest.load(std::memory_order_relaxed) : all_.size;
  }

 private:
  // Worth a search of its own for its begin and its end.
  static constexpr position long_run = 4096;

  // The begin of a run that has the place.
  template <class By>
  position around(position place) const {
    const position at = (place + 1) * count_ - 1;
    if (!holds_(all_.at(at))) return all_.size;
    const elements before{std::reverse_iterator(all_.at(at)), count_ - 1};
    const position lefts =
        first_element<By>(before, before.size, how_, [&](const auto& i) { return !holds_(i.base() - 1); });
    const elements<It> behind{all_.at(at + 1), count_ - 1 - lefts};
    if (behind.size > all_.size - at - 1) return all_.size;
    const position rights =
        first_element<By>(behind, behind.size, how_, [&](const auto& i) { return !holds_(i); });
    return rights == behind.size ? at - lefts : all_.size;
  }

  // The lowest of the begins that strands find is that around the lowest place. The loop's end orders what is read.
  static void lower(std::atomic<position>& lowest, position begin) {
    position before = lowest.load(std::memory_order_relaxed);
    while (begin < before && !lowest.compare_exchange_weak(before, begin, std::memory_order_relaxed)) {
    }
  }

  const elements<It> all_;
  const position count_;
  const Holds& holds_;
  const loop_options& how_;
};

}  // namespace sennit::detail
