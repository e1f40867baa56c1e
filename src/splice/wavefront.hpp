// Walks declared trees together, each from its first part to its last, as a front through all trees. It
// stores almost nothing about the parts behind and ahead of the front. docs/protocols/splices.md has the
// rules.
#pragma once

#include "splice/bytes_in_use.hpp"
#include "splice/earliest_failure.hpp"
#include "splice/early_stop.hpp"
#include "splice/hulls.hpp"

#include <sennit/detail/splice/forest.hpp>
#include <sennit/detail/splice/log.hpp>
#include <sennit/splice.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::detail {

class wavefront {
 public:
  // For the trees first ... first + count - 1 of the forest.
  wavefront(const forest& trees, std::uint32_t first, std::uint32_t count);
  wavefront(const wavefront&) = delete;
  wavefront& operator=(const wavefront&) = delete;

  // Why a wavefront is not suitable; none if it is. Hulls must show all dependences, which holds if all regions
  // are contiguous. No tree may begin with data with which others end, and no tree may be independent of the
  // others. Call it before run().
  splice_reason unsuitable();
  // Call it once. Throws the exception of the first tree that throws. log: may be null.
  void run(splice_log* log, unsigned workers, splice_report& report);

 private:
  // A part of a tree. The first `depth` bits of `key` identify it; keys increase from the first part to the
  // last.
  struct node {
    part_room part;
    std::uint64_t key = 0;
    std::uint32_t depth = 0;
    bool is_step = false;
    bool has_waited = false;
    hulls own;
    hulls rest;  // and of all parts after it

    node() noexcept {}
    std::uint64_t end() const noexcept { return key + span(depth); }
  };
  static constexpr std::uint32_t key_bits = 63;
  static constexpr std::uint64_t no_key = UINT64_MAX;
  static constexpr std::uint64_t span(std::uint32_t depth) noexcept {
    return depth > key_bits ? 0 : std::uint64_t{1} << (key_bits - depth);
  }

  // What a lane has of a tree.
  struct line {
    std::vector<node> todo;     // the next node is the last
    std::vector<node> skipped;  // they wait for work before the lane; in order
    hulls before;  // of what may still be done of the tree before this lane, and of skipped nodes
    hulls after;   // of what may still be done after this lane
    bool begun = false;
    std::uint32_t cover = 0;  // distance to the last cover, in trees; 0: none
    // Some of the steps that have run. Each has the data of the steps just before it, too, if that is no more
    // than what all of them touch.
    static constexpr std::size_t remembered = 8;
    std::array<hulls, remembered> ran;
    std::array<std::uint64_t, remembered> ran_keys;
    std::size_t last_ran = 0;  // the place of the last one

    line() noexcept { ran_keys.fill(no_key); }
    const hulls& ahead() const noexcept { return todo.empty() ? after : todo.back().rest; }
    void push(const node& n);
    void rest_of_last() noexcept;
  };
  static std::size_t place_of(const node& n) noexcept {
    return (n.depth > key_bits ? n.key : n.key >> (key_bits - n.depth)) % line::remembered;
  }
  static constexpr std::uint32_t nearby = 4;  // the number of trees in which a cover is looked for

  // Neighboring parts of all trees, walked by one worker at a time.
  struct lane {
    std::uint64_t first;
    std::uint64_t last;
    bool is_first;  // nothing comes before it
    std::vector<line> lines;
    splice_report report{};
    std::ptrdiff_t bytes_in_use = 0;

    std::ptrdiff_t bytes() const noexcept;
  };

  void run(lane& s, splice_log* log, int cuts);
  void fork(lane& s, splice_log* log, int cuts);
  lane part_of(const lane& s, std::uint64_t first, std::uint64_t last) const;
  void split(lane& s, std::uint64_t at, lane& left, lane& right);
  void append(lane& to, lane& s);
  void drop_void(std::uint32_t tree, line& l);
  void walk(lane& s, splice_log* log);
  bool come_to_step(line& l, std::uint32_t tree);
  std::uint32_t find_cover(lane& s, std::uint32_t tree, const node& step);
  bool run_next(lane& s, std::uint32_t tree, splice_log* log);
  static bool note_wait(lane& s, node& n) noexcept;
  void run_step(lane& s, std::uint32_t tree, splice_log* log);
  bool halve(std::uint32_t tree, node& n, node& second) const;
  hulls hulls_of(std::uint32_t tree, const part_room& part) const {
    return hulls(trees_.effects_of(trees_.trees, first_ + tree, part));
  }

  const forest& trees_;
  const std::uint32_t first_;
  const std::uint32_t count_;
  lane all_;
  earliest_failure failure_;  // a place is the key of a node
  early_stop stop_;
  bytes_in_use bytes_;
};

}  // namespace sennit::detail
