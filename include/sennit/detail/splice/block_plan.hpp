// SPDX-License-Identifier: Apache-2.0
// How a range is cut into blocks where the library looks for the best size while the splice runs.
#pragma once

#include <sennit/data_regions.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/splice/block_search.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace sennit::detail {

// A site that splices trees, and what is known of its blocks. Thread-safety: any thread may use it.
class SENNIT_EXPORT block_site {
 public:
  constexpr block_site() noexcept : search_(1, 1, 1) {}

  // A splice begins: the search goes on, unless it was about blocks of another kind.
  void begin(std::int64_t start, std::int64_t least, std::int64_t most) noexcept;
  // The size of the next blocks.
  std::int64_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  unsigned tried() const noexcept { return tried_.load(std::memory_order_relaxed); }
  // The best size of the last search that has ended, if it began with this one; otherwise 0.
  std::int64_t found_from(std::int64_t start) const noexcept {
    return found_start_.load(std::memory_order_relaxed) == start ? found_.load(std::memory_order_relaxed) : 0;
  }
  // Says what has been tried. Nothing if another thread is at the site.
  void tell(splice_report& report) noexcept;
  bool over() const noexcept { return over_.load(std::memory_order_relaxed); }
  // As block_search has it.
  void took(std::int64_t size, double ns) noexcept;

 private:
  template <class Change>
  void change(Change&& what) noexcept;

  // Nobody waits for it, so that a child of fork(2) may find it locked. What comes meanwhile is not noted.
  std::mutex lock_;
  block_search search_;
  std::int64_t start_ = 0;
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;
  // All relaxed: any value makes right blocks.
  std::atomic<std::int64_t> size_{1};
  std::atomic<unsigned> tried_{0};
  std::atomic<bool> over_{false};
  std::atomic<std::int64_t> found_start_{0};
  std::atomic<std::int64_t> found_{0};
};

// The range is cut into zones, and each zone into blocks of one size. The size is chosen when somebody asks for the
// zone for the first time. Trees that are interleaved have the same plan, so all of them are cut at the same places.
// They are also walked together: so the time from zone to zone is the time that all of them take.
//
// Thread-safety: all functions that are const may be called at once.
class SENNIT_EXPORT block_plan {
 public:
  // start: the size that the caches suggest. All blocks have at least `least` indices, except at the end of a zone, and
  // at most `most`. Throws std::bad_alloc.
  block_plan(block_site& site, range all, std::int64_t start, std::int64_t least, std::int64_t most);

  // Whether the range is large enough for other sizes to be tried: the time for the first zone and the last one is not known.
  bool tries_sizes() const noexcept { return count_ > 2; }
  bool in_one_zone(range part) const noexcept {
    return part.size() == 0 || zone_of(part.first) == zone_of(part.last - 1);
  }
  // Where a part of several zones is halved.
  std::int64_t middle_of(range part) const noexcept {
    const std::int64_t first = zone_of(part.first);
    return begin_of(first + (zone_of(part.last - 1) - first + 1) / 2);
  }
  // The size of the blocks at this index.
  std::int64_t block_at(std::int64_t index) const noexcept {
    const std::int64_t number = zone_of(index);
    const std::int64_t known = zones_[static_cast<std::size_t>(number)].block.load(std::memory_order_relaxed);
    return known != 0 ? known : choose(number);
  }

 private:
  __extension__ using wide = __int128;

  // All relaxed: a value that is not the latest one may spoil a time, and no result.
  struct zone {
    std::atomic<std::int64_t> block{0};
    std::atomic<std::int64_t> begun_ns{0};
    std::atomic<const void*> begun_by{nullptr};
    std::atomic<bool> is_first{false};  // of those that somebody walks
  };

  // Where the range would be cut by halving, so that the zones of data that a program divides in the same way are apart.
  std::int64_t begin_of(std::int64_t number) const noexcept {
    return all_.first + static_cast<std::int64_t>(static_cast<wide>(all_.size()) * number / count_);
  }
  std::int64_t zone_of(std::int64_t index) const noexcept {
    const std::int64_t number =
        static_cast<std::int64_t>(static_cast<wide>(index - all_.first) * count_ / all_.size());
    return std::min(number + (begin_of(number + 1) <= index ? 1 : 0), count_ - 1);
  }
  std::int64_t choose(std::int64_t number) const noexcept;

  block_site& site_;
  range all_;
  std::int64_t least_;
  std::int64_t most_;
  std::int64_t count_;  // a power of two
  std::unique_ptr<zone[]> zones_;
};

}  // namespace sennit::detail
