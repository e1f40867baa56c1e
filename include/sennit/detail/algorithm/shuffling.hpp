// SPDX-License-Identifier: Apache-2.0
// How a sequence is shuffled: elements go to random buckets, which are shuffled one by one.
#pragma once

#include <sennit/detail/algorithm/raw_memory.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace sennit::detail {

// Numbers that are a function of a seed and a count. (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014: the finalizer of SplitMix.)
class counted_random {
 public:
  explicit counted_random(std::uint64_t seed) noexcept : state_(seed) {}

  static std::uint64_t at(std::uint64_t seed, std::uint64_t count) noexcept {
    std::uint64_t z = seed + (count + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  // A number below `bound`. The numbers differ in frequency by no more than bound / 2^64.
  static std::uint64_t below(std::uint64_t random, std::uint64_t bound) noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<wide>(random) * bound) >> 64U);
  }
  std::uint64_t next_below(std::uint64_t bound) noexcept { return below(at(state_, count_++), bound); }

 private:
  std::uint64_t state_;
  std::uint64_t count_ = 0;
};

// Each element goes to a bucket that depends on the seed and on its position. Elements keep their order there, so that
// nothing depends on the strands. Then each bucket, which fits into a cache, is shuffled by numbers of its own.
// (Sanders, "Random permutations on distributed, external and hierarchical memory", 1998.) Each permutation is as
// likely as any other. Precondition: moving an element does not throw.
template <class Engine, class It>
class shuffling {
 public:
  shuffling(const elements<It>& all, std::uint64_t seed)
      : all_(all),
        seed_(seed),
        blocks_(std::min(most_blocks, all.size / least_in_block + 1)),
        buckets_(std::clamp<position>(all.size * sizeof(T) / bytes_of_bucket, 1, most_buckets)),
        offsets_(static_cast<std::size_t>(blocks_ * buckets_)),
        begins_(static_cast<std::size_t>(buckets_ + 1)),
        scattered_(static_cast<std::size_t>(blocks_)),
        shuffled_(static_cast<std::size_t>(buckets_)),
        buffer_(static_cast<std::size_t>(all.size)) {}

  void run() {
    for_parts(blocks_, [&](position block) {
      for (position at = begin_of(block), end = begin_of(block + 1); at != end; ++at)
        ++offset(block, bucket_of(at));
    });
    position sum = 0;
    for (position bucket = 0; bucket != buckets_; ++bucket) {
      begins_[static_cast<std::size_t>(bucket)] = sum;
      for (position block = 0; block != blocks_; ++block)
        offset(block, bucket) = std::exchange(sum, sum + offset(block, bucket));
    }
    begins_.back() = sum;
    // From here on elements are in the buffer. If the region is cancelled, this strand does the rest.
    const complete rest{*this};
    for_parts(blocks_, [&](position block) { scatter(block); });
    for_parts(buckets_, [&](position bucket) { shuffle(bucket); });
  }

 private:
  using T = std::iter_value_t<It>;
  static constexpr position most_blocks = 256;
  static constexpr position least_in_block = 4096;
  static constexpr position bytes_of_bucket = position{1} << 17U;
  static constexpr position most_buckets = 2048;

  struct complete {
    ~complete() {
      for (position b = 0; b != all.blocks_; ++b) {
        if (all.scattered_[static_cast<std::size_t>(b)] == 0) all.scatter(b);
      }
      for (position b = 0; b != all.buckets_; ++b) {
        if (all.shuffled_[static_cast<std::size_t>(b)] == 0) all.shuffle(b);
      }
    }
    shuffling& all;
  };

  template <class Visit>
  static void for_parts(position parts, Visit&& visit) {
    Engine::for_positions(parts,
                          [&](position from, position to) {
                            for (; from != to; ++from) visit(from);
                          },
                          {});
  }

  position begin_of(position block) const noexcept {
    return all_.size / blocks_ * block + std::min(block, all_.size % blocks_);
  }
  position bucket_of(position at) const noexcept {
    return counted_random::below(counted_random::at(seed_, at), buckets_);
  }
  position& offset(position block, position bucket) noexcept {
    return offsets_[static_cast<std::size_t>(block * buckets_ + bucket)];
  }

  void scatter(position block) noexcept {
    It i = all_.at(begin_of(block));
    for (position at = begin_of(block), end = begin_of(block + 1); at != end; ++at, ++i)
      std::construct_at(buffer_.get() + offset(block, bucket_of(at))++, std::ranges::iter_move(i));
    scattered_[static_cast<std::size_t>(block)] = 1;
  }
  void shuffle(position bucket) noexcept {
    const position begin = begins_[static_cast<std::size_t>(bucket)];
    const position size = begins_[static_cast<std::size_t>(bucket) + 1] - begin;
    T* const first = buffer_.get() + begin;
    counted_random random(counted_random::at(~seed_, bucket));
    for (position left = size; left > 1; --left) {
      const position chosen = random.next_below(left);
      if (chosen != left - 1) std::ranges::swap(first[chosen], first[left - 1]);
    }
    std::ranges::move(first, first + size, all_.at(begin));
    std::destroy(first, first + size);
    shuffled_[static_cast<std::size_t>(bucket)] = 1;
  }

  const elements<It> all_;
  const std::uint64_t seed_;
  const position blocks_;
  const position buckets_;
  std::vector<position> offsets_;
  std::vector<position> begins_;
  std::vector<unsigned char> scattered_;
  std::vector<unsigned char> shuffled_;
  const needed_memory<T> buffer_;
};

}  // namespace sennit::detail
