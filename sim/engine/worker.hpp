// SPDX-License-Identifier: Apache-2.0
// A simulated worker: what it does, its deque, and the policies that decide for it.
#pragma once

#include "engine/records.hpp"
#include "engine/run_result.hpp"
#include "policy/asking.hpp"
#include "policy/beats.hpp"
#include "policy/patience.hpp"
#include "policy/victim.hpp"
#include "policy/waking.hpp"

#include <cstdint>
#include <vector>

namespace sennit::sim {

// Latent parallelism: a branch of `of`, all that is left of a loop's part, or the tasks of a graph's strand.
inline constexpr std::uint32_t whole_queue = ~std::uint32_t{0};
struct frame {
  record_number of = no_record;
  std::uint32_t child = 0;
  explicit operator bool() const noexcept { return of != no_record; }
};

// Frames in a row, of which the oldest may be taken.
class frame_row {
 public:
  bool empty() const noexcept { return head_ == frames_.size(); }
  std::size_t size() const noexcept { return frames_.size() - head_; }
  std::size_t head() const noexcept { return head_; }
  std::size_t tail() const noexcept { return frames_.size(); }
  frame& oldest() noexcept { return frames_[head_]; }
  frame& newest() noexcept { return frames_.back(); }
  const frame& newest() const noexcept { return frames_.back(); }
  frame& from_newest(std::size_t i) noexcept { return frames_[frames_.size() - 1 - i]; }
  void push(frame f) { frames_.push_back(f); }
  void pop_newest() noexcept {
    frames_.pop_back();
    begin_anew_if_empty();
  }
  void pop_oldest() noexcept {
    ++head_;
    begin_anew_if_empty();
  }
  // How often it has been empty: positions start again then.
  std::uint64_t epoch() const noexcept { return epoch_; }

 private:
  void begin_anew_if_empty() noexcept {
    if (!empty()) return;
    frames_.clear();
    head_ = 0;
    ++epoch_;
  }

  std::vector<frame> frames_;
  std::size_t head_ = 0;
  std::uint64_t epoch_ = 0;
};

// A frame that a schedule gives to a worker.
inline constexpr std::uint32_t any_turn = ~std::uint32_t{0};
struct donation {
  frame what;
  std::uint32_t turn = 0;  // among those of the worker
  picoseconds came = 0;
  std::uint32_t before = 0;  // that the worker had to begin with then
};

enum class phase : std::uint8_t {
  running,    // a strand
  searching,  // looks at one deque after the other
  dormant,    // the same, while nothing is to be found: its looks are counted later
  fetching,   // a frame is on its way to it
  drowsy,     // has shut all gates, and looks once more before it sleeps
  asleep,
  waking,  // has been called
  napping  // looks for work now and then: see policy::patience
};

struct worker {
  static constexpr unsigned no_hint = ~0U;
  static constexpr unsigned no_place = ~0U;

  worker(unsigned number, unsigned workers, std::uint64_t seed) noexcept
      : draws(seed), asking(workers), index(number) {}

  policy::random_victim draws;
  policy::patience patience;
  policy::asking asking;
  policy::beats beats;
  policy::waking waking;

  unsigned index;
  phase now = phase::dormant;
  picoseconds time = 0;  // until when its time is accounted for
  activity latest = activity::searching;

  // The strand that runs here.
  record_number at = no_record;  // its innermost construct
  node_number begins = no_node;  // what begins now; none: a child of `at` has ended
  std::uint64_t name = 0;        // of what begins
  std::uint64_t first = 0;       // of a half of a loop that begins
  std::uint64_t last = 0;
  frame taken;           // with which a strand begins
  picoseconds rest = 0;  // of a strand's piece that was interrupted by a beat
  std::uint64_t barriers_met = 0;
  picoseconds next_beat = never;

  frame_row latent;
  frame_row listed;
  std::vector<donation> donated;
  std::uint32_t turn = 0;        // the next one in its order
  picoseconds locked_until = 0;  // a thief has the deque
  frame mail;

  // Of a strand that a relaxed schedule has planned.
  bool is_planned = false;
  picoseconds begun = 0;
  picoseconds keeps_until = 0;  // others leave its frames alone

  // What thieves have asked for.
  bool asked = false;
  bool asked_ahead = false;  // for the next push
  picoseconds asked_at = 0;

  // What sleepers want to know.
  bool wake_wanted = true;
  picoseconds wake_wanted_since = 0;

  // Of its search.
  unsigned rounds = 0;
  unsigned looks = 0;       // in this round
  unsigned place = 0;       // among those that lie dormant; none: it waits for its own color only
  picoseconds look = 0;     // what one takes on average
  unsigned source = 0;      // from whom its latest work came
  unsigned hint = no_hint;  // whom it looks at first: who has woken it has seen work there
  bool owns_wake = false;
  picoseconds own_only_until = 0;  // it leaves tasks of other colors to their workers
  bool called = false;             // while it was falling asleep, or naps

  worker_result result;
};

}  // namespace sennit::sim
