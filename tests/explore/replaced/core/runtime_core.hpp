// In place of the library's header: what an explored program has of a runtime.
#pragma once

#include "core/deque.hpp"
#include "core/sleepers.hpp"
#include "system/barrier.hpp"

#include <sennit/detail/colors.hpp>
#include <sennit/region.hpp>
#include <sennit/runtime.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {

class runtime_core {
 public:
  explicit runtime_core(bool fenced) : fenced_(fenced) {}

  sleepers& asleep() noexcept { return asleep_; }
  barriers& paid() noexcept { return paid_; }
  steal_barrier barrier() const noexcept {
    return fenced_ ? steal_barrier::fence : steal_barrier::membarrier;
  }
  // A push has told that there is work.
  void call_for_work(const region_state*) noexcept { calls.fetch_add(1, std::memory_order_relaxed); }
  unsigned workers() const noexcept { return 2; }
  unsigned numbered_workers() const noexcept { return 2; }
  unsigned number_of(const worker&) const noexcept { return 0; }

  std::atomic<unsigned> waiting{0};
  std::atomic<unsigned> calls{0};

 private:
  const bool fenced_;
  barriers paid_;
  sleepers asleep_;
};

}  // namespace sennit::detail
