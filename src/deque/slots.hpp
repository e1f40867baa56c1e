// What a deque's slots hold, and what its gates are when they are shut.
#pragma once

#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/loop/frame.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <atomic>
#include <cstdint>

namespace sennit::detail {

inline constexpr std::uintptr_t kind_mask = 7;
inline constexpr std::uintptr_t colored_tag = 2;  // a fork with colors
static_assert((loop_frame::tag | colored_tag | frame_with_state::tag) == kind_mask);

inline slot* const shut_limit = nullptr;
inline slot* const shut_head_gate = reinterpret_cast<slot*>(~std::uintptr_t{0});

// A loop may be looked at only while its owner cannot retire it.
inline loop_frame* loop_in(const slot& s) noexcept {
  const std::uintptr_t content = s.load(std::memory_order_relaxed);
  return (content & kind_mask) == loop_frame::tag ? reinterpret_cast<loop_frame*>(content & ~kind_mask)
                                                  : nullptr;
}

inline frame& fork_in(const slot& s) noexcept {
  return *reinterpret_cast<frame*>(s.load(std::memory_order_relaxed) & ~kind_mask);
}

inline bool is_colored(const slot& s) noexcept {
  return (s.load(std::memory_order_relaxed) & colored_tag) != 0;
}

// What a branch in the slot has for a state of its own; null: nothing.
inline frame_with_state* with_state(const slot& s) noexcept {
  return (s.load(std::memory_order_relaxed) & frame_with_state::tag) != 0
             ? static_cast<frame_with_state*>(&fork_in(s))
             : nullptr;
}

}  // namespace sennit::detail
