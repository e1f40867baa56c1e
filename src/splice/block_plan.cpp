// SPDX-License-Identifier: Apache-2.0
#include "system/nanoseconds.hpp"

#include <sennit/detail/splice/block_plan.hpp>

#include <algorithm>
#include <bit>

namespace sennit::detail {

namespace {

// The data of a zone is a small part of all, and a zone has so many blocks of the first size that is tried that the time for the
// zone says what a block costs.
constexpr std::int64_t most_zones = 64;
constexpr std::int64_t least_blocks = 64;
// A size that is tried leaves so many blocks in a zone.
constexpr std::int64_t fewest_blocks = 4;
// A step takes longer. Where trees are not walked together, parts of several zones may be made one after the other, and
// their steps run later.
constexpr std::int64_t least_ns_of_block = 20;

std::int64_t zones_for(std::int64_t blocks) noexcept {
  const std::int64_t some = std::clamp<std::int64_t>(blocks / least_blocks, 1, most_zones);
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(some)));
}

}  // namespace

template <class Change>
void block_site::change(Change&& what) noexcept {
  if (const std::unique_lock guard(lock_, std::try_to_lock); guard.owns_lock()) {
    what();
    size_.store(search_.size(), std::memory_order_relaxed);
    tried_.store(search_.tried(), std::memory_order_relaxed);
    over_.store(search_.over(), std::memory_order_relaxed);
    if (!search_.over()) return;
    found_start_.store(start_, std::memory_order_relaxed);
    found_.store(search_.size(), std::memory_order_relaxed);
  }
}

void block_site::begin(std::int64_t start, std::int64_t least, std::int64_t most) noexcept {
  change([&] {
    if (start == start_ && least == least_ && most == most_) return;
    search_ = block_search(start, least, most);
    start_ = start;
    least_ = least;
    most_ = most;
  });
}

void block_site::took(std::int64_t size, double ns) noexcept {
  change([&] { search_.took(size, ns); });
}

void block_site::tell(splice_report& report) noexcept {
  report.block = size();
  report.blocks_tried = tried();
  change([&] {
    report.tried = search_.sizes();
    report.tries_more = !search_.over();
  });
}

block_plan::block_plan(block_site& site, range all, std::int64_t start, std::int64_t least, std::int64_t most)
    : site_(site),
      all_(all),
      least_(std::min(start, std::max({least, start / 8, std::int64_t{1}}))),
      count_(zones_for(all.size() / start)),
      zones_(std::make_unique<zone[]>(static_cast<std::size_t>(count_))) {
  most_ = std::max(start, std::min(most, all.size() / count_ / fewest_blocks));
  site.begin(start, least_, most_);
}

// A zone that follows one that is not the first of a walk ends it: the time for the first one has more in it. Another thread
// may be in the zone before.
std::int64_t block_plan::choose(std::int64_t number) const noexcept {
  thread_local const char this_thread = 0;
  const auto at = static_cast<std::size_t>(number);
  const auto now = static_cast<std::int64_t>(now_ns());
  zone& here = zones_[at];
  std::int64_t block = 0;
  // Another splice of the site may have other bounds.
  const std::int64_t size = std::clamp(site_.size(), least_, most_);
  if (!here.block.compare_exchange_strong(block, size, std::memory_order_relaxed)) return block;
  here.begun_by.store(&this_thread, std::memory_order_relaxed);
  here.begun_ns.store(now, std::memory_order_relaxed);
  const zone* const before = at == 0 ? nullptr : &zones_[at - 1];
  if (before == nullptr || before->begun_by.load(std::memory_order_relaxed) != &this_thread) {
    here.is_first.store(true, std::memory_order_relaxed);
  } else if (!before->is_first.load(std::memory_order_relaxed)) {
    const std::int64_t indices = begin_of(number) - begin_of(number - 1);
    const std::int64_t took = now - before->begun_ns.load(std::memory_order_relaxed);
    const std::int64_t its = before->block.load(std::memory_order_relaxed);
    if (took < indices / its * least_ns_of_block) return size;
    site_.took(its, static_cast<double>(took) / static_cast<double>(indices));
  }
  return size;
}

}  // namespace sennit::detail
