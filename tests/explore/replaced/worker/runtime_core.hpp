// SPDX-License-Identifier: Apache-2.0
// In place of the library's header: what an explored program has of a runtime. Who is told that there is work is the
// library's own, in worker/waking.cpp.
#pragma once

#include "deque/wanted.hpp"
#include "deque/worker_frames.hpp"
#include "sleep/sleepers.hpp"
#include "system/barrier.hpp"
#include "worker/coloring.hpp"

#include <sennit/detail/colors.hpp>
#include <sennit/region.hpp>
#include <sennit/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::detail {

class runtime_core {
 public:
  explicit runtime_core(bool fenced) : fenced_(fenced) {}

  sleepers& asleep() noexcept { return asleep_; }
  detail::barriers& barriers() noexcept { return barriers_; }
  steal_barrier barrier() const noexcept {
    return fenced_ ? steal_barrier::fence : steal_barrier::membarrier;
  }
  unsigned workers() const noexcept { return 2; }
  unsigned numbered_workers() const noexcept { return 2; }
  unsigned number_of(const worker&) const noexcept { return 0; }
  worker& numbered(unsigned i) const noexcept { return *places_[i]; }
  detail::coloring& coloring() noexcept { return coloring_; }
  static unsigned color_of(const worker&, color_kind) noexcept { return 0; }
  static color_set bits_of_neighbors(const worker&, color_kind) noexcept { return all_colors; }
  void add(worker& w) { places_.push_back(&w); }
  unsigned worker_count() const noexcept { return static_cast<unsigned>(places_.size()); }
  worker& worker_at(unsigned i) const noexcept { return *places_[i]; }

  // --- Sleeping and waking: worker/waking.cpp.
  bool arm_gates(const wanted& what) noexcept;
  bool work_in_sight(const wanted& what) noexcept;
  barriers::ticket ask_for_wakes() noexcept;
  worker_frames::watched look_again() noexcept;
  void call_for_work(const region_state* pushed_in) noexcept;
  void wake_more() noexcept;
  void falls_asleep(worker& w) noexcept;
  bool wakes_up(worker& w, bool saw_work) noexcept;

  std::atomic<unsigned> waiting{0};
  unsigned guests = 0;

 private:
  unsigned thread_seats() const noexcept { return worker_count() - guests; }
  unsigned wake_for_work(unsigned most) noexcept;
  unsigned wake_guests(unsigned most, const region_state* pushed_in) noexcept;
  void note_at_work() noexcept;

  const bool fenced_;
  detail::barriers barriers_;
  sleepers asleep_;
  detail::coloring coloring_;
  std::vector<worker*> places_;
  std::atomic<int> seated_{2};
};

}  // namespace sennit::detail

#include "worker/worker.hpp"
