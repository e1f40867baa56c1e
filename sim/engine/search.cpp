// SPDX-License-Identifier: Apache-2.0
// Workers without a strand: they look at the deques of others.
#include "engine/names.hpp"
#include "engine/simulation.hpp"
#include "policy/roles.hpp"

#include <algorithm>
#include <utility>

namespace sennit::sim {

void simulation::set_searching(const worker& w, bool does) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << w.index % 64;
  std::uint64_t& word = searching_[w.index / 64];
  word = does ? word | bit : word & ~bit;
}

void simulation::begin_search(worker& w) {
  w.now = phase::searching;
  w.rounds = 0;
  w.looks = 0;
  note_open(w);
  if (strict()) {
    look_for_donation(w);
    return;
  }
  set_searching(w, true);
  set_time(w.index, w.time);
}

void simulation::search(worker& w) {
  if (w.looks == 0) {
    if (how_.follow == replay::relaxed || donates()) {
      if (const frame given = take_donated(w)) {
        found(w, given, true);
        return;
      }
    }
    if (!w.listed.empty()) {
      const frame own = w.listed.oldest();
      w.listed.pop_oldest();
      found(w, own);
      return;
    }
  }
  if (const frame posted = join_posted(w)) {
    found(w, posted);
    return;
  }
  if (w.own_only_until > w.time && colored_places() == how_.workers) {
    lie_dormant(w);  // nobody else has its color
    return;
  }
  // What is posted to others is for it soon.
  const bool soon = posted_ != 0 && w.own_only_until <= w.time;
  if (how_.workers == 1 || (open_.earliest_time() > w.time && w.donated.empty() && !soon)) {
    lie_dormant(w);
    return;
  }
  worker& victim = workers_[choose_victim(w)];
  const frame got = look_at(w, victim, patience_.insists(w.rounds));
  if (got) {
    found(w, got);
    return;
  }
  ++w.result.failed_steals;
  spend(w, activity::searching, std::max<picoseconds>(1, costs_.steal_miss.at(between(w, victim))));
  if (++w.looks < how_.workers - 1) return;
  w.looks = 0;
  ++w.rounds;
  if (end_of_round(w)) fall_asleep(w);
}

// Whether it has searched for long enough.
bool simulation::end_of_round(worker& w) {
  return how_.sleepers && patience_.after(w.rounds) == policy::patience::step::sleep;
}

unsigned simulation::choose_victim(worker& w) {
  const unsigned hint = std::exchange(w.hint, worker::no_hint);
  if (hint != worker::no_hint && hint != w.index) return hint;
  if (how_.from == victims::nearest) {
    // Of four looks two in its own cache, one on its node, one anywhere.
    const places& where = machine_.where;
    const number_range near = w.looks % 4 < 2 ? where.cores_of_cache(where.cache_of(w.index))
                                              : where.cores_of_node(where.node_of(w.index));
    const unsigned end = std::min(near.end, how_.workers);
    if (w.looks % 4 != 3 && end > near.first + 1)
      return near.first + w.draws.next(end - near.first, w.index - near.first);
  }
  return w.draws.next(how_.workers, w.index);
}

std::uint32_t simulation::color_of(const frame& f) {
  const record& of = records_[f.of];
  const std::span children = program_.children(program_.at(of.node));
  switch (of.kind) {
    case record_kind::fork:
    case record_kind::graph: return f.child == whole_queue ? no_color : program_.at(children[f.child]).color;
    case record_kind::series: {
      const node& spawn = program_.at(children[f.child]);
      return program_.at(program_.children(spawn)[0]).color;
    }
    default: return no_color;
  }
}

// Whether the frame is of the worker's own color.
bool simulation::suits(const worker& thief, const frame& f) {
  if (f.child == whole_queue) return !by_color() || queues_[records_[f.of].queue].place == place_of(thief);
  const std::uint32_t color = color_of(f);
  const std::uint32_t colors = facts_.colors();
  if (color == no_color || colors == 0) return true;
  return place_of_color(color) == place_of(thief);
}

// With fewer workers than colors, workers are the places.
unsigned simulation::place_of_color(std::uint32_t color) const noexcept {
  const std::uint32_t colors = facts_.colors();
  return colors >= how_.workers ? policy::role_here(color, colors, how_.workers) : color;
}

// What the runtime does in worker_frames::steal().
frame simulation::look_at(worker& thief, worker& victim, bool insists) {
  const picoseconds now = thief.time;
  thief.source = victim.index;
  if (victim.locked_until > now) return {};
  // In its first looks a thief wants its own color only, and the very first time until it has found one (002).
  const bool own_only = how_.from == victims::colored && facts_.colors() > 1 && looks_for_own(thief);
  if (!victim.listed.empty()) {
    const frame oldest = victim.listed.oldest();
    if (own_only && !suits(thief, oldest)) return {};
    victim.listed.pop_oldest();
    victim.locked_until = now + costs_.deque_lock;
    note_open(victim);
    spend(thief, activity::stealing, costs_.steal_hit.at(between(thief, victim)));
    return oldest;
  }
  if (donates()) {
    if (const frame late = take_late(victim)) {
      spend(thief, activity::stealing, costs_.steal_hit.at(between(thief, victim)));
      return late;
    }
    if (victim.keeps_until > now) return {};
  }
  if (!is_running(victim) || how_.how == promotion::heartbeat) return {};
  if (victim.beats.next_ns() != 0 && ns(now) < victim.beats.next_ns()) return {};
  const bool has_latent = latent(victim);
  if (own_only && (!has_latent || !suits(thief, victim.latent.oldest()))) return {};
  if (how_.by == steal::ask) {
    if (!victim.asked || (victim.asked_ahead && has_latent)) {
      victim.asked = true;
      victim.asked_ahead = !has_latent;
      victim.asked_at = now;
      note_open(victim);
      spend(thief, activity::searching, costs_.transfer.at(between(thief, victim)));
      return {};
    }
    if (!insists || !has_latent || victim.asked_ahead ||
        !victim.asking.silent((now - victim.asked_at) / nanosecond))
      return {};
    victim.asked = false;
  }
  if (!has_latent || !cuts_at_places(victim, &thief)) return {};
  if (how_.by == steal::fence) {
    victim.locked_until = now + costs_.deque_lock;
  } else {
    const picoseconds end = begin_barrier(now);
    victim.asking.barrier_took((end - now) / nanosecond);
    victim.locked_until = end + costs_.deque_lock;
    spend(thief, activity::barrier, end - now);
  }
  const frame oldest = take_oldest(victim, false);
  note_open(victim);
  ++result_.promotions;
  spend(thief, activity::stealing, costs_.steal_hit.at(between(thief, victim)));
  return oldest;
}

bool simulation::looks_for_own(const worker& thief) const noexcept {
  if (how_.broken == fault::own_color || thief.time < thief.own_only_until) return true;
  constexpr unsigned own_color_looks = 8;
  return thief.result.steals == 0 ? thief.rounds < 4 : thief.rounds == 0 && thief.looks < own_color_looks;
}

// It has got a frame, however.
void simulation::found(worker& w, frame f, bool planned) {
  set_searching(w, false);
  w.now = phase::running;
  w.patience.found_work();
  w.own_only_until = 0;
  if (std::exchange(w.owns_wake, false)) wake_more(w);
  ++w.result.steals;
  if (how_.record) note_taken(w, f);
  spend(w, activity::stealing, costs_.strand);
  w.barriers_met = result_.barriers;
  if (how_.how == promotion::heartbeat) w.next_beat = w.time - w.time % how_.heartbeat + how_.heartbeat;
  w.taken = f;
  if (planned) begin_planned(w);
  // As in worker_frames::enter(): its first fork may come before anybody has asked.
  if (how_.by == steal::ask && !w.asked && !strict()) {
    for (const std::uint64_t word : searching_) {
      if (word == 0) continue;
      w.asked = true;
      w.asked_ahead = true;
      break;
    }
  }
  note_open(w);
  set_time(w.index, w.time);
}

void simulation::begin_frame(worker& w, frame f) {
  record& of = records_[f.of];
  const node& n = program_.at(of.node);
  w.begins = no_node;
  switch (of.kind) {
    case record_kind::fork: {
      const record_number base = records_.make(record_kind::branch, of.node, f.of, of.name);
      begin_child(w, base, program_.children(n)[1], 0);
      w.name = name_of_branch(of.name, 1);
      break;
    }
    case record_kind::series: {
      const record_number base = records_.make(record_kind::branch, of.node, f.of, of.name);
      const node& spawn = program_.at(program_.children(n)[f.child]);
      begin_child(w, base, program_.children(spawn)[0], 0);
      w.name = name_of_branch(of.name, f.child);
      break;
    }
    case record_kind::loop_half: {
      const record_number base = records_.make(record_kind::branch, of.node, f.of, of.name);
      w.at = base;
      w.begins = of.node;
      w.name = name_of_branch(of.name, 1);
      w.first = of.first + (of.last - of.first) / 2;
      w.last = of.last;
      break;
    }
    case record_kind::loop_part: begin_part(w, f.of); break;
    case record_kind::graph: {
      const record_number strand = records_.make(record_kind::graph_strand, of.node, f.of, of.name);
      begin_queue(w, strand);
      begin_task(w, strand, f.child);
      break;
    }
    case record_kind::graph_strand: begin_taken(w, f.of); break;
    case record_kind::spliced:
      begin_column(w, f.of, records_.make(record_kind::branch, of.node, f.of, of.name));
      break;
    case record_kind::loop:
    case record_kind::branch: break;
  }
}

// Nobody has anything: its looks are counted when somebody does, or when it has searched for long enough.
void simulation::lie_dormant(worker& w) {
  w.now = phase::dormant;
  if (w.own_only_until > w.time) {
    w.place = worker::no_place;
    set_time(w.index, w.own_only_until);
    return;
  }
  w.place = static_cast<unsigned>(dormant_.size());
  dormant_.push_back(w.index);
  picoseconds sleeps = never;
  if (how_.sleepers && how_.workers > 1) {
    unsigned rounds = w.rounds;
    while (patience_.after(rounds) != policy::patience::step::sleep) ++rounds;
    const std::uint64_t looks = std::uint64_t{rounds - w.rounds} * (how_.workers - 1) - w.looks;
    sleeps = w.time + looks * w.look;
  }
  set_time(w.index, sleeps);
  const picoseconds earliest = open_.earliest_time();
  if (dormant_.size() == 1 && earliest != never) next_.set(timer_, earliest);
}

// It has looked around in vain until then.
void simulation::leave_dormancy(worker& w, picoseconds at) {
  if (w.place != worker::no_place) {
    const unsigned last = dormant_.back();
    dormant_[w.place] = last;
    workers_[last].place = w.place;
    dormant_.pop_back();
  }
  w.now = phase::searching;
  if (at <= w.time || how_.workers == 1) {
    catch_up(w, activity::searching, at);
    return;
  }
  const std::uint64_t looks = (at - w.time + w.look - 1) / w.look;
  w.result.failed_steals += looks;
  catch_up(w, activity::searching, w.time + looks * w.look);
  const std::uint64_t all = w.looks + looks;
  w.rounds += static_cast<unsigned>(all / (how_.workers - 1));
  w.looks = static_cast<unsigned>(all % (how_.workers - 1));
}

void simulation::search_again(picoseconds at) {
  next_.set(timer_, never);
  while (!dormant_.empty()) {
    worker& w = workers_[dormant_.back()];
    leave_dormancy(w, at);
    set_time(w.index, w.time);
  }
}

}  // namespace sennit::sim
