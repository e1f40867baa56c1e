// SPDX-License-Identifier: Apache-2.0
// Frames: how they become latent, and how others get them.
#include "engine/names.hpp"
#include "engine/simulation.hpp"

#include <sennit/detail/loop/middle.hpp>

#include <algorithm>
#include <bit>

namespace sennit::sim {

void simulation::push(worker& w, frame f, std::uint64_t name) {
  if (how_.follow != replay::none && name != 0 && donate(w, f, name)) return;
  const bool first = w.latent.empty();
  w.latent.push(f);
  result_.most_frames = std::max<std::uint64_t>(result_.most_frames, w.latent.size());
  if (how_.how == promotion::eager) {
    ++result_.promotions;
    spend(w, activity::forking, costs_.promotion);
  }
  met_push_gate(w, true);
  answer(w);
  if (first) note_open(w);
}

// Whether the frame, which the strand has pushed, is still there.
bool simulation::pop(worker& w, frame f) {
  if (w.latent.empty() || w.latent.newest().of != f.of || w.latent.newest().child != f.child) return false;
  w.latent.pop_newest();
  if (w.latent.empty()) {
    note_open(w);
  } else {
    answer(w);
  }
  return true;
}

// Whether others can have something of the deque.
bool simulation::latent(worker& w) {
  while (!w.latent.empty()) {
    const frame first = w.latent.oldest();
    const record& oldest = records_[first.of];
    if (first.child == whole_queue) {
      task_queue& tasks = queues_[oldest.queue];
      if (!tasks.empty()) return true;
      tasks.in_deque = false;
    } else if (oldest.kind != record_kind::loop_part || oldest.first < oldest.last) {
      return true;
    }
    // The owner will not find it, and has no need to.
    w.latent.pop_oldest();
  }
  return false;
}

// `if_worth`: a loop is cut only if there is enough of it.
frame simulation::take_oldest(worker& w, bool if_worth) {
  if (!latent(w)) return {};
  const bool wrong = how_.broken == fault::newest_frame;
  const frame oldest = wrong ? w.latent.newest() : w.latent.oldest();
  record& of = records_[oldest.of];
  frame taken = oldest;
  if (of.kind == record_kind::loop_part) {
    const std::uint64_t left = of.last - of.first;
    if (if_worth && left < worth(oldest.of)) return {};
    taken = {.of = cut(oldest.of, detail::middle_of(of.first, of.last))};
  } else if (oldest.child == whole_queue) {
    taken = part_of_queue(w, oldest.of, false);
  } else {
    ++of.open;
    if (wrong) {
      w.latent.pop_newest();
    } else {
      w.latent.pop_oldest();
    }
  }
  if (how_.how == promotion::paced && how_.broken != fault::no_period) w.beats.promoted(ns(now_));
  return taken;
}

// At a fork, a join or a chunk: hands the oldest frame over, if somebody has asked.
void simulation::answer(worker& w) {
  if (!w.asked || !latent(w) || w.keeps_until > w.time) return;
  if (w.beats.next_ns() != 0 && ns(w.time) < w.beats.next_ns()) return;
  if (records_[w.latent.oldest().of].kind == record_kind::loop_part &&
      (!cuts_for_who_asked(w) || !cuts_at_places(w, idle_for(w, w.latent.oldest())))) {
    w.asked = false;
    note_open(w);
    return;
  }
  const frame oldest = take_oldest(w, true);
  if (!oldest) return;
  w.asked = false;
  ++result_.promotions;
  spend(w, activity::forking, costs_.promotion + costs_.deque_lock);
  hand_over(w, oldest);
  note_open(w);
}

// To a worker that waits, or to the list.
void simulation::hand_over(worker& w, frame f) {
  if (worker* const to = idle_for(w, f)) {
    (void)post(w, *to, f);
  } else {
    list(w, f);
  }
}

// The first one behind the worker. It must not be one that looks for its own color only and would not find it here; if the
// frame has a color, a worker of that color goes first.
worker* simulation::idle_for(const worker& w, const frame& f) {
  const bool by_color = how_.from == victims::colored && facts_.colors() > 1 &&
                        (f.child == whole_queue || color_of(f) != no_color);
  worker* other = nullptr;
  const auto words = static_cast<unsigned>(searching_.size());
  for (unsigned i = 0; i <= words; ++i) {
    const unsigned word = (w.index / 64 + i) % words;
    std::uint64_t bits = searching_[word];
    const std::uint64_t behind = w.index % 64 == 63 ? 0 : ~std::uint64_t{0} << (w.index % 64 + 1);
    if (i == 0) bits &= behind;
    if (i == words) bits &= ~behind;
    for (; bits != 0; bits &= bits - 1) {
      worker& idle = workers_[word * 64 + static_cast<unsigned>(std::countr_zero(bits))];
      if (!by_color || suits(idle, f)) return &idle;
      if (other == nullptr && !looks_for_own(idle)) other = &idle;
    }
  }
  return other;
}

bool simulation::post(worker& w, worker& to, frame f) {
  if (!waits(to)) return false;
  if (to.now == phase::dormant) leave_dormancy(to, w.time);
  searching_[to.index / 64] &= ~(std::uint64_t{1} << to.index % 64);
  to.now = phase::fetching;
  to.mail = f;
  to.source = w.index;
  set_time(to.index, std::max(to.time, w.time + costs_.transfer.at(between(w, to))));
  return true;
}

void simulation::list(worker& w, frame f) {
  w.listed.push(f);
  note_open(w);
  call_for_work(w);
}

// The strand leaves: what it has is for others.
void simulation::promote_all(worker& w) {
  while (latent(w)) {
    const frame oldest = w.latent.oldest();
    record& of = records_[oldest.of];
    w.latent.pop_oldest();
    if (of.kind == record_kind::loop_part) {
      w.listed.push({.of = cut(oldest.of, of.first)});
    } else if (oldest.child == whole_queue) {
      queues_[of.queue].in_deque = false;
      w.listed.push(part_of_queue(w, oldest.of, true));
    } else {
      ++of.open;
      w.listed.push(oldest);
    }
    spend(w, activity::forking, costs_.promotion);
  }
  if (!w.listed.empty()) {
    note_open(w);
    call_for_work(w);
  }
}

// When a thief that looks at the worker finds something, or has something to ask for.
void simulation::note_open(worker& w) {
  const bool running = is_running(w);
  const bool has_latent = running && latent(w);
  const bool has = has_latent || !w.listed.empty();
  if (has != has_work_[w.index]) {
    has_work_[w.index] = has;
    with_work_ += has ? 1 : -1U;
  }
  picoseconds opens = never;
  const picoseconds beat =
      w.beats.next_ns() == 0 || w.beats.next_ns() == 1 ? 0 : (w.beats.next_ns() - 1) * nanosecond;
  if (!w.listed.empty()) {
    opens = 0;
  } else if (!running || strict() || how_.how == promotion::heartbeat) {
    opens = never;
  } else if (how_.by != steal::ask) {
    if (has_latent) opens = std::max(beat, w.locked_until);
  } else if (!w.asked || (w.asked_ahead && has_latent)) {
    opens = beat;
  } else if (has_latent) {
    opens = std::max(beat, w.asked_at + w.asking.patience_ns() * nanosecond);
  }
  if (donates() && w.listed.empty()) {
    if (opens != never) opens = std::max(opens, w.keeps_until);
    for (const donation& d : w.donated) opens = std::min(opens, this->opens(w, d));
  }
  if (open_.at(w.index) == opens) return;
  open_.set(w.index, opens);
  if (dormant_.empty()) return;
  const picoseconds earliest = open_.earliest_time();
  if (earliest <= now_) {
    search_again(now_);
  } else {
    next_.set(timer_, earliest);
    disturbed_ = true;
  }
}

}  // namespace sennit::sim
