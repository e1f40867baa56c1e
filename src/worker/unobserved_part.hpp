// SPDX-License-Identifier: Apache-2.0
// A part of an observed strand of which its hooks do not hear. It is the left branch of one fork, and the right one where the
// strand runs that; or a *stretch*: what the strand does between two constructs, until the construct around ends at the latest.
// In a part, constructs cost what they cost otherwise. docs/protocols/trace_cursors.md, "Parts that are not observed".
#pragma once

#include "observe/trace_cursor.hpp"
#include "stack/fiber.hpp"

#include <sennit/region.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace sennit::detail {

// One for each strand, used again and again. It outlives the strand's trace cursor only as far as that keeps the region.
class unobserved_part {
 public:
  unobserved_part() = default;
  unobserved_part(const unobserved_part&) = delete;
  unobserved_part& operator=(const unobserved_part&) = delete;
  ~unobserved_part() = default;

  // The calling strand has pushed the frame, which its hooks have been told of. False: there is no memory for that, and the
  // strand is observed as before.
  bool begin(frame& pushed) noexcept;
  // The frame is popped, tail being lowered. What its branch pushes belongs to the part, too, if the strand runs that.
  void go_on_with_right() noexcept;
  // The strand is observed again.
  void end() noexcept;
  // A stretch begins, if the hooks want that.
  static void begin_between(trace_cursor& cursor) noexcept;
  // If the calling strand is in a stretch, that ends: something ends that is around it. Otherwise nothing happens.
  static void end_stretch() noexcept;
  // The same, if it is the frame's construct that ends.
  static void end_stretch_around(const frame& popped) noexcept;
  // The same, if the stretch lasts for long.
  static void end_long_stretch() noexcept;
  // Whatever comes next is to be heard of, if that is possible here.
  static void end_stretch_if_possible() noexcept;
  // The calling strand has not heard of that loop so far: whether it does from here on. `known_long`: by what the loop's
  // iterations cost; none: nothing is known of that.
  static bool hears_of_loop(std::uintptr_t site, std::optional<bool> known_long) noexcept;
  // Ends the stretch if the strand had pushed that child before.
  static void end_stretch_after(std::uint64_t spawned) noexcept;
  // A pop has met the gate, tail being lowered. If the child was pushed before the stretch, that has it from here on.
  static void take_in(std::uint64_t spawned) noexcept;
  // The calling strand has pushed a frame. If it is in a part that lasts for longer than was expected, the part goes on as that
  // of the newest fork before, and all that lie around are observed from now on: their right branches, and what follows.
  static void look_at_latest() noexcept;

  trace_cursor& cursor() const noexcept { return *cursor_; }

  // The part that the calling strand is in, of that frame; null: it is in none.
  static unobserved_part* of(const frame& popped) noexcept;

 private:
  bool find_region(region_state& around, schedule_hooks& by) noexcept;
  void begins_here(worker& here) noexcept;
  bool is_whole(worker& here) const noexcept;
  void look_again(worker& here) noexcept;
  static unobserved_part* stretch_here() noexcept;
  bool begin_at(frame* pushed, const whereabouts* around) noexcept;
  void give_positions(worker& here) noexcept;
  bool may_end(worker& here) noexcept;
  void end_now(worker& here) noexcept;
  bool count_forks(worker& here) noexcept;

  std::unique_ptr<hidden_region> region_;
  bool has_children_ = false;  // of groups from outside, which may refer to the region
  trace_cursor* cursor_ = nullptr;
  const frame* frame_ = nullptr;  // null: a stretch
  const whereabouts* around_ = nullptr;
  // Where it began; since then, frames leave that deque by pops and steals only.
  const worker* home_ = nullptr;
  std::uint64_t epoch_ = 0;
  scope scope_{};
};

}  // namespace sennit::detail
