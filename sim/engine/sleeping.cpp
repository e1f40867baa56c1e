// SPDX-License-Identifier: Apache-2.0
// Workers that sleep, and who wakes them: docs/protocols/sleep.md.
#include "engine/simulation.hpp"
#include "policy/wakes.hpp"

#include <algorithm>

namespace sennit::sim {

// A worker that was woken in vain looks now and then whether something lasts; the others sleep.
void simulation::fall_asleep(worker& w) {
  set_searching(w, false);
  if (w.owns_wake) {
    (void)wake_for_parts(w);
    w.patience.woken_in_vain();
    ++result_.vain_wakes;
    if (watcher_ == how_.workers) {
      nap(w);
      return;
    }
    w.owns_wake = false;
    --in_flight_;
  }
  w.now = phase::drowsy;
  w.called = false;
  sleepers_.push_back(w.index);
  const bool barrier = arm_gates(w, true);
  (void)barrier;
  set_time(w.index, w.time);
}

// Shuts the push gates of all others. True: one was open.
bool simulation::arm_gates(worker& w, bool barrier) {
  bool any = false;
  const picoseconds now = w.time;
  picoseconds latest = 0;
  for (worker& other : workers_) {
    if (!other.wake_wanted) {
      other.wake_wanted = true;
      other.wake_wanted_since = now;
      other.waking.forget();
      any = true;
    }
    latest = std::max(latest, other.wake_wanted_since);
  }
  spend(w, activity::waking, how_.workers * w.look);
  // A barrier that has begun since then will do.
  if (barrier && how_.by != steal::fence && (any || barrier_begin_ < latest))
    spend(w, activity::waking, begin_barrier(w.time) - w.time);
  return any;
}

bool simulation::work_in_sight() const noexcept { return with_work_ > 0 || posted_ > 0; }

void simulation::look_once_more(worker& w) {
  if (w.called || work_in_sight() || !w.donated.empty()) {
    std::erase(sleepers_, w.index);
    // It may take one frame of several: so it counts as woken, and will look again.
    if (in_flight_ == 0) {
      in_flight_ = 1;
      w.owns_wake = true;
    }
    begin_search(w);
    return;
  }
  spend(w, activity::waking, costs_.park);
  w.now = phase::asleep;
  set_time(w.index, never);
}

void simulation::wake_up(worker& w) {
  catch_up(w, strict() ? activity::searching : activity::asleep, now_);
  begin_search(w);
}

void simulation::nap(worker& w) {
  watcher_ = w.index;
  w.called = false;
  arm_gates(w, false);
  w.now = phase::napping;
  set_time(w.index, w.time + w.patience.nap_ns() * nanosecond);
}

void simulation::end_nap(worker& w) {
  catch_up(w, activity::asleep, now_);
  bool lasts = false;
  bool met = false;
  for (worker& other : workers_) {
    met = met || !other.wake_wanted || other.waking.noted();
    lasts = lasts || !other.listed.empty() ||
            (other.wake_wanted && is_running(other) && latent(other) &&
             other.waking.lasts(ns(w.time), ns(other.wake_wanted_since), other.latent.epoch(),
                                other.latent.head(), other.latent.tail()));
  }
  spend(w, activity::waking, how_.workers * w.look);
  if (watcher_ == w.index) watcher_ = how_.workers;
  const bool goes_on = w.patience.goes_on_after_nap(met);
  if (w.called || lasts) {
    begin_search(w);
  } else if (goes_on && watcher_ == how_.workers) {
    nap(w);
  } else {
    w.owns_wake = false;
    --in_flight_;
    fall_asleep(w);
  }
}

// A push, or a claim, of a strand whose gate sleepers have shut.
void simulation::met_push_gate(worker& w, bool pushed) {
  if (!w.wake_wanted) return;
  const bool watched = watcher_ != how_.workers;
  using verdict = policy::waking::verdict;
  const verdict said = w.waking.met(watched, pushed, watched ? ns(w.time) : 0, w.latent.epoch(),
                                    w.latent.head(), w.latent.tail());
  w.wake_wanted = said == verdict::wait;
  if (said == verdict::wake) call_for_work(w);
}

// While a wake is in flight, who owns it will look.
void simulation::call_for_work(worker& w) {
  if (how_.broken == fault::no_wakes) return;
  switch (policy::who_is_called(in_flight_ > 0, watcher_ != how_.workers)) {
    case policy::called::nobody: return;
    case policy::called::watcher: call_watcher(w); return;
    case policy::called::latest_sleeper: break;
  }
  if (sleepers_.empty()) return;
  const unsigned latest = sleepers_.back();
  spend(w, activity::waking, costs_.wake_call);
  call(w, latest, w.index);
}

void simulation::call_watcher(worker& w) {
  worker& watcher = workers_[watcher_];
  watcher_ = how_.workers;
  watcher.called = true;
  ++result_.wakes;
  spend(w, activity::waking, costs_.wake_call);
  set_time(watcher.index, std::min(next_.at(watcher.index), w.time + costs_.wake_latency));
}

void simulation::call(worker& by, unsigned sleeper, unsigned hint) {
  worker& called = workers_[sleeper];
  called.hint = hint;
  std::erase(sleepers_, sleeper);
  ++in_flight_;
  ++result_.wakes;
  called.owns_wake = true;
  if (called.now == phase::drowsy) {
    called.called = true;
    return;
  }
  called.now = phase::waking;
  set_time(sleeper, std::max(called.time, by.time + costs_.wake_latency));
}

// Its wake has led to work: there may be more for others. So wakes spread as a tree.
void simulation::wake_more(worker& w) {
  --in_flight_;
  if (wake_for_parts(w) > 0) return;
  if (!policy::wakes_more(!sleepers_.empty(), watcher_ != how_.workers) ||
      wake_for_work(w, policy::wakes_each) > 0)
    return;
  if (in_flight_ > 0) return;
  arm_gates(w, true);
  if (work_in_sight()) (void)wake_for_work(w, policy::wakes_each);
}

// Sleepers for which parts of a loop have been put aside: policy::has_part_along_places.
unsigned simulation::wake_for_parts(worker& w) {
  unsigned woken = 0;
  for (std::size_t i = sleepers_.size(); i > 0 && woken < policy::wakes_each; --i) {
    if (workers_[sleepers_[i - 1]].donated.empty()) continue;
    spend(w, activity::waking, costs_.wake_call);
    call(w, sleepers_[i - 1], w.index);
    ++woken;
  }
  return woken;
}

unsigned simulation::wake_for_work(worker& w, unsigned most) {
  const unsigned count = how_.workers;
  unsigned woken = 0;
  for (unsigned i = 0; i < count && woken < most && !sleepers_.empty(); ++i) {
    worker& other = workers_[policy::looks_for_others_at(i, w.source, count)];
    spend(w, activity::waking, std::max<picoseconds>(1, costs_.steal_miss.at(between(w, other))));
    if (!has_work_[other.index]) continue;
    const bool divisible = is_running(other) && latent(other) &&
                           records_[other.latent.oldest().of].kind == record_kind::loop_part;
    const std::size_t frames = other.listed.size() + other.latent.size();
    for (std::size_t n = policy::workers_for(frames, divisible, most - woken); n > 0 && !sleepers_.empty();
         --n, ++woken) {
      spend(w, activity::waking, costs_.wake_call);
      call(w, sleepers_.back(), other.index);
    }
  }
  return woken;
}

}  // namespace sennit::sim
