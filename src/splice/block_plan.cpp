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
  }
}

void block_site::begin(std::int64_t start, std::int64_t least, std::int64_t most) noexcept {
  change([&] {
    if (start == start_ && most == most_) return;
    search_ = block_search(start, least, most);
    start_ = start;
    most_ = most;
  });
}

void block_site::took(std::int64_t size, double ns) noexcept {
  change([&] { search_.took(size, ns); });
}

block_plan::block_plan(block_site& site, range all, std::int64_t start, std::int64_t least, std::int64_t most)
    : site_(site),
      all_(all),
      count_(zones_for(all.size() / start)),
      zones_(std::make_unique<zone[]>(static_cast<std::size_t>(count_))) {
  const std::int64_t in_zone = all.size() / count_ / fewest_blocks;
  site.begin(start, std::max({least, start / 8, std::int64_t{1}}), std::max(start, std::min(most, in_zone)));
}

// A zone that follows one that is not the first of a walk ends it: the time for the first one has more in it.
std::int64_t block_plan::choose(std::int64_t number) const noexcept {
  const auto at = static_cast<std::size_t>(number);
  const auto now = static_cast<std::int64_t>(now_ns());
  zone& here = zones_[at];
  const zone* const before = at == 0 ? nullptr : &zones_[at - 1];
  const std::int64_t begun = before == nullptr ? 0 : before->begun_ns.load(std::memory_order_relaxed);
  if (begun == 0) {
    here.is_first.store(true, std::memory_order_relaxed);
  } else if (!before->is_first.load(std::memory_order_relaxed)) {
    const std::int64_t indices = begin_of(number) - begin_of(number - 1);
    site_.took(before->block.load(std::memory_order_relaxed),
               static_cast<double>(now - begun) / static_cast<double>(indices));
  }
  std::int64_t unknown = 0;
  const std::int64_t size = site_.size();
  if (!here.block.compare_exchange_strong(unknown, size, std::memory_order_relaxed)) return unknown;
  here.begun_ns.store(now, std::memory_order_relaxed);
  return size;
}

}  // namespace sennit::detail
