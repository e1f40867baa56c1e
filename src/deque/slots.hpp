// SPDX-License-Identifier: Apache-2.0
// A deque's slots: their memory, and what they hold.
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/fork/divisible.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {

inline constexpr std::uintptr_t kind_mask = 7;
inline constexpr std::uintptr_t colored_tag = 2;  // work with colors
static_assert((divisible::tag | colored_tag | frame_with_state::tag) == kind_mask);

// A frame with a state may be a branch only, so two of the bits tell.
inline bool is_divisible(std::uintptr_t content) noexcept {
  return (content & (divisible::tag | frame_with_state::tag)) == divisible::tag;
}
inline bool is_divisible(const slot& s) noexcept { return is_divisible(s.load(std::memory_order_relaxed)); }

// Null: a branch. Divisible work may be looked at only while its owner cannot retire it.
inline divisible* divisible_in(const slot& s) noexcept {
  const std::uintptr_t content = s.load(std::memory_order_relaxed);
  return is_divisible(content) ? reinterpret_cast<divisible*>(content & ~kind_mask) : nullptr;
}

inline frame& branch_in(const slot& s) noexcept {
  return *reinterpret_cast<frame*>(s.load(std::memory_order_relaxed) & ~kind_mask);
}

// Whether to take the work, or a part of it, takes memory. Its owner may ask at any time.
inline bool needs_memory(const slot& s) noexcept {
  return (s.load(std::memory_order_relaxed) & frame_with_state::tag) == 0;
}

// The right branch of a fork, without colors.
inline bool is_plain_branch(const slot& s) noexcept {
  return (s.load(std::memory_order_relaxed) & kind_mask) == 0;
}

// Null: the branch needs memory to be stolen.
inline frame_with_state* branch_with_state_in(const slot& s) noexcept {
  const bool has_state = (s.load(std::memory_order_relaxed) & frame_with_state::tag) != 0;
  return has_state ? static_cast<frame_with_state*>(&branch_in(s)) : nullptr;
}

// What became of the work in a slot. `stays`: the slot stays in the deque, because its work has more parts, or because
// nothing could be taken now.
struct promoted {
  detail::frame* frame = nullptr;
  bool stays = false;
  bool too_little = false;
  bool no_memory = false;  // for the state of a branch
};

// The numbers of the slots between which there is something.
struct filled_slots {
  std::size_t head = 0;
  std::size_t tail = 0;
};

// Reserved once: a deque never grows by moving, because thieves read slots while the owner pushes.
class slot_array {
 public:
  // Throws std::bad_alloc if the system has no room for so many.
  explicit slot_array(std::size_t count);
  slot_array(const slot_array&) = delete;
  slot_array& operator=(const slot_array&) = delete;
  ~slot_array();

  slot* begin() const noexcept { return begin_; }
  slot* end() const noexcept { return end_; }
  std::size_t number_of(const slot* at) const noexcept { return static_cast<std::size_t>(at - begin_); }
  // The colors of work that is pushed next. Thieves read them once they have read the tail: edge D1.
  void set_colors(const slot* at, color_set colors) noexcept {
    colors_[at - begin_].store(colors, std::memory_order_relaxed);
  }
  color_set colors_of(const slot* at) const noexcept {
    if ((at->load(std::memory_order_relaxed) & colored_tag) == 0) return all_colors;
    return colors_[at - begin_].load(std::memory_order_relaxed);
  }

 private:
  slot* const begin_;
  slot* const end_;
  // Beside the slots, because thieves look at no frame that they have not claimed.
  std::atomic<color_set>* const colors_;
};

}  // namespace sennit::detail
