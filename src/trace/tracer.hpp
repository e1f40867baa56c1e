// A program's trace: what its strands do, and when, written to a file while it runs. docs/guide/tracing.md.
#pragma once

#include "observe/trace_cursor.hpp"
#include "policy/brevity.hpp"
#include "trace/durations.hpp"
#include "trace/site_table.hpp"
#include "trace/trace_clock.hpp"
#include "trace/trace_file.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace sennit::detail {

class runtime_core;

// A part of the program that runs on one strand, or one after the other on several: see docs/guide/tracing.md.
struct traced_body {
  enum class kind : std::uint8_t { region, fork, right, loop, cut, leaf, child, named, wait };

  kind what = kind::region;
  traced_body* outer = nullptr;  // in the same strand
  std::uint64_t id = 0;          // of a cut: of its loop
  std::uint64_t in = 0;          // 0: in none
  std::uint64_t begun_ns = 0;
  std::uint64_t left_ns = 0;  // a fork's left branch took
  std::uint64_t skipped = 0;
  std::uint64_t expected_ns = policy::unknown_ns;
  std::uint32_t depth = 0;  // of forks around it
  std::uint32_t brief_ones =
      0;                    // constructs in it so far, one after the other, that were hardly worth a look
  bool told = true;         // unless it is as brief as expected
  bool holds_told = false;  // something is told that is said to be in it
  std::uintptr_t site = 0;
  std::uint64_t first = 0;  // of a leaf; of a child: when it was spawned, and in which group
  std::uint64_t last = 0;
  std::string_view name;
};

class tracer final : public schedule_hooks {
 public:
  // What the environment asks for; null: nothing, or the file cannot be written, or the process is a child of the one that
  // writes it.
  // Opens the file at its first call. `workers`: of the runtime that calls; 0: not known.
  static tracer* current(unsigned workers) noexcept;
  // False: current() is null for good. Cost: a load.
  static bool may_be_on() noexcept;

  tracer(std::string_view path, unsigned workers);

  void begin(trace_cursor& cursor, frame* branch) noexcept override;
  void end(trace_cursor& cursor, frame* branch) noexcept override;
  donee reached(trace_cursor& cursor, whereabouts& where, construct begun) noexcept override;
  void follow(trace_cursor& cursor, const whereabouts& where) noexcept override;
  void kept(trace_cursor& cursor, const whereabouts& where, position size) noexcept override;
  void dropped(trace_cursor& cursor) noexcept override;
  bool runs_in_place(trace_cursor& cursor, const whereabouts& where) noexcept override;
  void in_place_begins(trace_cursor& cursor, const whereabouts& where) noexcept override;
  void in_place_ends(trace_cursor& cursor, const whereabouts& where) noexcept override;
  void unobserved_left_ends(trace_cursor& cursor) noexcept override;
  void unobserved_ends(trace_cursor& cursor) noexcept override;
  bool is_overdue(trace_cursor& cursor) noexcept override;
  void will_begin_late(trace_cursor& cursor, std::size_t forks) noexcept override;
  void begins_late(trace_cursor& cursor, whereabouts& where) noexcept override;
  void leaf_begins(trace_cursor& cursor, position first, position last) noexcept override;
  void leaf_ends(trace_cursor& cursor) noexcept override;
  void waits(trace_cursor& cursor, const whereabouts& where) noexcept override;
  void joined(trace_cursor& cursor, frame& branch, pause waited) noexcept override;
  void wait_begins(trace_cursor& cursor, const void* group) noexcept override;
  void regrouped(trace_cursor& cursor, const whereabouts& where, pause waited) noexcept override;
  void joined_child(trace_cursor&, frame&) noexcept override {}
  bool keeps_positions() const noexcept override { return false; }
  trace_cursor* common_cursor() noexcept override { return &anyone_; }
  void spawned_unseen(whereabouts& where, const void* group) noexcept override;
  bool noted() const noexcept override { return false; }
  bool strict() const noexcept override { return false; }
  bool may_begin(worker&, std::uint64_t) noexcept override { return true; }

  // A section with a name begins, and ends, in the calling strand or on a thread that runs none.
  traced_body* name_begins(std::string_view name, std::uintptr_t site) noexcept;
  void name_ends(traced_body& section) noexcept;

  // The process ends.
  void close() noexcept {
    clock_.stop();
    file_.close();
  }

  // Where root frames are said to be.
  static constexpr whereabouts root{.position = nowhere, .plan = nullptr, .within = true};

 private:
  struct strand;
  // What is expected to be briefer is not told.
  static constexpr std::uint64_t resolution_ns = 100'000;
  // What lasts longer than that although it was expected to be brief is looked into.
  static constexpr std::uint64_t overdue_ns = 3 * resolution_ns;
  // A fork that turns out to be briefer is not told either, if nothing is told of what is in it.
  static constexpr std::uint64_t brief_ns = resolution_ns / 10;
  // So brief that it is not worth while to leave it alone.
  static constexpr std::uint64_t least_ns = 2'000;
  // Of constructs one after the other in one body that are all as brief as that, most are not even looked at.
  static constexpr std::uint32_t brief_ones = 64;
  static constexpr std::uint32_t unseen_ones = 15;
  static constexpr unsigned most_runtimes = 8;
  // Durations of children are kept by their groups' numbers.
  static constexpr std::uint32_t child_depth = 1U << 20;
  static constexpr unsigned outside_lane = trace_file::most_lanes - 1;

  std::uint64_t now() const noexcept;
  std::uint64_t next_id() noexcept { return ids_.fetch_add(1, std::memory_order_relaxed); }
  static trace_line first_line(unsigned workers);
  unsigned lane() noexcept;
  traced_body* open(strand& of, traced_body::kind what, std::uintptr_t site) noexcept;
  void child_begins(strand& of, trace_cursor& cursor, whereabouts& where, const void* group) noexcept;
  void child_ends(strand& of, traced_body& child) noexcept;
  void loop_begins(strand& of, trace_cursor& cursor, whereabouts& where, std::uintptr_t site) noexcept;
  void loop_ends(strand& of, traced_body& loop) noexcept;
  void tell_leaf(strand& of) noexcept;
  void tell_whole(const traced_body& loop, std::uint64_t end_ns) noexcept;
  donee fork_begins(strand& of, trace_cursor& cursor, whereabouts& where, std::uintptr_t site) noexcept;
  std::uint64_t expected_in(const traced_body* around) const noexcept;
  std::uint64_t expected(const traced_body* around, std::uintptr_t site) const noexcept;
  static bool is_sampled(traced_body* around, cursor_level& level, std::uint64_t expected_ns) noexcept;
  void learn(const traced_body& fork, std::uint64_t took_ns, std::uint64_t right_ns) noexcept;
  static void leave(strand& of, traced_body& body) noexcept;
  void close(strand& of, traced_body& body) noexcept;
  void spawned(traced_body& child, const whereabouts& where) noexcept;
  static traced_body* take_left(trace_cursor& cursor) noexcept;
  void flush_now_and_then() noexcept;
  void settle(strand& of) noexcept;
  void tell(const traced_body& body, std::uint64_t end_ns, bool stolen = false) noexcept;
  void tell_in(strand& of, const traced_body& body, std::uint64_t end_ns) noexcept;

  const std::uint64_t begun_ns_;
  trace_file file_;
  site_table sites_{file_};
  durations durations_;
  std::atomic<std::uint64_t> ids_{1};
  std::atomic<std::uint64_t> flushed_ns_{0};
  std::array<std::atomic<const runtime_core*>, most_runtimes> cores_{};
  std::array<std::atomic<bool>, trace_file::most_lanes> named_{};
  trace_cursor anyone_{*this};
  trace_clock clock_;
};

}  // namespace sennit::detail
