// SPDX-License-Identifier: Apache-2.0
#include "splice/part_index.hpp"

#include <sennit/detail/assert.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace sennit::detail {

namespace {

template <class T>
void make_room(std::vector<T>& of, std::size_t size) {
  if (of.capacity() < size) of.reserve(std::max(size, 2 * of.capacity()));
}

constexpr auto before = [](const auto& a, const auto& b) {
  return a.where.first != b.where.first ? a.where.first < b.where.first : a.part < b.part;
};

}  // namespace

void part_index::reserve() {
  make_room(parts_, parts_.size() + 1);
  make_room(asked_, parts_.size() + 1);
  if (recent_.capacity() == 0) recent_.reserve(most_recent);
  if (recent_.size() + hulls::most > most_recent) make_run(false);
  count_bytes();
}

void part_index::complete() {
  make_run(true);
  count_bytes();
}

void part_index::count_bytes() noexcept {
  bytes_ = sizeof(*this) + parts_.capacity() * sizeof(live_call*) +
           asked_.capacity() * sizeof(std::uint32_t) + recent_.capacity() * sizeof(entry);
  for (const std::vector<run>& runs : runs_) {
    for (const run& r : runs)
      bytes_ += sizeof(run) + r.entries.capacity() * sizeof(entry) + r.nodes.capacity() * sizeof(node);
  }
}

void part_index::add(live_call* part, const hulls& used) noexcept {
  SENNIT_ASSERT(parts_.capacity() > parts_.size() && recent_.capacity() >= recent_.size() + used.count());
  const auto position = static_cast<std::uint32_t>(parts_.size());
  parts_.push_back(part);
  asked_.push_back(0);
  for (std::uint32_t h = 0; h < used.count(); ++h) {
    recent_.push_back({used.where(h), position, h < used.written()});
  }
}

// Of the recent entries, and of runs that are not longer than what comes after them.
void part_index::make_run(bool of_all) {
  run made[2];
  std::size_t from[2];
  for (const bool written : {false, true}) {
    std::vector<run>& runs = runs_[written];
    std::size_t& first = from[written] = runs.size();
    std::size_t size = recent_.size();
    while (first > 0 && (of_all || runs[first - 1].entries.size() <= size))
      size += runs[--first].entries.size();
    made[written] = merged({runs.data() + first, runs.size() - first}, recent_, written);
    make_room(runs, first + 1);
  }
  for (const bool written : {false, true}) {
    std::vector<run>& runs = runs_[written];
    runs.resize(from[written]);
    if (!made[written].entries.empty()) runs.push_back(std::move(made[written]));
  }
  recent_.clear();
}

// Without entries of parts that have ended.
part_index::run part_index::merged(std::span<const run> runs, std::span<const entry> recent, bool written) {
  run to;
  std::size_t most = recent.size();
  for (const run& r : runs) most += r.entries.size();
  to.entries.reserve(most);
  for (const run& r : runs) {
    for (std::size_t i = 0; i < r.entries.size(); ++i) {
      if (r.nodes[r.leaves + i].last != 0) to.entries.push_back(r.entries[i]);
    }
  }
  for (const entry& e : recent) {
    if (e.written == written) to.entries.push_back(e);
  }
  if (to.entries.empty()) return to;
  std::ranges::sort(to.entries, before);
  to.leaves = std::bit_ceil(to.entries.size());
  to.nodes.resize(2 * to.leaves);
  for (std::size_t i = 0; i < to.entries.size(); ++i) {
    const entry& e = to.entries[i];
    to.nodes[to.leaves + i] = {e.where.last, e.part, e.part};
  }
  for (std::size_t at = to.leaves; --at > 0;) sum_up(to, at);
  return to;
}

void part_index::sum_up(run& r, std::size_t at) noexcept {
  const node& a = r.nodes[2 * at];
  const node& b = r.nodes[2 * at + 1];
  r.nodes[at] = {std::max(a.last, b.last), std::min(a.least, b.least), std::max(a.most, b.most)};
}

void part_index::remove(std::uint32_t position, const hulls& used) noexcept {
  const std::uint32_t part = position - first_;
  SENNIT_ASSERT(position >= first_ && part < parts_.size());
  parts_[part] = nullptr;
  for (std::uint32_t h = 0; h < used.count(); ++h) {
    const bool written = h < used.written();
    const entry its{used.where(h), part, written};
    for (run& r : runs_[written]) {
      const auto found = std::ranges::lower_bound(r.entries, its, before);
      if (found == r.entries.end() || before(its, *found)) continue;
      std::size_t at = r.leaves + static_cast<std::size_t>(found - r.entries.begin());
      r.nodes[at] = node();
      while ((at /= 2) > 0) sum_up(r, at);
      break;
    }
  }
  std::erase_if(recent_, [part](const entry& e) { return e.part == part; });
}

}  // namespace sennit::detail
