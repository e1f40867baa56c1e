// SPDX-License-Identifier: Apache-2.0
// A stable sort by comparisons: into buckets between elements of a sample, which are then merge sorted.
#pragma once

#include <sennit/detail/algorithm/first_failure.hpp>
#include <sennit/detail/algorithm/in_order.hpp>
#include <sennit/detail/algorithm/merge_sort.hpp>
#include <sennit/detail/algorithm/projected_relation.hpp>
#include <sennit/detail/algorithm/raw_memory.hpp>
#include <sennit/detail/algorithm/sample.hpp>
#include <sennit/detail/clock.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace sennit::detail {

// All comparisons of a pass come before its moves, which throw nothing. So a comparator that throws finds the elements
// where they were. Buckets between equal splitters need no sort (Sanders and Winkel, "Super Scalar Sample Sort", 2004).
// A part ends with its elements in the range, and none in the buffer. Precondition: moving elements does not throw.
template <class Engine, class It, class Comp, class Proj>
class sample_sort {
 public:
  sample_sort(It range, std::size_t n, Comp& comp, Proj& proj)
      : range_(range), size_(n), less_(related_by(comp, proj)) {}

  void run() { run(0, size_); }

  // Moves those elements to [from, to) that a sort would move there, and lower ones before them.
  void run(std::size_t from, std::size_t to) {
    wanted_from_ = from;
    wanted_to_ = to;
    const ticks begun = read_clock();
    static_cast<void>(less_(*at(1), *at(0)));
    if (read_clock() - begun > long_comparison) cost_ = cost_of_comparison::high;
    if (is_in_order<Engine>(range_, size_, less_)) return;
    const needed_memory<T> memory(size_);
    buffer_ = memory.get();
    sort_range(0, size_);
    failure_.rethrow();
  }

 private:
  using T = std::iter_value_t<It>;
  using less_of = relation_by<Comp, Proj>;
  using bucket = std::uint16_t;

  // Merges of fewer elements stay in a cache, and each level of them costs less than a bucket's number. Elements that
  // are no plain bytes cost more to move.
  static constexpr std::size_t small = sizeof(T) <= 16 && std::is_trivially_copyable_v<T> ? 1 << 15 : 1 << 11;
  // Some tens of microseconds.
  static constexpr ticks long_comparison = 64'000;
  static constexpr std::size_t smallest_block = std::size_t{1} << 14;
  static constexpr std::size_t most_blocks = 1024;
  static constexpr std::size_t most_buckets = 256;

  It at(std::size_t i) const { return range_ + static_cast<std::iter_difference_t<It>>(i); }

  // Sorts elements that are in the range.
  void sort_range(std::size_t from, std::size_t to) noexcept {
    if (failure_.occurred() || !is_wanted(from, to)) return;
    pass<It> next(*this, at(from), to - from);
    if (to - from <= small || !failure_.attempt([&] { next.prepare(); }) || !next.is_useful()) {
      if (!failure_.occurred()) merge(from, to);
      return;
    }
    next.move_to(buffer_ + from,
                 [](T* place, auto&& element) { std::construct_at(place, std::move(element)); });
    next.for_buckets([&](std::size_t first, std::size_t last, bool equal) {
      sort_buffer(from + first, from + last, equal || last - first > (to - from) / 2, equal);
    });
  }

  // Sorts elements that are in the buffer, while those in the range have been moved from.
  void sort_buffer(std::size_t from, std::size_t to, bool at_once, bool equal) noexcept {
    if (!at_once && to - from > small && !failure_.occurred() && is_wanted(from, to)) {
      pass<T*> next(*this, buffer_ + from, to - from);
      if (failure_.attempt([&] { next.prepare(); }) && next.is_useful()) {
        next.move_to(at(from), [](It place, auto&& element) { *place = std::move(element); });
        std::destroy(buffer_ + from, buffer_ + to);
        next.for_buckets([&](std::size_t first, std::size_t last, bool same) {
          if (!same && !failure_.occurred()) {
            if (last - first > (to - from) / 2) {
              merge(from + first, from + last);
            } else {
              sort_range(from + first, from + last);
            }
          }
        });
        return;
      }
    }
    std::ranges::move(buffer_ + from, buffer_ + to, at(from));
    std::destroy(buffer_ + from, buffer_ + to);
    if (!equal && !failure_.occurred()) merge(from, to);
  }

  bool is_wanted(std::size_t from, std::size_t to) const noexcept {
    return from < wanted_to_ && wanted_from_ < to;
  }

  void merge(std::size_t from, std::size_t to) noexcept {
    if (!is_wanted(from, to)) return;
    bool is_sorted = false;
    failure_.attempt([&] { is_sorted = std::is_sorted(at(from), at(to), less_); });
    if (is_sorted || failure_.occurred()) return;
    merge_sort<Engine, It, less_of>(at(from), static_cast<std::ptrdiff_t>(to - from), buffer_ + from, less_,
                                    failure_, cost_)
        .run();
  }

  // One pass over n elements: the number of each one's bucket, then the moves.
  template <class From>
  class pass {
   public:
    pass(sample_sort& sort, From from, std::size_t n) : sort_(sort), from_(from), size_(n) {}

    // Throws what the comparator throws. Afterwards it is of no use if there was no memory.
    void prepare() {
      const sample_buckets<From, less_of> between(from_, size_, std::min(most_buckets, size_ / (small / 8)),
                                                  sort_.less_);
      buckets_ = between.buckets();
      equals_ = between.has_equals();
      block_ = std::max(smallest_block, size_ / most_blocks + 1);
      blocks_ = (size_ + block_ - 1) / block_;
      numbers_.reset(new (std::nothrow) bucket[size_]);
      places_.reset(new (std::nothrow) std::size_t[(blocks_ + 1) * buckets_]());
      done_.reset(new (std::nothrow) bool[std::max(blocks_, buckets_)]());
      if (!is_useful()) return;
      for_blocks([&](std::size_t b) {
        std::size_t* const counts = places_.get() + (b + 1) * buckets_;
        const std::size_t end = std::min(size_, (b + 1) * block_);
        between.number(b * block_, end, numbers_.get());
        for (std::size_t i = b * block_; i != end; ++i) ++counts[numbers_[i]];
      });
    }
    bool is_useful() const { return numbers_ != nullptr && places_ != nullptr && done_ != nullptr; }

    // Blocks that a cancelled region dropped are moved at the end.
    template <class To, class Put>
    void move_to(To to, Put put) noexcept {
      std::size_t* const sums = places_.get();
      std::size_t sum = 0;
      for (std::size_t k = 0; k < buckets_; ++k) {
        for (std::size_t b = 1; b <= blocks_; ++b) {
          const std::size_t count = std::exchange(sums[b * buckets_ + k], sum);
          sum += count;
        }
        sums[k] = sum;
      }
      const auto move = [&](std::size_t b) {
        if (done_[b]) return;
        std::size_t* const places = sums + (b + 1) * buckets_;
        const std::size_t end = std::min(size_, (b + 1) * block_);
        From element = from_ + static_cast<std::iter_difference_t<From>>(b * block_);
        for (std::size_t i = b * block_; i != end; ++i, ++element)
          put(to + static_cast<std::iter_difference_t<To>>(places[numbers_[i]]++),
              std::ranges::iter_move(element));
        done_[b] = true;
      };
      if (!sort_.failure_.attempt([&] { for_blocks(move); })) {
        for (std::size_t b = 0; b < blocks_; ++b) move(b);
      }
      numbers_.reset();
      std::fill_n(done_.get(), buckets_, false);
    }

    // Calls run(first, last, equal) for each bucket with elements.
    template <class Run>
    void for_buckets(Run run) noexcept {
      const auto run_one = [&](std::size_t k) {
        const std::size_t first = k == 0 ? 0 : places_[k - 1];
        if (!done_[k] && first != places_[k]) run(first, places_[k], equals_ && k % 2 != 0);
        done_[k] = true;
      };
      const auto run_some = [&](position first, position last) {
        for (auto k = static_cast<std::size_t>(first); k != last; ++k) run_one(k);
      };
      if (!sort_.failure_.attempt([&] { Engine::for_positions(buckets_, run_some, {}); })) {
        for (std::size_t k = 0; k < buckets_; ++k) run_one(k);
      }
    }

   private:
    template <class Run>
    void for_blocks(Run run) {
      const auto run_some = [&](position first, position last) {
        for (auto b = static_cast<std::size_t>(first); b != last; ++b) run(b);
      };
      Engine::for_positions(blocks_, run_some, {});
    }

    sample_sort& sort_;
    From from_;
    std::size_t size_;
    std::size_t buckets_ = 0;
    std::size_t block_ = 0;
    std::size_t blocks_ = 0;
    bool equals_ = false;
    std::unique_ptr<bucket[]> numbers_;
    std::unique_ptr<std::size_t[]> places_;
    std::unique_ptr<bool[]> done_;
  };

  It range_;
  std::size_t size_;
  std::size_t wanted_from_ = 0;
  std::size_t wanted_to_ = 0;
  less_of less_;
  T* buffer_ = nullptr;
  first_failure failure_;
  cost_of_comparison cost_ = cost_of_comparison::low;
};

}  // namespace sennit::detail
