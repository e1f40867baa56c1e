// SPDX-License-Identifier: Apache-2.0
#include "schedule/loop_parts.hpp"

#include <sennit/detail/loop/observed.hpp>

namespace sennit::detail {
namespace {

// Mirrors fold_cuts(); the recursion is as deep as the logarithm of the number of leaves. Returns the role
// that continues after it.
std::uint32_t halves(const std::vector<steal>& list, std::uint64_t first, std::uint64_t last,
                     std::uint64_t leaf, std::uint32_t by, std::vector<part_of_loop>& parts) {
  const steal* joined = nullptr;
  std::uint32_t joins = by;
  auto node = list.begin();
  for (std::uint64_t at = 0;; ++at) {
    const bool noted = node != list.end() && node->at == at && node->what == steal::kind::fork;
    const std::uint64_t middle = observed_cut(first, last, leaf, noted ? node->cut : 0);
    if (middle == last) break;
    if (noted) {
      by = halves(node->inside, first, middle, leaf, by, parts);
      if (node->taken) {
        if (joined == nullptr) {
          joined = &*node;
          joins = by;
        }
        by = node->begun.role;
      }
      ++node;
    } else {
      parts.push_back({middle, by});
    }
    first = middle;
  }
  parts.push_back({last, by});
  if (joined == nullptr) return by;
  return joined->waited ? joined->resumed.role : joins;
}

}  // namespace

std::uint32_t parts_of_loop(const steal& loop, std::uint32_t by, std::vector<part_of_loop>& parts) {
  return halves(loop.inside, 0, loop.size, observed_leaf(loop.size), by, parts);
}

void loop_reader::skip_waits() {
  for (; next_ != end_ && next_->what == steal::kind::wait; ++next_)
    if (next_->waited) by_ = next_->resumed.role;
}

std::vector<part_of_loop> loop_reader::take(std::uint64_t position, std::uint64_t size) {
  if (at() != position) return {{size, by_}};
  std::vector<part_of_loop> parts;
  by_ = halves(next_->inside, 0, size, observed_leaf(size), by_, parts);
  ++next_;
  return parts;
}

}  // namespace sennit::detail
