// SPDX-License-Identifier: Apache-2.0
// A program's trace: what its strands do, and when, written to a file while it runs. docs/guide/tracing.md.
#pragma once

#include "observe/trace_cursor.hpp"
#include "policy/brevity.hpp"
#include "trace/durations.hpp"
#include "trace/site_table.hpp"
#include "trace/trace_clock.hpp"
#include "trace/trace_file.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

namespace sennit::detail {

class runtime_core;
struct brief_place;
struct message_in_trace;
struct told_node;
struct told_nodes;

// A part of the program that runs on one strand, or one after the other on several: see docs/guide/tracing.md.
struct traced_body {
  enum class kind : std::uint8_t { region, fork, right, loop, cut, leaf, child, named, wait, graph, node };

  kind what = kind::region;
  traced_body* outer = nullptr;  // in the same strand
  std::uint64_t id = 0;          // of a cut: of its loop
  std::uint64_t in = 0;          // 0: in none
  std::uint64_t begun_ns = 0;
  std::uint64_t left_ns = 0;  // a fork's left branch took
  std::uint64_t skipped = 0;
  std::uint64_t expected_ns = policy::unknown_ns;
  std::uint32_t depth = 0;  // of forks around it
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
  // writes it. Opens the file at its first call. `workers`: of the runtime that calls; 0: not known.
  static tracer* current(unsigned workers) noexcept;
  // False: current() is null for good. Cost: a load.
  static bool may_be_on() noexcept;

  tracer(std::string_view path, unsigned workers);
  // Of the first runtime whose number is known.
  void set_workers(unsigned workers) noexcept;

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
  unobserved_part* leaves_alone(trace_cursor& cursor) noexcept override;
  void hears_again(trace_cursor& cursor) noexcept override;
  bool has_left_alone_for_long(trace_cursor& cursor) noexcept override;
  bool may_be_long(trace_cursor& cursor, std::uintptr_t site) noexcept override;
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

  // A graph begins in the calling strand, whose nodes are told one by one or not, and ends. Null: it is not told.
  traced_body* graph_begins(std::uintptr_t site) noexcept;
  void graph_ends(traced_body& graph, const told_nodes& nodes) noexcept;
  // Whether the nodes of graphs there are long enough, as far as is known.
  bool tells_nodes(std::uintptr_t site) const noexcept;
  void tell_node(const traced_body& graph, const told_node& node, std::uint64_t begun_ns,
                 std::uint64_t ended_ns, std::uint64_t id) noexcept;
  // A task flow: it begins with its first task, and its event is the wait. In between, its tasks are bodies of whatever strand
  // runs them: null, if that is not traced. task_ends() returns the body's id.
  std::optional<traced_body> flow_begins(std::uintptr_t site) noexcept;
  void flow_ends(traced_body& flow, std::uint64_t wait_begun_ns, const told_nodes& nodes) noexcept;
  traced_body* task_begins() noexcept;
  std::uint64_t task_ends(traced_body& task) noexcept;

  // Of a process that is one of several: messages to others, waits for them, and when its trace began by the clock of rank 0.
  std::uint64_t now() const noexcept;
  void tell_message(const message_in_trace& message) noexcept;
  void tell_outside_wait(std::string_view what, std::uint64_t since_ns) noexcept;
  void tell_rank(unsigned rank, unsigned ranks, std::int64_t ahead_ns) noexcept;

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
  // Of what is briefer, most is the time that measuring takes.
  static constexpr std::uint64_t least_ns = 2'000;
  // After so many constructs that were not told, the strand is left alone, for so long at most. After that, it is left alone
  // again after a few. One that was told takes a part of their number away.
  static constexpr std::uint32_t enough_brief_ones = 16;
  static constexpr std::uint32_t told_share = 4;
  static constexpr std::uint32_t few_brief_ones = 2;
  static constexpr std::uint64_t alone_ns = 1'000'000;
  // Durations of children are kept by their groups' numbers, and those of loops by their sites alone, too.
  static constexpr std::uint32_t any_depth = 1U << 20;
  static constexpr std::uint32_t depth_of_child(std::uint32_t depth) noexcept {
    return any_depth + 1 + depth;
  }
  // Those of nodes by the places of their graphs.
  static constexpr std::uint32_t node_depth = any_depth - 1;
  static constexpr unsigned outside_row = 1023;  // of threads that run no strand

  std::uint64_t next_id() noexcept { return ids_.fetch_add(1, std::memory_order_relaxed); }
  static trace_line first_line(unsigned workers, std::uint64_t begun_ns);
  unsigned row() noexcept;
  unsigned add_row(worker& here) noexcept;
  traced_body* open(strand& of, traced_body::kind what, std::uintptr_t site) noexcept;
  // Of a child, or a loop, that has ended.
  static bool is_worth_telling(const traced_body& body, std::uint64_t took_ns) noexcept {
    return body.told || body.holds_told || took_ns >= resolution_ns;
  }
  void child_begins(strand& of, trace_cursor& cursor, whereabouts& where, const void* group) noexcept;
  void child_ends(strand& of, traced_body& child) noexcept;
  void loop_begins(strand& of, trace_cursor& cursor, whereabouts& where, std::uintptr_t site) noexcept;
  void loop_ends(strand& of, traced_body& loop) noexcept;
  void tell_leaf(strand& of) noexcept;
  void tell_whole(const traced_body& loop, std::uint64_t end_ns) noexcept;
  donee fork_begins(strand& of, trace_cursor& cursor, whereabouts& where, std::uintptr_t site) noexcept;
  std::uint64_t expected_in(const traced_body* around) const noexcept;
  std::uint64_t expected(const traced_body* around, std::uintptr_t site) const noexcept;
  static void was_brief(strand& of) noexcept;
  void was_brief(strand& of, const traced_body& construct, std::uint64_t took_ns) noexcept;
  void begin_brief(strand& of) noexcept;
  void tell_brief(strand& of) noexcept;
  static void forget_brief(strand& of, const traced_body& body) noexcept;
  static void was_told(strand& of) noexcept;
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
  std::atomic<unsigned> workers_;
  trace_file file_;
  site_table sites_{file_};
  durations durations_;
  std::atomic<std::uint64_t> ids_{1};
  std::atomic<std::uint64_t> flushed_ns_{0};
  std::mutex adding_row_;
  unsigned runtimes_ = 0;  // that have rows, and the number of the next row; under the lock
  unsigned next_row_ = 0;
  trace_cursor anyone_{*this};
  trace_clock clock_;
};

}  // namespace sennit::detail
