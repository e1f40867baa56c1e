// Walks the calls of a row as a wavefront: each call from its first step to its last, with all calls that it makes.
// docs/protocols/splices.md has the rules.
#pragma once

#include "splice/hulls.hpp"
#include "splice/splicer.hpp"

#include <boost/container/small_vector.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::detail {

class splicer::call_front {
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
  // A call in a line.
  struct node {
    live_call* call;
    std::uint64_t
        key;  // the first `depth` bits identify the call; keys increase from the first call to the last
    std::uint32_t depth;
    bool has_waited = false;
    std::uint32_t slice =
        0;       // of a sliced step: the number of the slice, counted in places of the first line
    hulls own;   // what the call may still do, without its parts
    hulls rest;  // and all that comes after it in the line

    node(live_call& c, std::uint64_t key, std::uint32_t depth)
        : call(&c), key(key), depth(depth), own(c.all) {}
    std::uint64_t place() const noexcept { return key + slice; }
  };
  // Calls that are deeper in others have no slices in a front: keys would have no room for their numbers.
  static constexpr std::uint32_t deepest_slices = 32;
  static constexpr std::uint32_t key_bits = 63;
  static constexpr std::uint64_t no_key = UINT64_MAX;
  static constexpr std::uint64_t span(std::uint32_t depth) noexcept {
    return depth > key_bits ? 0 : std::uint64_t{1} << (key_bits - depth);
  }

  // What is left of a call of the row.
  struct line {
    std::vector<node>
        todo;  // the call, and those in it that have begun and not ended; the next one is the last
    live_call* arrived = nullptr;  // the last one, if it has arrived at a step
    hulls now;                     // of that step
    std::uint32_t cover = 0;       // distance to the last cover, in lines; 0: none
    // Of its last sliced step over a range: where, over what, and by how many indices its slices are shifted.
    std::uint64_t sliced_key = no_key;
    range sliced{};
    std::int64_t shift = 0;
    bool has_outside = false;
    hulls outside_hulls;
    obstacles outside;          // what is in the way of the call, and not in the row
    std::uint32_t blocked = 0;  // how often in a row something outside was in the way of the next step
    // Some of the steps that have run, as in the wavefront of trees.
    static constexpr std::size_t remembered = 8;
    std::array<hulls, remembered> ran;
    std::array<std::uint64_t, remembered> ran_keys;
    std::size_t last_ran = 0;

    line() noexcept { ran_keys.fill(no_key); }
  };
  static std::size_t place_of(const node& n) noexcept {
    return ((n.depth > key_bits ? n.key : n.key >> (key_bits - n.depth)) + n.slice) % line::remembered;
  }
  static constexpr std::uint32_t nearby = 4;  // the number of lines in which a cover is looked for
  static constexpr std::uint32_t most_blocked = 64;

  bool is_in_row(const live_call& c) const noexcept;
  void find_outside(std::size_t i);
  void sum_outside(line& l);
  bool is_blocked_outside(std::size_t i);
  void hand_over();
  bool begins_in_one_direction();
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
  void note_pass(std::size_t first);
  bool are_at_one_place(std::size_t first) const noexcept;
  void open(line& l);
  std::size_t find_cover(std::size_t i);
  bool run_next(std::size_t i);
  bool note_wait(node& n) noexcept;
  void run_step(line& l);

  splicer& in_;
  const row calls_;
  const std::uint32_t depth_;
  std::vector<line> lines_;
  bool stop_ = false;  // a call needs the other walk
  // The size of slices of all calls, as soon as it is known.
  std::int64_t slice_ = 0;
  // The size is looked for: what a pass through all lines takes.
  bool tries_sizes_ = false;
  std::uint32_t passes_ = 0;    // since `begun_ns_`
  std::uint64_t begun_ns_ = 0;  // 0: nothing has been timed with this size
  static constexpr std::uint32_t passes_of_a_sample = 32;
  std::size_t group_;                                      // so many lines are walked together
  bool are_shifted_ = true;                                // false: the shifts would be too large
  std::int64_t usual_[nearby + 1] = {-1, -1, -1, -1, -1};  // shifts between lines, by their distance
};

}  // namespace sennit::detail
