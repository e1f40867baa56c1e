// SPDX-License-Identifier: Apache-2.0
// splice_schedule: in which order the steps of a splice run, and which of them run in parallel, as a value.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/memory_runs.hpp>
#include <sennit/splice_report.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sennit {
namespace detail {

struct splice_schedule_access;

// A step, or a place where strands fork and join. Items are in the order in which one worker runs them.
struct splice_item {
  // Values in place of a call's number: two strands begin, the second of them begins, both have ended.
  static constexpr std::uint32_t fork = UINT32_MAX;
  static constexpr std::uint32_t second = UINT32_MAX - 1;
  static constexpr std::uint32_t both_over = UINT32_MAX - 2;
  static constexpr std::uint32_t most_calls = both_over;

  std::uint32_t call = fork;
  std::uint32_t block = 0;

  bool is_step() const noexcept { return call < most_calls; }
  friend bool operator==(const splice_item&, const splice_item&) = default;
};

// A step's numbers in two orders: that of a worker who runs the first of two strands first, and that of a
// worker who runs the second strand first. A step precedes another one if it has the smaller number in both
// orders. Two steps run in parallel if neither precedes the other.
struct splice_place {
  std::uint32_t first_first;
  std::uint32_t second_first;
};

}  // namespace detail

// The sizes of caches in bytes, for which blocks are chosen. 0: not known.
//
// Example:
//   // Whether two blocks of this many bytes fit the core's own cache.
//   bool fit(const sennit::splice_caches& caches, std::uint64_t block) { return 2 * block <= caches.own; }
struct splice_caches {
  std::uint64_t first = 0;   // of one core: the first level, for data
  std::uint64_t own = 0;     // of one core: the second level
  std::uint64_t shared = 0;  // of all cores: the last level

  friend constexpr bool operator==(const splice_caches&, const splice_caches&) = default;
};

namespace detail {

// What is known of an order besides the order, for people who look at it.
struct splice_notes {
  splice_report report;
  splice_caches caches;
  // Of all blocks of all calls, one after the other.
  std::vector<memory_runs> memory;
  std::vector<std::uint64_t> memory_ends;   // of each block, in `memory`; empty: not known
  std::vector<std::uint64_t> first_blocks;  // of each call, in `memory_ends`
};

}  // namespace detail

// The order in which a memoized_splice runs the steps of all calls (time steps, for example). The blocks of
// each call are numbered in the order of the plain loop. The schedule does not say what is computed. It can
// be used for any splice with the same numbers of calls and blocks whose effects allow this order.
//
// Thread-safety: several threads may read one.
//
// Example:
//   #include <cstdio>
//   #include <string>
//
//   void describe(const std::string& file) {
//     const auto s = sennit::splice_schedule::load(file);
//     std::printf("%zu steps of %zu calls, as long as %llu\n", s.size(), s.blocks().size(),
//                 static_cast<unsigned long long>(s.length()));
//   }
class SENNIT_EXPORT splice_schedule {
 public:
  // One block of one call.
  struct step {
    std::uint32_t call;
    std::uint32_t block;
    // The number of the strand, from 0. Strands that run in parallel have different numbers. A number may be
    // used again once its strand has ended.
    std::uint32_t strand;
    // The number of steps in the longest chain before this step, if there are as many workers as strands.
    std::uint64_t turn;
    bool operator==(const step&) const = default;
  };

  // The schedule without steps.
  splice_schedule() = default;

  // Whether the same steps run in the same order, on the same strands.
  bool operator==(const splice_schedule& other) const noexcept {
    return blocks_ == other.blocks_ && items_ == other.items_;
  }

  // The number of workers of the runtime for which the order was found.
  unsigned workers() const noexcept { return workers_; }
  // The number of blocks of each call.
  const std::vector<std::uint32_t>& blocks() const noexcept { return blocks_; }
  // The number of steps.
  std::size_t size() const noexcept;
  // The largest number of strands that run in parallel; at least 1.
  std::uint32_t strands() const;
  // The number of steps in the longest chain.
  std::uint64_t length() const;
  // The steps in the order of one worker. Cost of this and of the two members before: some nanoseconds a
  // step.
  std::vector<step> steps() const;

  // What the splice that found the order reported, and the sizes of blocks that were tried. All of it is 0 if the schedule is
  // from a file of an earlier version of the library.
  const splice_report& report() const noexcept { return notes_.report; }
  // The caches of the machine for which the order was found.
  const splice_caches& caches() const noexcept { return notes_.caches; }
  // Whether it is known which memory each step touches: see memoized_splice::note_memory().
  bool has_memory() const noexcept { return !notes_.memory_ends.empty(); }
  // The memory that this block of this call touches. Addresses count from the lowest address that any step touches.
  // Precondition: has_memory(), and there is such a block. Cost: some nanoseconds.
  std::span<const memory_runs> memory_of(std::uint32_t call, std::uint32_t block) const noexcept {
    const std::uint64_t at = notes_.first_blocks[call] + block;
    const std::uint64_t begin = at == 0 ? 0 : notes_.memory_ends[at - 1];
    return std::span(notes_.memory).subspan(begin, notes_.memory_ends[at] - begin);
  }

  // save() writes a file, and load() reads it. docs/design/splice-schedules.md describes the format. save()
  // replaces a file as a whole; if save() fails, the old file is unchanged. Both throw std::runtime_error,
  // which names the file, the problem and the remedy. load() rejects a file that is damaged, truncated or of
  // another kind, and one that does not run each block of each call once.
  void save(const std::string& path) const;
  static splice_schedule load(const std::string& path);
  // Whether the file begins as a file of save() does. Returns false if it cannot be read.
  static bool is_saved_in(const std::string& path);

  // The same, in memory. Errors call the bytes by `name`.
  std::vector<std::byte> to_bytes() const;
  static splice_schedule from_bytes(std::span<const std::byte> bytes,
                                    const std::string& name = "bytes in memory");

 private:
  friend struct detail::splice_schedule_access;

  unsigned workers_ = 1;
  std::vector<std::uint32_t> blocks_;
  std::vector<std::int64_t> sizes_;  // the largest size of a block, for each call; empty: not known
  std::vector<detail::splice_item> items_;
  detail::splice_notes notes_;
};

namespace detail {

// Access for the other parts of the library.
struct SENNIT_EXPORT splice_schedule_access {
  static splice_schedule make(unsigned workers, std::vector<std::uint32_t> blocks,
                              std::vector<splice_item> items, std::vector<std::int64_t> sizes = {},
                              splice_notes notes = {});
  static const splice_notes& notes(const splice_schedule& s) noexcept { return s.notes_; }
  // The largest size of a block, for each call; may be empty.
  static const std::vector<std::int64_t>& sizes(const splice_schedule& s) noexcept { return s.sizes_; }
  static const std::vector<splice_item>& items(const splice_schedule& s) noexcept { return s.items_; }
  // The place of each block of each call.
  static std::vector<std::vector<splice_place>> places(const splice_schedule& s);
};

// Throws std::logic_error: there is no order.
SENNIT_EXPORT [[noreturn]] void refuse_no_order();
// Throw std::runtime_error: the schedule of this name is for another number of calls, for another number of
// blocks of call `call`, or for other effects.
SENNIT_EXPORT [[noreturn]] void refuse_calls(const std::string& name, const splice_schedule& s,
                                             std::size_t calls);
SENNIT_EXPORT [[noreturn]] void refuse_blocks(const std::string& name, const splice_schedule& s,
                                              std::uint32_t call, std::size_t blocks);
SENNIT_EXPORT [[noreturn]] void refuse_order(const std::string& name, splice_item before, splice_item after);

}  // namespace detail
}  // namespace sennit
