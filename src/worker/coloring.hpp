// SPDX-License-Identifier: Apache-2.0
// What workers without work need to know while graphs with colors run: what is posted, and which workers are idle.
#pragma once

#include "deque/steal_lock.hpp"

#include <sennit/detail/colors.hpp>

#include <array>
#include <atomic>
#include <cstddef>

namespace sennit::detail {

class coloring {
 public:
  // Whether a run of a graph with colors is under way. A hint.
  bool any() const noexcept { return runs_.load(std::memory_order_relaxed) != 0; }

  // Colors of workers that wait for work, for one kind of places; some of them may have it by now.
  const std::atomic<color_set>& idle(color_kind of) const noexcept { return idle_[index(of)].colors; }
  void add_idle(color_kind of, color_set colors) noexcept {
    // ORD[D28] release: that the worker is idle; pairs with the acquire in remove_idle(). Model:
    // models/colors.pml.
    idle_[index(of)].colors.fetch_or(colors, std::memory_order_release);
  }
  // A strand calls it before it looks for such workers. It then sees those that were added before.
  void remove_idle(color_kind of, color_set colors) noexcept {
    // ORD[D28] acquire: pairs with the release in add_idle(). Model: models/colors.pml.
    idle_[index(of)].colors.fetch_and(~colors, std::memory_order_acquire);
  }

  void add(posted_work& run) noexcept;
  void remove(posted_work& run) noexcept;
  // A strand of a run in which something is posted to the worker; or to anybody, unless `own_only`. Null: there is none,
  // or another thread is looking.
  frame* join(worker& by, bool own_only) noexcept;
  // While the lock is held, no run begins or ends. The process forks under it.
  steal_lock& lock() noexcept { return lock_; }

 private:
  struct alignas(128) word {
    std::atomic<color_set> colors{0};
  };
  static std::size_t index(color_kind of) noexcept { return static_cast<std::size_t>(of); }

  std::array<word, color_kinds> idle_;
  alignas(128) std::atomic<unsigned> runs_{0};
  steal_lock lock_;
  posted_work* newest_ = nullptr;  // under lock_
};

}  // namespace sennit::detail
