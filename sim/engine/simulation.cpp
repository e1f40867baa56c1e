// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation.hpp"

#include "engine/simulate.hpp"
#include "policy/deal.hpp"
#include "policy/splicing.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <string>
#include <utility>

namespace sennit::sim {

namespace {

options completed(const options& how, const machine& on) {
  options all = how;
  if (all.workers == 0) all.workers = on.where.cores();
  if (all.workers > on.where.cores())
    throw std::invalid_argument("simulate: " + std::to_string(all.workers) + " workers on a machine of " +
                                std::to_string(on.where.cores()) + " cores");
  if (all.follow != replay::none && all.schedule == nullptr)
    throw std::invalid_argument("simulate: a schedule is to be followed, and none is given");
  if (all.most_delayed < 0) all.most_delayed = policy::most_delayed(all.workers);
  // One thread sends the signals, one after the other.
  if (all.how == promotion::heartbeat)
    all.heartbeat = std::max(all.heartbeat, on.costs.signal_send * all.workers);
  return all;
}

}  // namespace

simulation::simulation(const program& what, const machine& on, const options& how)
    : program_(what),
      machine_(on),
      costs_(on.costs),
      how_(completed(how, on)),
      facts_(what),
      sharing_(policy::loop_sharing(how_.workers)),
      patience_(how_.workers - 1),
      next_(how_.workers + 1),
      timer_(how_.workers),
      open_(how_.workers),
      memory_(on, what.blocks()),
      searching_((how_.workers + 63) / 64),
      watcher_(how_.workers),
      has_work_(how_.workers) {
  const unsigned count = how_.workers;
  workers_.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    worker& w = workers_.emplace_back(i, count, how_.seed * 0x2545f4914f6cdd1d + i + 1);
    if (how_.how == promotion::paced) w.beats.set_period(how_.heartbeat / nanosecond);
    picoseconds all = 0;
    for (unsigned other = 0; other < count; ++other) all += costs_.steal_miss.at(on.where.between(i, other));
    w.look = std::max<picoseconds>(1, count > 1 ? all / (count - 1) : 1);
  }
  if (how_.homes != nullptr) {
    for (std::uint32_t b = 0; b < std::min<std::size_t>(what.blocks(), how_.homes->size()); ++b)
      memory_.place(b, (*how_.homes)[b]);
  }
  if (how_.follow != replay::none) read_schedule();
}

run_result simulation::run() {
  for (worker& w : workers_) {
    if (w.index == 0) continue;
    if (how_.asleep_at_first && how_.sleepers && !strict()) {
      w.now = phase::asleep;
      sleepers_.push_back(w.index);
    } else {
      begin_search(w);
    }
  }
  worker& first = workers_[0];
  first.now = phase::running;
  first.begins = program_.root();
  if (how_.how == promotion::heartbeat) first.next_beat = how_.heartbeat;
  has_lateness_ = how_.follow == replay::relaxed && how_.broken != fault::no_lateness;
  begin_planned(first);
  note_open(first);
  next_.set(0, 0);
  while (!over_) {
    const unsigned w = next_.earliest();
    const picoseconds at = next_.earliest_time();
    if (at == never) throw std::logic_error("simulate: no worker goes on, and the program has not ended");
    now_ = at;
    if (w == timer_) {
      next_.set(timer_, never);
      search_again(at);
    } else {
      step(w);
    }
  }
  finish_results();
  return std::move(result_);
}

void simulation::step(unsigned w) {
  worker& here = workers_[w];
  ++result_.events;
  switch (here.now) {
    case phase::running: {
      // As long as it is the earliest anyway.
      const unsigned second = next_.second();
      const picoseconds until = next_.at(second);
      disturbed_ = false;
      run_strand(here);
      while (!disturbed_ && !over_ && here.now == phase::running &&
             (here.time < until || (here.time == until && w < second))) {
        ++result_.events;
        run_strand(here);
      }
      break;
    }
    case phase::searching: search(here); break;
    case phase::dormant:
      leave_dormancy(here, now_);
      if (here.own_only_until != 0 && here.own_only_until <= now_) {
        here.own_only_until = 0;  // it goes on searching, for any color
      } else {
        fall_asleep(here);
      }
      break;
    case phase::fetching: {
      catch_up(here, activity::searching, now_);
      found(here, std::exchange(here.mail, frame{}));
      break;
    }
    case phase::drowsy: look_once_more(here); break;
    case phase::asleep: break;
    case phase::waking: wake_up(here); break;
    case phase::napping: end_nap(here); break;
  }
  if (here.now == phase::running || here.now == phase::searching) next_.set(w, here.time);
}

void simulation::spend(worker& w, activity what, picoseconds time, std::uint32_t site) {
  if (time == 0) return;
  if (how_.timeline)
    result_.timeline.push_back(
        {.worker = w.index, .site = site, .what = what, .begin = w.time, .end = w.time + time});
  w.result.spent[static_cast<unsigned>(what)] += time;
  w.time += time;
  w.latest = what;
  now_ = w.time;
}

void simulation::catch_up(worker& w, activity what, picoseconds until) {
  const picoseconds now = now_;
  if (until > w.time) spend(w, what, until - w.time);
  now_ = now;
}

void simulation::set_time(unsigned w, picoseconds at) {
  next_.set(w, at);
  disturbed_ = true;
}

// Until when it takes. One barrier runs at a time, and serves all who came before it began.
picoseconds simulation::begin_barrier(picoseconds now) {
  if (now < barrier_begin_) return barrier_end_;
  ++result_.barriers;
  const auto running = static_cast<unsigned>(how_.workers - sleepers_.size());
  barrier_begin_ = std::max(now, barrier_end_);
  barrier_end_ = barrier_begin_ + costs_.barrier(running);
  return barrier_end_;
}

distance simulation::between(const worker& a, const worker& b) const noexcept {
  return machine_.where.between(a.index, b.index);
}

void simulation::finish_results() {
  result_.workers_used = how_.workers;
  result_.makespan = now_;
  for (worker& w : workers_) {
    switch (w.now) {
      case phase::running: break;
      case phase::dormant: leave_dormancy(w, now_); break;
      case phase::searching:
      case phase::fetching: catch_up(w, activity::searching, now_); break;
      case phase::drowsy: catch_up(w, activity::waking, now_); break;
      case phase::asleep:
      case phase::waking:
      case phase::napping: catch_up(w, strict() ? activity::searching : activity::asleep, now_); break;
    }
    // What it began, and had not ended when the program did. That is no work.
    for (unsigned a = 1; a <= activities && w.time > now_; ++a) {
      picoseconds& spent = w.result.spent[(static_cast<unsigned>(w.latest) + a - 1) % activities];
      if (&spent == &w.result.spent[static_cast<unsigned>(activity::working)]) continue;
      const picoseconds beyond = std::min(spent, w.time - now_);
      spent -= beyond;
      w.time -= beyond;
    }
    const worker_result& r = w.result;
    result_.work += r.of(activity::working);
    result_.overhead +=
        r.of(activity::forking) + r.of(activity::stealing) + r.of(activity::barrier) + r.of(activity::waking);
    result_.strands += r.strands;
    result_.steals += r.steals;
    result_.failed_steals += r.failed_steals;
    result_.workers.push_back(r);
    const memory_counts& m = memory_.counts(w.index);
    result_.local_accesses += m.local_accesses;
    result_.remote_accesses += m.remote_accesses;
    result_.local_bytes += m.local_bytes;
    result_.remote_bytes += m.remote_bytes;
    result_.misses += m.private_misses;
  }
  result_.most_records = records_.most();
  result_.homes.resize(program_.blocks());
  for (std::uint32_t b = 0; b < program_.blocks(); ++b) result_.homes[b] = memory_.home(b);
  std::erase_if(result_.timeline, [this](const slice& s) { return s.begin >= now_; });
  for (slice& s : result_.timeline) s.end = std::min(s.end, now_);
  std::ranges::sort(result_.timeline, [](const slice& a, const slice& b) {
    return a.worker != b.worker ? a.worker < b.worker : a.begin < b.begin;
  });
  result_.schedule.workers = how_.record ? how_.workers : 0;
}

run_result simulate(const program& what, const machine& on, const options& how) {
  return simulation(what, on, how).run();
}

}  // namespace sennit::sim
