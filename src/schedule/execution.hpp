// SPDX-License-Identifier: Apache-2.0
// A region whose steal tree is recorded while the region runs, and which may follow another steal tree.
#pragma once

#include "observe/trace_cursor.hpp"
#include "policy/lateness.hpp"
#include "schedule/plan.hpp"
#include "schedule/processors.hpp"
#include "schedule/steal_tree.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace sennit::detail {

class runtime_core;
class worker;

class execution final : public schedule_hooks {
 public:
  // designed: as strict_unordered, but designate() says what the plan does not.
  enum class mode { relaxed, strict_unordered, strict_ordered, designed };

  // `followed`: null if the region is only recorded. It must outlive the execution. `recorded`: somebody wants
  // the steal tree.
  explicit execution(const plan* followed = nullptr, mode how = mode::relaxed, bool recorded = true) noexcept
      : plan_(followed), how_(how), recorded_(recorded) {}
  ~execution() { take_apart(std::move(tree_.root)); }

  // The steal tree of the region, which must have ended and been recorded. Throws std::bad_alloc if there was
  // no memory for the notes.
  steal_tree take();
  // Whether the region stopped following the order.
  bool disordered() const noexcept { return disordered_.load(std::memory_order_relaxed); }

  bool designed() const noexcept { return how_ == mode::designed; }
  // The branch of the strand's next construct is for that role.
  void designate(trace_cursor& cursor, std::uint32_t role) noexcept;

  // A graph is a construct of the strand, which is a level deeper afterwards. Returns who computed the nodes, by the
  // schedule; null: the schedule does not say. If the graph stays on the strand's worker, graph_kept() is called at its end.
  // Otherwise waits_for_graph() is called, from which on it may run on all workers, and then graph_ended(). Afterwards the
  // strand may be on another worker.
  const graph_record* graph_begins(trace_cursor& cursor, whereabouts& where) noexcept;
  void waits_for_graph(trace_cursor& cursor, const whereabouts& where) noexcept;
  void graph_ended(trace_cursor& cursor, const whereabouts& where, span_of_time ran,
                   std::shared_ptr<const graph_record> nodes) noexcept;
  void graph_kept(trace_cursor& cursor, const whereabouts& where) noexcept;
  // What was to be noted of a graph is lost, for want of memory.
  void lose_notes() noexcept { lost_.store(true, std::memory_order_relaxed); }
  // Whether no worker may run what the schedule does not give it.
  bool forbids_the_rest() const noexcept { return strict(); }
  bool keeps_order() const noexcept { return ordered(); }
  // The role of the worker with that worker_index().
  std::uint32_t role_of_number(std::uint32_t number) const noexcept {
    return (number % roles_ + roles_ - first_number_) % roles_;
  }
  // The role in this region of one in the plan.
  std::uint32_t role_here(std::uint32_t planned) const noexcept;
  worker& first_worker() const noexcept { return *caller_; }
  std::uint32_t first_number() const noexcept { return first_number_; }
  std::uint64_t begun_ns() const noexcept { return begun_ns_; }

  void begin(trace_cursor& cursor, frame* branch) noexcept override;
  void end(trace_cursor& cursor, frame* branch) noexcept override;
  donee reached(trace_cursor& cursor, whereabouts& where, construct begun) noexcept override;
  position planned_cut(trace_cursor& cursor, position iterations) noexcept override;
  void follow(trace_cursor& cursor, const whereabouts& where) noexcept override;
  void kept(trace_cursor& cursor, const whereabouts& where, position size) noexcept override;
  void dropped(trace_cursor& cursor) noexcept override;
  void waits(trace_cursor& cursor, const whereabouts& where) noexcept override;
  void joined(trace_cursor& cursor, frame& branch, pause waited) noexcept override;
  void regrouped(trace_cursor& cursor, const whereabouts& where, pause waited) noexcept override;
  void joined_child(trace_cursor& cursor, frame& child) noexcept override;
  bool noted() const noexcept override { return recorded_; }
  bool strict() const noexcept override { return plan_ != nullptr && how_ != mode::relaxed; }
  bool may_begin(worker& by, std::uint64_t number) noexcept override;
  void none_may_begin(worker& by) noexcept override;
  std::uint64_t opens_ns(std::uint64_t number) noexcept override;
  std::uint64_t frames_open_ns(std::uint64_t since) noexcept override;

 private:
  struct role_state {
    std::atomic<std::uint32_t> events{0};
    // Strands of the role that wait at places where they did not wait in the recorded run. The next strands
    // of the role then have to wait, too.
    std::atomic<std::uint32_t> holds{0};
    // Branches that were donated to the role and that nobody has begun.
    std::atomic<std::uint32_t> due{0};
    // When the role's worker last found that none of its donations is in turn.
    std::atomic<std::uint64_t> in_vain_ns{0};
  };
  struct strand_note;

  void meet_workers() noexcept;
  std::uint32_t role_of(const worker& w) const noexcept;
  worker& worker_of(std::uint32_t role) const noexcept;
  event next_event(std::uint32_t role) noexcept;
  // The recorded order does not apply to a different number of workers.
  bool ordered() const noexcept {
    return plan_ != nullptr && how_ == mode::strict_ordered && plan_->roles() == roles_;
  }
  void keep_notes_of(cursor_level& level) noexcept;
  void begin_wait(trace_cursor& cursor, const whereabouts& where) noexcept;
  void note_wait(trace_cursor& cursor, const whereabouts& where, steal& node, pause waited) noexcept;
  void end_wait(trace_cursor& cursor, const whereabouts& where, steal& node, pause waited) noexcept;
  // Whether it matters when strands begin and end.
  bool timed() const noexcept { return recorded_ || relaxed(); }
  bool relaxed() const noexcept { return plan_ != nullptr && how_ == mode::relaxed; }
  void begin_relaxed(strand_note& note, frame* branch) noexcept;
  void keep_frames() noexcept;
  void strand_took(const strand_note& note) noexcept;
  std::uint64_t strand_ns(policy::lateness::crowd among) const noexcept;
  policy::lateness::crowd crowd_since(std::uint64_t since, std::uint64_t now) noexcept;
  std::uint64_t number_of_donation(std::uint32_t role) noexcept;
  bool go_on(strand_note& note, const steal* planned, bool suspended) noexcept;
  bool go_on_as_planned(const steal* planned, std::uint32_t waited_as) noexcept;
  bool go_on_if_idle(strand_note& note, const steal* planned, bool suspended) noexcept;
  void note(cursor_level& level, steal&& node, std::vector<steal>* following) noexcept;
  bool stalled() noexcept;
  bool all_idle() const noexcept;
  bool all_in_vain(std::uint64_t since) const noexcept;

  const plan* const plan_;
  const mode how_;
  const bool recorded_;
  runtime_core* core_ = nullptr;
  worker* caller_ = nullptr;
  std::uint32_t first_number_ = 0;  // of the worker with role 0
  std::uint32_t roles_ = 1;
  std::unique_ptr<role_state[]> states_;
  std::uint64_t begun_ns_ = 0;
  std::atomic<bool> lost_{false};  // whether notes were lost for want of memory
  std::atomic<bool> gaps_{false};  // whether events without a node left gaps in the numbers
  steal_tree tree_;
  // The number of running strands. It shows when the order prevents all progress.
  std::atomic<std::int64_t> active_{0};
  std::atomic<std::uint64_t> progress_{0};
  std::atomic<std::uint64_t> progress_seen_{0};
  std::atomic<std::uint64_t> seen_ns_{0};
  std::atomic<std::uint64_t> idle_since_ns_{0};  // all workers of the region
  std::atomic<std::uint64_t> strand_ns_{0};      // see policy::lateness
  std::uint64_t earlier_strand_ns_ = 0;          // in the regions before
  bool may_be_crowded_ = false;                  // there are more workers than processors
  processors processors_;                        // if it may be crowded
  std::atomic<bool> disordered_{false};
};

}  // namespace sennit::detail
