// What thieves need to know while graphs with colors run: by which rules to choose, and which colors idle workers have.
#pragma once

#include "policy/colored_steals.hpp"

#include <sennit/detail/colors.hpp>

#include <atomic>

namespace sennit::detail {

// All are hints, except idle(): a thief that reads old values steals something else.
class coloring {
 public:
  // The number of the run; 0: there is none.
  unsigned run() const noexcept { return run_.load(std::memory_order_relaxed); }
  policy::colored_steals::constants constants() const noexcept {
    return {.first = first_.load(std::memory_order_relaxed),
            .others = others_.load(std::memory_order_relaxed)};
  }

  void begin(const policy::colored_steals::constants& rules) noexcept {
    first_.store(rules.first, std::memory_order_relaxed);
    others_.store(rules.others, std::memory_order_relaxed);
    running_.fetch_add(1, std::memory_order_relaxed);
    run_.store(latest_.fetch_add(1, std::memory_order_relaxed) * 2 + 1,
               std::memory_order_relaxed);  // never 0
  }
  // Colors of workers that wait for work; some of them may have it by now.
  const std::atomic<color_set>& idle() const noexcept { return idle_; }
  void add_idle(color_set colors) noexcept {
    // ORD[D28] release: that the worker is idle; pairs with the acquire in remove_idle(). Model:
    // models/colors.pml.
    idle_.fetch_or(colors, std::memory_order_release);
  }
  // A strand calls it before it looks for such workers. It then sees those that were added before.
  void remove_idle(color_set colors) noexcept {
    // ORD[D28] acquire: pairs with the release in add_idle(). Model: models/colors.pml.
    idle_.fetch_and(~colors, std::memory_order_acquire);
  }
  // True: that was the last of those that ran.
  bool end() noexcept {
    const bool last = running_.fetch_sub(1, std::memory_order_relaxed) == 1;
    if (last) run_.store(0, std::memory_order_relaxed);
    return last;
  }

 private:
  alignas(128) std::atomic<color_set> idle_{0};
  alignas(128) std::atomic<unsigned> run_{0};
  std::atomic<unsigned> first_{0};
  std::atomic<unsigned> others_{0};
  std::atomic<unsigned> running_{0};
  std::atomic<unsigned> latest_{0};
};

}  // namespace sennit::detail
