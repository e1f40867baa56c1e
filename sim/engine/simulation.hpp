// SPDX-License-Identifier: Apache-2.0
// One simulated run. Each worker has one time at which it does its next step, and the earliest goes first.
//
// A step happens at one instant; what it costs comes after it. So a thief that takes a frame behind a barrier has it at once,
// and the deque is locked until the barrier has ended, as the owner's gates are shut for so long.
#pragma once

#include "engine/facts.hpp"
#include "engine/options.hpp"
#include "engine/records.hpp"
#include "engine/run_result.hpp"
#include "engine/splice_graph.hpp"
#include "engine/spliced_row.hpp"
#include "engine/tasks.hpp"
#include "engine/tournament.hpp"
#include "engine/worker.hpp"
#include "machine/machine.hpp"
#include "memory/memory.hpp"
#include "program/program.hpp"

#include <sennit/detail/loop/pace.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace sennit::sim {

class [[gnu::visibility("hidden")]] simulation {
 public:
  simulation(const program& what, const machine& on, const options& how);
  run_result run();

 private:
  // --- simulation.cpp: time.
  void step(unsigned w);
  void spend(worker& w, activity what, picoseconds time, std::uint32_t site = 0);
  void catch_up(worker& w, activity what, picoseconds until);
  void set_time(unsigned w, picoseconds at);
  picoseconds begin_barrier(picoseconds now);
  std::uint64_t ns(picoseconds t) const noexcept { return t / nanosecond + 1; }
  distance between(const worker& a, const worker& b) const noexcept;
  void finish_results();

  // --- strands.cpp: what strands do.
  void run_strand(worker& w);
  void begin(worker& w);
  void begin_child(worker& w, record_number r, node_number n, std::uint64_t number);
  void begin_work(worker& w, const node& n);
  void child_ended(worker& w, record_number r);
  void go_on_series(worker& w, record_number r);
  void after_left(worker& w, record_number r);
  void ended(worker& w, record_number r);
  void wait_for(worker& w, record_number r);
  bool join_children(worker& w, record_number r);
  void waited(worker& w, record_number r);
  void go_on_work(worker& w);
  void finish(worker& w, record_number r);
  void end_strand(worker& w);
  picoseconds memory_time(const worker& w, const node& n, std::uint64_t iterations, std::uint64_t of);
  bool must_wait(worker& w);
  void beat(worker& w);

  // --- loops.cpp
  void begin_loop(worker& w, node_number n);
  void begin_part(worker& w, record_number part);
  void go_on_part(worker& w, record_number part);
  void end_part(worker& w, record_number part);
  void deal(worker& w, record_number part);
  void deal_to_places(worker& w, record_number part);
  void hand_part(worker& w, worker& to, record_number part, std::uint64_t begin, std::uint64_t others);
  std::vector<unsigned> idle_after(const worker& w, unsigned most) const;
  bool cuts_for_who_asked(worker& w);
  bool cuts_at_places(worker& w, const worker* thief);
  record_number cut(record_number part, std::uint64_t middle);
  std::uint64_t worth(record_number part);
  void halve(worker& w, node_number n);
  picoseconds run_iterations(worker& w, const node& loop, std::uint32_t at, std::uint64_t from,
                             std::uint64_t to);

  // --- graphs.cpp
  void begin_graph(worker& w, node_number n);
  void task_ended(worker& w, record_number strand);
  record_number graph_of(record_number strand);
  void begin_queue(const worker& w, record_number strand);
  void begin_taken(worker& w, record_number strand);
  void leave_queue(worker& w, record_number strand);
  void end_graph(record_number r);
  void ready(worker& w, record_number strand, std::uint32_t task);
  void go_on_tasks(worker& w, record_number strand);
  void begin_task(worker& w, record_number strand, std::uint32_t task);
  frame part_of_queue(worker& of, record_number strand, bool all);
  bool by_color() const noexcept;
  unsigned colored_places() const noexcept;
  unsigned place_of(const worker& w) const noexcept;
  unsigned place_of_color(std::uint32_t color) const noexcept;
  void donate_posts(worker& w, task_pool& pool);
  frame strand_of_box(const worker& w, task_pool& pool, unsigned place);
  void take_box(const worker& w, task_pool& pool, unsigned place, task_queue& to);
  frame join_posted(worker& w);
  bool may_take_any_color(const worker& w) const noexcept;

  // --- splices.cpp
  void begin_splice(worker& w, node_number n);
  std::uint32_t begin_splice_run(node_number n);
  void begin_row(worker& w, record_number r, spliced_row with);
  void go_on_row(worker& w, record_number r);
  bool go_on_column(worker& w, record_number r);
  bool leaves_column(const spliced_row& row) const;
  void run_spliced(worker& w, record_number r, std::uint32_t step);
  void begin_column(worker& w, record_number r, record_number base);
  void end_row(worker& w, record_number r);

  // --- deques.cpp: frames and who gets them.
  void push(worker& w, frame f, std::uint64_t name);
  bool pop(worker& w, frame f);
  bool latent(worker& w);
  frame take_oldest(worker& w, bool if_worth);
  void answer(worker& w);
  void hand_over(worker& w, frame f);
  worker* idle_for(const worker& w, const frame& f);
  bool post(worker& w, worker& to, frame f);
  void list(worker& w, frame f);
  void promote_all(worker& w);
  void note_open(worker& w);
  bool is_running(const worker& w) const noexcept { return w.now == phase::running; }
  bool waits(const worker& w) const noexcept { return w.now == phase::searching || w.now == phase::dormant; }
  bool sleeps(const worker& w) const noexcept {
    return w.now == phase::drowsy || w.now == phase::asleep || w.now == phase::waking ||
           w.now == phase::napping;
  }

  // --- search.cpp: workers without a strand.
  void begin_search(worker& w);
  void search(worker& w);
  frame look_at(worker& thief, worker& victim, bool insists);
  void found(worker& w, frame f, bool planned = false);
  void begin_frame(worker& w, frame f);
  void lie_dormant(worker& w);
  void leave_dormancy(worker& w, picoseconds at);
  void search_again(picoseconds at);
  void set_searching(const worker& w, bool does) noexcept;
  bool end_of_round(worker& w);
  bool looks_for_own(const worker& thief) const noexcept;
  unsigned choose_victim(worker& w);
  std::uint32_t color_of(const frame& f);
  bool suits(const worker& thief, const frame& f);

  // --- sleeping.cpp
  void fall_asleep(worker& w);
  void look_once_more(worker& w);
  void wake_up(worker& w);
  void nap(worker& w);
  void end_nap(worker& w);
  void met_push_gate(worker& w, bool pushed);
  void call_for_work(worker& w);
  void call_watcher(worker& w);
  void call(worker& by, unsigned sleeper, unsigned hint);
  void wake_more(worker& w);
  unsigned wake_for_work(worker& w, unsigned most);
  unsigned wake_for_parts(worker& w);
  bool arm_gates(worker& w, bool barrier);
  bool work_in_sight() const noexcept;

  // --- replaying.cpp
  void read_schedule();
  void note_taken(const worker& by, const frame& f);
  void note_task(const worker& by, record_number graph, std::uint32_t task);
  bool donate(worker& w, frame f, std::uint64_t name);
  void look_for_donation(worker& w);
  bool donate_parts(worker& w, record_number part);
  void give(worker& w, frame f, std::uint32_t to, std::uint32_t turn);
  bool put_aside(worker& w, frame f, worker& donee, std::uint32_t turn);
  frame take_donated(worker& w);
  picoseconds opens(const worker& donee, const donation& d) const noexcept;
  bool donates() const noexcept { return has_lateness_ || how_.cut == loops::places; }
  frame take_late(worker& donee);
  void begin_planned(worker& w);
  void end_planned(worker& w);
  std::uint64_t name_of(const frame& f);
  bool strict() const noexcept {
    return how_.follow == replay::strict_ordered || how_.follow == replay::strict_unordered;
  }

  const program& program_;
  const machine& machine_;
  const machine_costs& costs_;
  const options how_;
  const program_facts facts_;
  const unsigned sharing_;  // of loops: see detail::pace
  const policy::patience::search patience_;

  std::vector<worker> workers_;
  picoseconds now_ = 0;
  bool disturbed_ = false;  // another worker's time has been set
  tournament next_;         // of each worker, the time of its next step; and of the timer
  const unsigned timer_;    // the time at which dormant workers have something to find
  tournament open_;         // of each worker, when a thief that looks at it finds something
  records records_;
  memory memory_;
  struct [[gnu::visibility("hidden")]] loop_pace {
    std::optional<detail::pace> chunks;
    picoseconds begun = 0;   // of the latest chunk
    std::uint64_t size = 0;  // that it has
  };
  std::vector<loop_pace> paces_;
  std::vector<std::uint32_t> free_paces_;
  std::vector<task_pool> pools_;
  std::vector<std::uint32_t> free_pools_;
  std::vector<std::uint32_t> colored_pools_;  // that have begun, the newest last
  std::uint64_t posted_ = 0;                  // tasks in boxes
  std::vector<task_queue> queues_;
  std::vector<std::uint32_t> free_queues_;

  std::vector<std::uint32_t> splice_steps_;  // of each node, if the program has a splice
  std::unordered_map<node_number, std::unique_ptr<splice_graph>> splice_graphs_;
  std::vector<std::unique_ptr<splice_run>> splice_runs_;
  std::deque<spliced_row> rows_;
  std::vector<std::uint32_t> free_rows_;
  std::uint64_t spliced_calls_ = 0;  // that are open

  std::vector<std::uint64_t> searching_;  // a bit each: those to whom a frame can be posted
  std::vector<unsigned> dormant_;
  std::vector<unsigned> sleepers_;  // the latest last
  unsigned in_flight_ = 0;          // wakes
  unsigned watcher_;                // none: the number of workers
  unsigned with_work_ = 0;          // workers with frames that others may have, now or later
  std::vector<bool> has_work_;

  picoseconds barrier_begin_ = 0;  // of the latest one
  picoseconds barrier_end_ = 0;

  struct planned {
    std::uint32_t worker;
    std::uint32_t turn;
  };
  bool has_lateness_ = false;    // a relaxed schedule is followed
  std::uint64_t strand_ns_ = 0;  // what a planned strand takes: policy::lateness
  std::unordered_map<std::uint64_t, planned> plan_;
  std::unordered_map<std::uint64_t, std::vector<recorded_steal>> planned_cuts_;

  bool over_ = false;
  run_result result_;
};

}  // namespace sennit::sim
