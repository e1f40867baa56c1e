// SPDX-License-Identifier: Apache-2.0
// Walks the calls of a row as a wavefront: each call from its first step to its last, with all calls that it makes.
// docs/protocols/splices.md has the rules.
#pragma once

#include "splice/front.hpp"
#include "splice/splicer.hpp"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::detail {

class splicer::call_front : front<splicer::call_front> {
 public:
  // For calls that have done nothing, whose obstacles have been found.
  call_front(splicer& in, row calls);
  call_front(const call_front&) = delete;
  call_front& operator=(const call_front&) = delete;
  ~call_front();

  // Whether the call has done nothing and hulls say all of its effects.
  static bool suits(const live_call& c);
  // Walks the calls until nothing is left of them, or until one of them needs the other walk: the calls, and those
  // in them, then are where any walk may find them.
  void walk();

 private:
  friend front;

  // A call in a line: `own` is what it may still do without its parts.
  struct node : front_node {
    // Of a sliced step: the number of the slice, counted in places of the first line.
    std::uint32_t slice = 0;
    live_call* call;

    node(live_call& c, std::uint64_t key, std::uint32_t depth) : front_node(c.all, key, depth), call(&c) {}
    std::uint64_t place() const noexcept { return key + slice; }
    std::uint64_t number() const noexcept { return front_node::number() + slice; }
  };
  // For so many nodes a line has room from the start. A call that halves its range has two nodes at each level, so the
  // nodes of a call of up to 2^11 steps are never moved.
  static constexpr std::size_t usual_nodes = 2 * (11 + 1);
  // If something outside is still in the way after so many rounds, it does not go on.
  static constexpr std::uint32_t most_blocked = 64;
  // Calls that are deeper in others have no slices in a front: keys would have no room for their numbers.
  static constexpr std::uint32_t deepest_slices = 32;

  // What is left of a call of the row: this call, and those in it that have begun and not ended.
  struct line : front_line<node> {
    live_call* arrived = nullptr;  // the next one, if it has arrived at a step
    hulls now;                     // of that step
    // Of its last sliced step over a range: where, over what, and by how many indices its slices are shifted.
    std::uint64_t sliced_key = remembered_steps::no_place;
    range sliced{};
    std::int64_t shift = 0;
    bool has_outside = false;
    hulls outside_hulls;
    obstacles outside;          // what is in the way of the call, and not in the row
    std::uint32_t blocked = 0;  // how often in a row something outside was in the way of the next step

    const hulls& step() const noexcept { return now; }
    // The first node is the call itself.
    const node* ends_with() const noexcept { return todo.size() > 2 ? &todo[1] : nullptr; }
  };

  bool is_in_row(const live_call& c) const noexcept;
  void find_outside(std::size_t i);
  void sum_outside(line& l);
  bool is_blocked_outside(std::size_t i);
  void hand_over();
  std::vector<line>& lines() noexcept { return lines_; }
  splice_report& report() noexcept { return in_.report_; }
  std::size_t begin_round();
  bool goes_on(std::size_t i) const noexcept { return !stop_ && i < group_end_; }
  bool come_to_step(std::size_t i) { return !stop_ && come_to_step(lines_[i]); }
  bool may_run(std::size_t i);
  void run_step(std::size_t i);
  bool come_to_step(line& l);
  bool arrive_at_step(line& l);
  bool arrive_at_slice(line& l);
  static sliced_step& slices_of(const node& n) noexcept;
  void find_shift(std::size_t i);
  std::int64_t distance(std::size_t i, std::size_t back);
  template <class Work>
  static void unless_effects_throw(line& l, Work&& work);
  void choose_slices();
  void choose_slice(const line& l, std::int64_t most);
  void cut_slices(line& l);
  void note_round();
  std::int64_t next_size() const noexcept;
  bool are_at_one_place() const noexcept;
  void open(line& l);

  splicer& in_;
  const row calls_;
  const std::uint32_t depth_;
  std::vector<line> lines_;
  bool stop_ = false;                 // a call needs the other walk
  std::size_t group_;                 // so many lines are walked together
  std::size_t group_end_ = SIZE_MAX;  // of the group that is walked
  // The size of slices of all calls, as soon as it is known.
  std::int64_t slice_ = 0;
  // The size is looked for: what a round through all lines takes.
  bool tries_sizes_ = false;
  std::int64_t least_slice_ = 0;  // that may be tried; others change the place where it is looked for, too
  std::int64_t most_slice_ = 0;
  std::uint64_t sample_key_ = 0;  // of the sliced steps that are timed
  bool is_whole_ = false;         // slices are whole steps, as their data stays in the cache
  std::uint32_t rounds_ = 0;      // since `begun_ns_`
  std::uint64_t begun_ns_ = 0;    // 0: nothing has been timed with this size
  static constexpr std::uint32_t rounds_of_a_sample = 32;
  bool are_shifted_ = true;                                // false: the shifts would be too large
  std::int64_t usual_[nearby + 1] = {-1, -1, -1, -1, -1};  // shifts between lines, by their distance
};

}  // namespace sennit::detail
