// Declared trees that are walked together, each from its first part to its last: a front that goes through
// all of them. It keeps next to nothing of what is behind it and before it. docs/protocols/splices.md has the
// rules.
#pragma once

#include "splice/hulls.hpp"

#include <sennit/detail/splice/forest.hpp>
#include <sennit/detail/splice/log.hpp>
#include <sennit/splice.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

namespace sennit::detail {

class wavefront {
 public:
  // Trees first ... first + count - 1 of the forest.
  wavefront(const forest& trees, std::uint32_t first, std::uint32_t count);
  wavefront(const wavefront&) = delete;
  wavefront& operator=(const wavefront&) = delete;

  // Whether hulls tell what depends on what, as all regions are contiguous; no tree begins with what others
  // end with; and none is by itself. Before run().
  bool suits();
  // Once. Throws what the first of the trees throws that does. log: may be null.
  void run(splice_log* log, unsigned workers, splice_report& report);

 private:
  // A part of a tree. The first `depth` bits of `key` say which; keys grow from the first part to the last.
  struct node {
    part_room part;
    std::uint64_t key = 0;
    std::uint32_t depth = 0;
    bool is_step = false;
    bool has_waited = false;
    hulls own;
    hulls rest;  // and of all that is to come after it

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
    std::vector<node> todo;     // the next one last
    std::vector<node> skipped;  // as they wait for what is before the lane; in order
    hulls before;  // of what others may still have to do of the tree before this, and of what is skipped
    hulls after;   // of what they may still have to do after it
    bool begun = false;
    std::uint32_t cover = 0;  // so many trees back there was a cover last time; 0: none
    // Some of the steps that have been run.
    static constexpr std::size_t remembered = 8;
    std::array<hulls, remembered> ran;
    std::array<std::uint64_t, remembered> ran_keys;

    line() noexcept { ran_keys.fill(no_key); }
    const hulls& ahead() const noexcept { return todo.empty() ? after : todo.back().rest; }
    void push(const node& n);
    void rest_of_last() noexcept;
  };
  static std::size_t place_of(const node& n) noexcept {
    return (n.depth > key_bits ? n.key : n.key >> (key_bits - n.depth)) % line::remembered;
  }
  static constexpr std::uint32_t nearby = 4;  // a cover is looked for in so many trees

  // Neighboring parts of all trees, walked by one worker at a time.
  struct lane {
    std::uint64_t first;
    std::uint64_t last;
    bool is_first;  // nothing is before it
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
  // What work() returns; false, too, if it throws: that is the tree's failure.
  template <class Work>
  bool guarded(std::uint32_t tree, std::uint64_t key, Work&& work);
  void stop(std::exception_ptr reason);
  void use(std::ptrdiff_t bytes) noexcept;

  const forest& trees_;
  const std::uint32_t first_;
  const std::uint32_t count_;
  lane all_;
  // Relaxed, all of them: they save work, or count.
  std::atomic<bool> stopped_{false};
  std::atomic<std::uint32_t> last_tree_;  // it has failed, and later ones are not gone on with
  std::atomic<std::ptrdiff_t> bytes_{0};
  std::atomic<std::ptrdiff_t> most_bytes_{0};
  std::mutex lock_;
  std::uint64_t failed_key_ = no_key;  // in last_tree_
  std::exception_ptr failure_;
  std::exception_ptr reason_;  // to stop all
};

}  // namespace sennit::detail
