// SPDX-License-Identifier: Apache-2.0
#include <sennit/detail/effects_access.hpp>
#include <sennit/detail/splice/step_memory.hpp>

#include <algorithm>
#include <utility>

namespace sennit::detail {

namespace {

// Neighboring runs as one.
memory_runs joined_runs(memory_runs r) noexcept {
  for (std::size_t d = 2; d-- > 0;) {
    if (r.pitch[d] == 0 || r.bytes == 0) r.count[d] = std::min<std::uint64_t>(r.count[d], 1);
    if (r.count[d] == 1 || r.pitch[d] != r.bytes) continue;
    r.bytes *= r.count[d];
    r.count[d] = 1;
  }
  for (std::size_t d = 0; d < 2; ++d) {
    if (r.count[d] == 1) r.pitch[d] = 0;
  }
  if (r.count[0] == 1) {
    std::swap(r.count[0], r.count[1]);
    std::swap(r.pitch[0], r.pitch[1]);
  }
  return r;
}

}  // namespace

void step_memory::begin_call() { first_blocks_.push_back(ends_.size()); }

void step_memory::add(const effects& of_block) {
  is_known_ = is_known_ && !of_block.is_everything();
  for (std::uint32_t i = 0; i < effects_access::size(of_block) && is_known_; ++i) {
    const region_view region = effects_access::region(of_block, i);
    if (region.contiguous()) {
      memory_.push_back({.first = region.where.first, .bytes = region.where.last - region.where.first});
    } else if (region.kind->runs != nullptr) {
      memory_.push_back(joined_runs(region.kind->runs(region.data->get())));
    } else {
      is_known_ = false;
    }
  }
  ends_.push_back(memory_.size());
}

void step_memory::put(splice_notes& to) {
  if (!is_known_) {
    memory_.clear();
    ends_.clear();
  }
  // An empty region may be anywhere.
  std::uint64_t base = UINT64_MAX;
  for (const memory_runs& r : memory_) base = std::min(base, r.bytes == 0 ? base : r.first);
  for (memory_runs& r : memory_) r.first = r.bytes == 0 ? 0 : r.first - base;
  to.memory = std::move(memory_);
  to.memory_ends = std::move(ends_);
  to.first_blocks = std::move(first_blocks_);
}

}  // namespace sennit::detail
