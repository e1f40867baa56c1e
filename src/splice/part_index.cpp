#include "splice/part_index.hpp"

#include <sennit/detail/assert.hpp>

#include <algorithm>

namespace sennit::detail {

namespace {

template <class T>
void make_room(std::vector<T>& of, std::size_t size) {
  if (of.capacity() < size) of.reserve(std::max(size, 2 * of.capacity()));
}

}  // namespace

void part_index::reserve() {
  const std::size_t i = parts_.size();
  make_room(parts_, i + 1);
  const bool grows = levels_.empty() || i == span(levels_.size() - 1);
  if (grows) {
    make_room(levels_, levels_.size() + 1);
    levels_.emplace_back();
  }
  for (std::size_t level = 0; level < levels_.size(); ++level) make_room(levels_[level], i / span(level) + 1);
  count_bytes();
}

void part_index::count_bytes() noexcept {
  bytes_ = sizeof(*this) + parts_.capacity() * sizeof(live_call*) + levels_.capacity() * sizeof(levels_[0]);
  for (const std::vector<hulls>& level : levels_) bytes_ += level.capacity() * sizeof(hulls);
}

void part_index::add(live_call* part, const hulls& used) noexcept {
  const std::size_t i = parts_.size();
  SENNIT_ASSERT(parts_.capacity() > i);
  parts_.push_back(part);
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const std::size_t node = i / span(level);
    std::vector<hulls>& nodes = levels_[level];
    if (node < nodes.size()) {
      nodes[node] += used;
    } else {
      // A new level begins with what the level before has.
      nodes.push_back(node == 0 && level > 0 ? levels_[level - 1].front() : hulls());
      nodes.back() += used;
    }
  }
}

void part_index::remove(std::uint32_t position) noexcept {
  std::size_t node = position - first_;
  SENNIT_ASSERT(position >= first_ && node < parts_.size());
  parts_[node] = nullptr;
  node /= together;
  const auto begin = parts_.begin() + static_cast<std::ptrdiff_t>(node * together);
  const auto end =
      parts_.begin() + static_cast<std::ptrdiff_t>(std::min((node + 1) * together, parts_.size()));
  if (!std::all_of(begin, end, [](const live_call* part) { return part == nullptr; })) return;
  levels_[0][node] = hulls();
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    node /= 2;
    const std::vector<hulls>& below = levels_[level - 1];
    hulls both = below[2 * node];
    if (2 * node + 1 < below.size()) both += below[2 * node + 1];
    if (node < levels_[level].size()) levels_[level][node] = both;
  }
}

}  // namespace sennit::detail
