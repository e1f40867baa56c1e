// SPDX-License-Identifier: Apache-2.0
// The parts of a sequence, found by what they use.
#pragma once

#include "splice/hulls.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sennit::detail {

struct live_call;

// Has an entry for each hull of each part. The entries are sorted by where their hulls begin, in runs; each run is a
// tree. New entries make new runs, and a run is merged with a new one that is as long, so there are few. The last
// entries are in no run yet.
class part_index {
 public:
  // first: the position of the first part that will be added.
  explicit part_index(std::uint32_t first) noexcept : first_(first) {}

  // The position of the next part that will be added.
  std::uint32_t end() const noexcept { return first_ + static_cast<std::uint32_t>(parts_.size()); }
  // Gets memory for the next part. Throws std::bad_alloc; the index then still has all parts.
  void reserve();
  // Adds the part at end(), which may have ended: null. Call reserve() before.
  void add(live_call* part, const hulls& used) noexcept;
  // No part will be added for now: questions are quick. Throws std::bad_alloc, as reserve() does.
  void complete();
  // The part, which uses what it was added with, has ended.
  void remove(std::uint32_t position, const hulls& used) noexcept;
  // Null if the part has ended, or has not been added.
  live_call* at(std::uint32_t position) const noexcept {
    return position >= first_ && position < end() ? parts_[position - first_] : nullptr;
  }
  // Calls use(part) once for each part at positions [from, to) of which hulls interfere with `with`; of parts with
  // one and the same hull, the last part first. It ends when use() returns true, and then returns true. use() must not
  // ask this index. Each hull that is looked for in a run counts as a check.
  template <class Use>
  bool find(const hulls& with, std::uint32_t from, std::uint32_t to, std::uint64_t& checks, Use&& use) {
    if (to <= first_ || from >= end()) return false;
    const wanted all{{}, from > first_ ? from - first_ : 0, to - first_};
    ++questions_;
    const auto once = [&](std::uint32_t i) {
      if (parts_[i] == nullptr || asked_[i] == questions_) return false;
      asked_[i] = questions_;
      return use(*parts_[i]);
    };
    for (std::uint32_t h = 0; h < with.count(); ++h) {
      wanted w = all;
      w.where = with.where(h);
      // What is only read matters to what is written.
      for (const bool written : {true, false}) {
        if (!written && h >= with.written()) continue;
        if (find_in_runs(w, written, checks, once)) return true;
      }
    }
    return false;
  }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct entry {
    hull where;
    std::uint32_t part;  // its position, from first_ on
    bool written;
  };
  // Of neighboring entries.
  struct node {
    std::uintptr_t last = 0;  // where the hulls end; 0: all parts have ended
    std::uint32_t least = UINT32_MAX;
    std::uint32_t most = 0;  // of the parts' positions
  };
  struct run {
    std::vector<entry> entries;
    std::vector<node> nodes;  // node 1 is the root; the children of node k are the nodes 2k and 2k + 1
    std::size_t leaves = 0;
  };
  struct wanted {
    hull where;
    std::uint32_t from;
    std::uint32_t to;
    bool has(const entry& e) const noexcept {
      return e.where.first < where.last && where.first < e.where.last && e.part >= from && e.part < to;
    }
  };
  static constexpr std::size_t most_recent = 32;

  template <class Use>
  bool find_in_runs(const wanted& w, bool written, std::uint64_t& checks, Use& use) const {
    checks += recent_.empty() ? 0 : 1;
    for (std::size_t i = recent_.size(); i-- > 0;) {
      if (recent_[i].written == written && w.has(recent_[i]) && use(recent_[i].part)) return true;
    }
    for (std::size_t i = runs_[written].size(); i-- > 0;) {
      ++checks;
      const run& r = runs_[written][i];
      if (find(r, 1, 0, r.leaves, w, use)) return true;
    }
    return false;
  }
  // Among the entries [begin, begin + count), which the node stands for.
  template <class Use>
  static bool find(const run& r, std::size_t at, std::size_t begin, std::size_t count, const wanted& w,
                   Use& use) {
    const node& n = r.nodes[at];
    if (n.last <= w.where.first || n.least >= w.to || n.most < w.from) return false;
    if (r.entries[begin].where.first >= w.where.last) return false;
    if (count == 1) return use(r.entries[begin].part);
    const std::size_t half = count / 2;
    return find(r, 2 * at + 1, begin + half, half, w, use) || find(r, 2 * at, begin, half, w, use);
  }

  void make_run(bool of_all);
  static run merged(std::span<const run> runs, std::span<const entry> recent, bool written);
  static void sum_up(run& r, std::size_t at) noexcept;
  void count_bytes() noexcept;

  std::uint32_t first_;
  std::uint32_t questions_ = 0;
  std::size_t bytes_ = 0;
  std::vector<live_call*> parts_;
  std::vector<std::uint32_t> asked_;  // the last question in which a part was found
  std::vector<entry> recent_;
  std::vector<run> runs_[2];  // of what is only read, and of what is written; the longest first
};

}  // namespace sennit::detail
