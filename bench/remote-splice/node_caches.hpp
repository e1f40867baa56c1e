// SPDX-License-Identifier: Apache-2.0
// What the NUMA nodes of a machine fetch, each into a cache of its own: counted from who touched which memory, and in which order.
#pragma once

#include "gallery/cache_model.hpp"

#include <sennit/effects.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace remote_splice {

struct fetched {
  std::uint64_t lines = 0;
  std::uint64_t remote = 0;  // of these, lines of pages that lie with another node
};

// A page lies with the node that has touched it first. A line that another node has written since is fetched anew.
class node_caches {
 public:
  static constexpr std::uintptr_t page = 4096;

  node_caches(unsigned nodes, const gallery::cache_shape& cache)
      : shape_(cache), caches_(nodes, gallery::simulated_cache(cache)) {}

  // Pages that lie nowhere yet lie with this node from now on. Nothing is fetched.
  void place(unsigned node, sennit::hull bytes) {
    each_page(bytes, [&](std::uintptr_t p) { entry_of(p, node); });
  }
  void touch(unsigned node, sennit::hull bytes, bool written) {
    each_page(bytes, [&](std::uintptr_t p) {
      const entry& at = entry_of(p, node);
      const std::uintptr_t first = std::max(bytes.first, p * page) % page / shape_.line;
      const std::uintptr_t last = (std::min(bytes.last, (p + 1) * page) - 1) % page / shape_.line;
      for (std::uintptr_t l = first; l <= last; ++l) {
        const std::size_t line = at.first_line + l;
        const std::uint32_t before = versions_[line];
        if (written) versions_[line] = ++version_;
        if (caches_[node].touch(static_cast<std::uint32_t>(line), before, versions_[line])) continue;
        ++fetched_.lines;
        fetched_.remote += at.home != node ? 1 : 0;
      }
    });
  }
  const fetched& all() const { return fetched_; }
  // With empty caches, and with the pages where they lie.
  void begin_again() {
    std::ranges::fill(caches_, gallery::simulated_cache(shape_));
    fetched_ = {};
  }

 private:
  struct entry {
    std::size_t first_line;
    unsigned home;
  };

  template <class F>
  static void each_page(sennit::hull bytes, const F& f) {
    if (bytes.first >= bytes.last) return;
    for (std::uintptr_t p = bytes.first / page; p <= (bytes.last - 1) / page; ++p) f(p);
  }
  const entry& entry_of(std::uintptr_t p, unsigned node) {
    const auto [at, is_new] = pages_.try_emplace(p, entry{versions_.size(), node});
    if (is_new) versions_.resize(versions_.size() + page / shape_.line);
    return at->second;
  }

  gallery::cache_shape shape_;
  std::vector<gallery::simulated_cache> caches_;
  std::unordered_map<std::uintptr_t, entry> pages_;
  std::vector<std::uint32_t> versions_;  // of each line
  std::uint32_t version_ = 0;
  fetched fetched_;
};

}  // namespace remote_splice
