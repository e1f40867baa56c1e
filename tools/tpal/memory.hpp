// SPDX-License-Identifier: Apache-2.0
// The heap, which all tasks share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tpal {

// Tasks that race for a cell read one of the values written: the answer is the program's risk, not the machine's.
class memory {
 public:
  memory(const std::vector<std::int64_t>& cells, const std::vector<bool>& are_doubles)
      : cells_(cells.size()), are_doubles_(are_doubles) {
    for (std::size_t i = 0; i < cells.size(); ++i) store(i, cells[i]);
  }

  bool is_double(std::size_t i) const { return are_doubles_[i]; }
  std::size_t size() const noexcept { return cells_.size(); }
  // Relaxed: forks and joins order what they have to, by the lock of the bookkeeping tree and the runtime's own.
  std::int64_t load(std::size_t i) const noexcept { return cells_[i].load(std::memory_order_relaxed); }
  void store(std::size_t i, std::int64_t value) noexcept {
    cells_[i].store(value, std::memory_order_relaxed);
  }

 private:
  std::vector<std::atomic<std::int64_t>> cells_;
  const std::vector<bool>& are_doubles_;
};

}  // namespace tpal
