// SPDX-License-Identifier: Apache-2.0
// Colors: the places whose memory may be nearest to a task's data.
#pragma once

#include <sennit/detail/config.hpp>

#include <atomic>
#include <cstdint>

namespace sennit::detail {

class frame;
class worker;
class work_pool_state;
struct region_state;

// One bit for each color. In frames and deques, where runs of graphs with other places meet, a bit is a worker, or a few
// neighbors where there are more workers than bits.
using color_set = std::uint64_t;
inline constexpr color_set all_colors = ~color_set{0};

inline constexpr unsigned most_colors = 64;
static_assert(most_colors == 8 * sizeof(color_set));

// Precondition: color < most_colors.
constexpr color_set color_bit(unsigned color) noexcept { return color_set{1} << color; }

enum class color_kind : unsigned char { workers, caches, nodes };
inline constexpr unsigned color_kinds = 3;

// The number of colors of the calling strand's runtime, or else of the default runtime; and the color of the
// worker that runs the call.
SENNIT_EXPORT unsigned color_count(color_kind kind);
// The same, but throws std::runtime_error if there are more than most_colors.
SENNIT_EXPORT unsigned color_count_of_run(color_kind kind);
SENNIT_EXPORT unsigned color_here(color_kind kind) noexcept;

// The work that one run has posted to places, as its strands see it, and as workers without work see it. The places, and
// the colors of workers, are the run's own: other runs around it and within it may have others.
class SENNIT_EXPORT posted_work {
 public:
  explicit posted_work(color_kind of) noexcept : of_(of) {}
  posted_work(const posted_work&) = delete;
  posted_work& operator=(const posted_work&) = delete;

  // Between begin() and end() workers without work come for what is posted to their colors. Called by the strand that
  // begins the work pool.
  void begin(work_pool_state& pool);
  void end() noexcept;

  // The colors for which something waits. What the calling strand has posted counts until it has been taken.
  color_set waiting() const noexcept { return waiting_.load(std::memory_order_relaxed); }
  color_kind places() const noexcept { return of_; }

 protected:
  ~posted_work() = default;

  std::atomic<color_set> waiting_{0};

 private:
  friend class coloring;
  friend class work_pool_state;

  const color_kind of_;
  work_pool_state* pool_ = nullptr;
  // One more strand, for a worker; null if there is none.
  frame* (*join_)(posted_work& run, worker& by) noexcept = nullptr;
  region_state* region_ = nullptr;
  posted_work* next_ = nullptr;  // of the runs that have begun, under the lock of coloring
};

}  // namespace sennit::detail
