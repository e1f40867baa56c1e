// A part of an observed strand of which its hooks do not hear: the left branch of one fork, and the right one where the strand
// runs that. Its forks cost what forks cost otherwise. docs/protocols/trace_cursors.md, "Parts that are not observed".
#pragma once

#include "observe/trace_cursor.hpp"
#include "stack/fiber.hpp"

#include <sennit/region.hpp>

#include <cstdint>
#include <memory>
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
  bool count_forks(worker& here) noexcept;

  std::unique_ptr<hidden_region> region_;
  bool has_children_ = false;  // of groups from outside, which may refer to the region
  trace_cursor* cursor_ = nullptr;
  const frame* frame_ = nullptr;
  const worker* home_ =
      nullptr;  // where it began, and since when frames leave its deque by pops and steals only
  std::uint64_t epoch_ = 0;
  scope scope_{};
};

}  // namespace sennit::detail
