// SPDX-License-Identifier: Apache-2.0
// What is ready, by its priority.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::detail {

// Of several with one priority, the latest comes first: its data may be in the cache. Thread-safety: none.
template <class Ready>
class priority_heap {
 public:
  bool empty() const noexcept { return all_.empty(); }
  std::size_t size() const noexcept { return all_.size(); }
  // Throws std::bad_alloc.
  void add(const Ready& one, std::int32_t priority) {
    all_.push_back({one, priority, ++latest_});
    std::push_heap(all_.begin(), all_.end(), comes_later);
  }
  // Precondition: there is one.
  Ready take() noexcept {
    std::pop_heap(all_.begin(), all_.end(), comes_later);
    const Ready first = all_.back().one;
    all_.pop_back();
    return first;
  }
  void clear() noexcept { all_.clear(); }

 private:
  struct entry {
    Ready one;
    std::int32_t priority;
    std::uint64_t added;
  };
  static bool comes_later(const entry& a, const entry& b) noexcept {
    return a.priority != b.priority ? a.priority < b.priority : a.added < b.added;
  }

  std::vector<entry> all_;
  std::uint64_t latest_ = 0;
};

}  // namespace sennit::detail
