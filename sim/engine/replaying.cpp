// SPDX-License-Identifier: Apache-2.0
// Runs that are recorded as schedules, and runs that follow one (Lifflander, Krishnamoorthy and Kale, 2013).
#include "engine/names.hpp"
#include "engine/simulation.hpp"
#include "policy/lateness.hpp"
#include "policy/roles.hpp"

#include <algorithm>
#include <utility>

namespace sennit::sim {

void simulation::read_schedule() {
  const steal_schedule& all = *how_.schedule;
  std::vector<std::uint32_t> turns(std::max(all.workers, how_.workers));
  for (const recorded_steal& s : all.steals) {
    const std::uint32_t here = policy::role_here(s.worker, all.workers, how_.workers);
    plan_[s.branch] = {.worker = here, .turn = s.is_task ? any_turn : turns[here]++};
    if (s.loop_part != 0) planned_cuts_[s.loop_part].push_back(s);
  }
  // The last part of a loop is cut off first.
  for (auto& [part, cuts] : planned_cuts_)
    std::ranges::sort(cuts, std::ranges::greater(), &recorded_steal::first);
}

std::uint64_t simulation::name_of(const frame& f) {
  const record& of = records_[f.of];
  return of.kind == record_kind::loop_part ? of.name : name_of_branch(of.name, f.child);
}

void simulation::note_taken(const worker& by, const frame& f) {
  const record& of = records_[f.of];
  if (of.kind == record_kind::graph || of.kind == record_kind::graph_strand)
    return;  // its tasks are noted as they begin
  recorded_steal& s = result_.schedule.steals.emplace_back();
  s.branch = name_of(f);
  s.worker = by.index;
  if (of.kind != record_kind::loop_part) return;
  s.loop_part = of.cut_from;
  s.first = of.first;
  s.last = of.last;
}

void simulation::note_task(const worker& by, record_number graph, std::uint32_t task) {
  result_.schedule.steals.push_back(
      {.branch = name_of_branch(records_[graph].name, task), .worker = by.index, .is_task = true});
}

// What is to be another worker's. False: it stays.
bool simulation::donate(worker& w, frame f, std::uint64_t name) {
  const auto found = plan_.find(name);
  if (found == plan_.end()) return false;
  const bool is_task = records_[f.of].kind == record_kind::graph;
  if (is_task && found->second.worker == w.index) return false;
  if (!is_task) ++records_[f.of].open;
  give(w, f, found->second.worker, found->second.turn);
  return true;
}

// A part of a loop begins: the cuts that were made in it are made at once. False: there were none.
bool simulation::donate_parts(worker& w, record_number part) {
  const auto found = planned_cuts_.find(records_[part].name);
  if (found == planned_cuts_.end()) return false;
  for (const recorded_steal& s : found->second) {
    if (s.first < records_[part].first || s.first >= records_[part].last) continue;
    const record_number piece = cut(part, s.first);
    const planned& to = plan_[records_[piece].name];
    give(w, {.of = piece}, to.worker, to.turn);
  }
  return true;
}

void simulation::give(worker& w, frame f, std::uint32_t to, std::uint32_t turn) {
  if (!put_aside(w, f, workers_[to], turn)) return;
  spend(w, activity::waking, costs_.wake_call);
  call(w, to, w.index);
}

// True: the worker sleeps, and has to be called.
bool simulation::put_aside(worker& w, frame f, worker& donee, std::uint32_t turn) {
  spend(w, activity::forking, costs_.promotion);
  donee.donated.push_back(
      {.what = f, .turn = turn, .came = w.time, .before = static_cast<std::uint32_t>(donee.donated.size())});
  if (donates()) note_open(donee);
  const picoseconds arrives = w.time + costs_.transfer.at(between(w, donee));
  switch (donee.now) {
    case phase::running:
    case phase::fetching:
    case phase::waking: return false;  // it will look
    case phase::drowsy: donee.called = true; return false;
    case phase::napping:
      donee.called = true;
      spend(w, activity::waking, costs_.wake_call);
      set_time(donee.index, std::min(next_.at(donee.index), w.time + costs_.wake_latency));
      return false;
    case phase::searching:
    case phase::dormant:
    case phase::asleep: break;
  }
  if (strict()) {
    donee.now = phase::waking;  // it has looked for nothing else
  } else if (donee.now == phase::dormant) {
    leave_dormancy(donee, arrives);
  } else if (donee.now == phase::asleep) {
    return true;
  }
  donee.looks = 0;
  set_time(donee.index, std::max(donee.time, arrives));
  return false;
}

// In the order of the schedule, or the first that has come.
frame simulation::take_donated(worker& w) {
  for (auto at = w.donated.begin(); at != w.donated.end(); ++at) {
    if (how_.follow == replay::strict_ordered && at->turn != w.turn && at->turn != any_turn) continue;
    const frame given = at->what;
    if (at->turn != any_turn) w.turn = at->turn + 1;
    w.donated.erase(at);
    if (donates()) note_open(w);
    return given;
  }
  return {};
}

// When others may have it. Without a schedule, while the worker has something else.
picoseconds simulation::opens(const worker& donee, const donation& d) const noexcept {
  if (!has_lateness_) return is_running(donee) ? 0 : never;
  return d.came + policy::lateness::before_donation_ns(strand_ns_, d.before) * nanosecond;
}

// Of what the schedule gives to the worker, what it has not begun in time.
frame simulation::take_late(worker& donee) {
  for (auto at = donee.donated.begin(); at != donee.donated.end(); ++at) {
    if (opens(donee, *at) > now_) continue;
    const frame late = at->what;
    donee.donated.erase(at);
    note_open(donee);
    return late;
  }
  return {};
}

// What the schedule gives to others of the strand may still be on its way to them.
void simulation::begin_planned(worker& w) {
  if (!has_lateness_) return;
  w.is_planned = true;
  w.begun = w.time;
  w.keeps_until = w.time + policy::lateness::before_frames_ns(strand_ns_) * nanosecond;
}

void simulation::end_planned(worker& w) {
  if (!std::exchange(w.is_planned, false)) return;
  w.keeps_until = 0;
  strand_ns_ = policy::lateness::strand_ns(strand_ns_, (w.time - w.begun) / nanosecond);
  for (worker& other : workers_)
    if (!other.donated.empty()) note_open(other);
}

// Workers of a strict schedule do not search.
void simulation::look_for_donation(worker& w) {
  if (const frame given = take_donated(w)) {
    found(w, given);
    return;
  }
  if (!w.listed.empty()) {
    const frame own = w.listed.oldest();
    w.listed.pop_oldest();
    found(w, own);
    return;
  }
  w.now = phase::asleep;
  set_time(w.index, never);
}

}  // namespace sennit::sim
