// SPDX-License-Identifier: Apache-2.0
// Children that a strand pushes, for others to take: what to spawn them and to wait for them have in common.
#pragma once

#include "fork/answer.hpp"
#include "stack/fiber.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/group/group.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/region.hpp>

#include <atomic>
#include <exception>

namespace sennit::detail {

// So many children of a strand are kept for others before it runs some itself: enough for thieves, and few
// enough for a cache.
inline constexpr int most_pushed = 256;

#if SENNIT_EXCEPTIONS
inline bool stopped() noexcept {
  worker* const w = worker::current();
  return w != nullptr && stopped(*w);
}
#endif

// While the strand is in a child of the group.
class in_child {
 public:
  in_child(const group_state& group, fiber& strand) noexcept
      : strand_(strand), underway_{&group, strand.innermost_child} {
    strand.innermost_child = &underway_;
  }
  ~in_child() { strand_.innermost_child = underway_.outer; }
  in_child(const in_child&) = delete;
  in_child& operator=(const in_child&) = delete;

 private:
  fiber& strand_;
  child_underway underway_;
};

// What the body of a child throws; null if it throws nothing, or is dropped.
template <class Body>
SENNIT_INLINE std::exception_ptr group_state::thrown_by(const Body& body) noexcept {
#if SENNIT_EXCEPTIONS
  try {
    body();
  } catch (const sennit::cancelled&) {
    dropped_.store(true, std::memory_order_relaxed);
  } catch (...) {
    return std::current_exception();
  }
#else
  body();
#endif
  return nullptr;
}

// Whether the deque is as the group left it, so that a push goes on top of its children and a pop takes the
// newest. The strand's frames may have left it meanwhile (it was suspended, say), and others may lie on top.
// For other strands it never is: epochs end with strands.
SENNIT_INLINE bool group_state::on_top() const noexcept {
  worker* const w = worker::current();
  return w != nullptr && w == seat_.load(std::memory_order_relaxed) &&
         epoch_.load(std::memory_order_relaxed) == w->frames().epoch() &&
         top_.load(std::memory_order_relaxed) == load_tail();
}

}  // namespace sennit::detail
