// SPDX-License-Identifier: Apache-2.0
// How a worker looks for work, and sleeps where there is none.
#include "policy/polling.hpp"
#include "process/perturb.hpp"
#include "system/barrier.hpp"
#include "system/nanoseconds.hpp"
#include "system/relax.hpp"
#include "worker/polling.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace sennit::detail {

void worker::announce_work() noexcept { core_.call_for_work(nullptr); }

unsigned worker::find_idle(worker** found, unsigned room, color_set colors) const noexcept {
  // Where nobody searches, one look will do.
  if (core_.searching().load(std::memory_order_relaxed) == 0) return 0;
  const region_state* const region = running_->innermost->region;
  unsigned idle = 0;
  core_.searchers().each_after(index_, core_.worker_count(), [&](unsigned seat) {
    worker& other = core_.worker_at(seat);
    if (other.mail_.awaits() && other.takes(colors) && other.frames_.wish().now().admits(region)) {
      found[idle++] = &other;
    }
    return idle < room;
  });
  return idle;
}

bool worker::post(frame& posted) noexcept {
  posted.stolen().box = &mail_;
  if (mail_.post(posted, current()->index_)) return true;
  posted.stolen().box = nullptr;
  return false;
}

void worker::pass_on(frame& handed) noexcept {
  // The frame is not posted to a worker that has none of its colors, because that worker's steal rules may forbid it.
  const color_set colors = handed.stolen().colors;
  worker* idle = nullptr;
  while (find_idle(&idle, 1, colors) != 0) {
    if (idle->post(handed)) {
      frames_.handed_on();
      at_hand_.fill();  // for the next one, while the other worker begins with this one
      return;
    }
  }
  frames_.listed().add(handed);
  frames_.handed_on();
  announce_work();
}

bool worker::takes_own_only() const noexcept {
  const std::uint64_t until = own_only_until_ns_.load(std::memory_order_relaxed);
  return until != 0 && core_.coloring().any() && now_ns() < until;
}

bool worker::takes(color_set colors) const noexcept {
  return colors == all_colors || (core_.bit_of(*this) & colors) != 0 || !takes_own_only();
}

// What the next attempt to steal may take.
wanted worker::next_wanted() noexcept {
  wanted what = frames_.wish().now();
  if (takes_own_only()) [[unlikely]]
    what.colors = core_.bit_of(*this);
  return what;
}

frame* worker::try_steal_any(bool insist) noexcept {
  if (frame* const donated = frames_.listed().take_donated(*this)) {
    if (!donated->stolen().is_strand) counts.steals.fetch_add(1, std::memory_order_relaxed);
    return donated;
  }
  if (core_.coloring().any()) [[unlikely]] {
    if (frame* const strand = join_colored()) return strand;
  }
  // Before what has not begun: such a strand has a stack, and others may wait for what it has.
  if (core_.going_on().load(std::memory_order_relaxed) != 0) [[unlikely]] {
    if (frame* const strand = take_going_on()) return strand;
  }
  if (frame* const own = frames_.listed().take(next_wanted(), insist)) return own;
  const unsigned count = core_.worker_count();
  if (count < 2) return nullptr;
  for (unsigned attempt = 1; attempt < count; ++attempt) {
    // Who has woken this worker has seen work there.
    const unsigned seen_at = std::exchange(hint_, no_seat);
    worker& victim =
        core_.worker_at(seen_at < count && seen_at != index_ ? seen_at : victims_.next(count, index_));
    perturb();
    if (frame* const stolen = victim.frames_.steal(insist, next_wanted(), at_hand_)) {
      counts.steals.fetch_add(1, std::memory_order_relaxed);
      source_ = victim.index_;
      return stolen;
    }
  }
  return nullptr;
}

frame* worker::take_going_on() noexcept {
  const unsigned count = core_.worker_count();
  for (unsigned i = 0; i < count; ++i) {
    if (frame* const first = core_.worker_at((index_ + i) % count).frames_.listed().take_first(next_wanted()))
      return first;
  }
  return nullptr;
}

// One more strand for a run that has posted something.
frame* worker::join_colored() noexcept {
  at_hand_.fill();
  frame* const strand = core_.coloring().join(*this, takes_own_only());
  if (strand != nullptr) counts.steals.fetch_add(1, std::memory_order_relaxed);
  return strand;
}

frame* worker::next_frame() noexcept {
  if (first_ != nullptr) return std::exchange(first_, nullptr);
  begin_search();
  frame* const found = search();
  end_search();
  if (found != nullptr) {
    found_work();
  } else {
    wake_more();
  }
  return found;
}

void worker::begin_search() noexcept {
  count_searching(1);
  mail_.open();
  core_.searchers().add(index_);
  idle_.store(true, std::memory_order_relaxed);
  if (core_.coloring().any()) core_.add_idle_colors(*this);
}

// It has other work, or is leaving.
void worker::end_search() noexcept {
  idle_.store(false, std::memory_order_relaxed);
  core_.searchers().remove(index_);
  if (frame* const posted = mail_.close()) {
    frames_.listed().add(*posted);
    announce_work();
  }
  count_searching(-1);
}

// While this count is above zero, a strand that begins treats it as a request. The reason: its first fork may come before
// this worker has asked.
void worker::count_searching(int more) noexcept {
  core_.searching().fetch_add(more, std::memory_order_relaxed);
}

// More parts of a loop that has been dealt out may follow soon.
void worker::wait_at_the_mailbox() const noexcept {
  for (unsigned i = 0; i < policy::patience::rounds_at_the_mailbox; ++i) {
    if (mail_.has_frame() || leaving()) return;
    relax();
  }
}

frame* worker::search() noexcept {
  if (std::exchange(dealt_, false)) wait_at_the_mailbox();
  const policy::patience::search patience(core_.worker_count() - 1);
  unsigned looks = 0;
  for (unsigned rounds = 0; !leaving();) {
    if (frame* const posted = look_into_mailbox()) return posted;
    if (frame* const stolen = try_steal_any(patience.insists(rounds))) return stolen;
    if (events_awaited()) [[unlikely]]
      poll_events();
    switch (patience.after(++rounds)) {
      case policy::patience::step::spin: relax(); break;
      case policy::patience::step::yield: sched_yield(); break;
      case policy::patience::step::sleep:
        if (events_awaited() && looks++ < policy::polling::rounds_before_sleep(core_.worker_count() - 1)) {
          sched_yield();
          break;
        }
        looks = 0;
        if (frame* const posted = stop_searching()) return posted;
        rounds = 0;
        break;
    }
  }
  return nullptr;
}

frame* worker::look_into_mailbox() noexcept {
  if (!mail_.has_frame()) return nullptr;
  mail_.prefetch();
  perturb();
  frame* const posted = take_posted();
  if (posted == nullptr) mail_.open();  // the thread that posted it has withdrawn it
  return posted;
}

// Sleeps, unless a frame has been posted meanwhile.
frame* worker::stop_searching() noexcept {
  count_searching(-1);
  frame* const posted = take_posted();
  if (posted == nullptr) {
    if (!nap_until_beat()) sleep();
    mail_.open();
  }
  count_searching(1);
  return posted;
}

// Closes the mailbox.
frame* worker::take_posted() noexcept {
  frame* const posted = mail_.close();
  if (posted == nullptr) return nullptr;
  counts.steals.fetch_add(1, std::memory_order_relaxed);
  dealt_ = posted->stolen().dealt;
  source_ = mail_.from();
  return posted;
}

void worker::found_work() noexcept {
  patience_.found_work();
  if (own_only_until_ns_.load(std::memory_order_relaxed) != 0) take_own_only_until(0);
  wake_more();
}

// The wake that this worker owns has landed. While it was in flight, pushes elsewhere found it so and woke
// nobody.
void worker::wake_more() noexcept {
  if (std::exchange(owns_wake_, false)) core_.wake_more();
}

// Where there may be work that nobody can have before the next beat, or before its worker is late, to arm the gates
// would disturb its owner for nothing.
bool worker::nap_until_beat() noexcept {
  const std::uint64_t now = now_ns();
  std::uint64_t wait = policy::patience::longest_nap_ns;
  bool known = false;
  const unsigned count = core_.worker_count();
  for (unsigned i = 0; i < count; ++i) {
    worker_frames& other = core_.worker_at(i).frames_;
    for (const std::uint64_t next : {other.promotions().next_ns(), other.listed().donation_opens_ns()}) {
      if (next <= now) continue;
      known = true;
      wait = std::min(wait, next - now);
    }
  }
  if (known) parking().park(std::chrono::nanoseconds(wait));
  return known;
}

void worker::sleep() noexcept {
  core_.insist_on_threads();
  if (owns_wake_) {
    woken_in_vain();
    if (watch()) return;
    give_up_wake();
  }
  core_.falls_asleep(*this);
  perturb();
  const bool rested = core_.has_listener();
  if (rested) core_.note_rest(*this);
  const bool saw_work =
      core_.arm_gates(frames_.wish().now()) || frames_.listed().has_donation(*this) || park_until_called();
  if (rested) core_.note_return(*this);
  if (core_.wakes_up(*this, saw_work)) owns_wake_ = true;
  hint_ = std::exchange(sleep_place_.seen_at, no_seat);
}

void worker::woken_in_vain() noexcept {
  patience_.woken_in_vain();
  counts.vain_wakes.fetch_add(1, std::memory_order_relaxed);
}

void worker::give_up_wake() noexcept {
  if (is_guest()) {
    // Others may want what it may not take.
    wake_more();
  } else {
    owns_wake_ = false;
    core_.asleep().landed();
  }
}

// As long as forks come and go before anybody can come for them, one worker looks now and then
// whether there is one that lasts, so that none of them needs to wake anybody. It keeps its wake: to pushes,
// it is still on its way. True: there may be work.
bool worker::watch() noexcept {
  sleepers& asleep = core_.asleep();
  if (is_guest()) return false;
  bool called = false;
  bool lasts = false;
  while (!called && !lasts && !leaving()) {
    if (!asleep.begin_watch(sleep_place_)) return false;
    // No barrier: a push that misses it is seen later.
    core_.ask_for_wakes();
    called = parking().park(std::chrono::nanoseconds(patience_.nap_ns()));
    const worker_frames::watched seen = core_.look_again();
    asleep.end_watch(sleep_place_);
    lasts = seen.lasts || frames_.listed().any_donation();
    if (!patience_.goes_on_after_nap(seen.met)) break;
  }
  return called || lasts;
}

// Sleeps until somebody calls; true if there turned out to be work first.
bool worker::park_until_called() noexcept {
  if (leaving()) return false;
  if (core_.barrier() == steal_barrier::fence) {
    // ORD[D5] Without a barrier that reaches the owners, a push that was under way when the gates were shut
    // may have missed that, and been missed. Its store is visible by now or will be soon: look once more
    // before sleeping.
    constexpr auto settled = std::chrono::milliseconds(1);
    const bool called = parking().park(settled);
    if (core_.work_in_sight(frames_.wish().now())) return true;
    if (called) return false;
  }
  if (frames_.listed().any_donation()) {
    // It is not the donation's turn yet. The worker looks now and then whether the turn has come.
    parking().park(std::chrono::nanoseconds(policy::patience::longest_wait_for_turn_ns));
    return false;
  }
  if (begin_event_watch()) {
    const bool called = poll_until_called();
    end_event_watch();
    if (called) return false;
  }
  if (parking().park(std::chrono::nanoseconds(policy::patience::idle_before_trimming_ns))) return false;
  pool_.trim();
  spare_.trim();
  core_.fibers().take_surplus(pool_, 1);
  if (!tidy_until_called()) parking().park();
  return false;
}

// While events from outside are awaited, one sleeping worker wakes now and then and looks for them. Returns true if somebody
// has called, as whoever lets a strand go on does.
bool worker::poll_until_called() noexcept {
  policy::polling pace;
  while (events_awaited()) {
    if (parking().park(std::chrono::nanoseconds(pace.nap_ns()))) return true;
    if (poll_events() != 0) pace.found_events();
  }
  return false;
}

// While the pool has too many stacks, one sleeping worker wakes now and then and unmaps the unused ones. So a thread that
// leaves stacks behind later need not tell anybody. Returns true if somebody has called.
bool worker::tidy_until_called() noexcept {
  while (core_.begin_tidying()) {
    bool called = false;
    do {
      called = parking().park(std::chrono::nanoseconds(policy::patience::between_tidying_ns));
    } while (!called && !core_.tidy());
    core_.end_tidying();
    if (called) return true;
  }
  return false;
}

}  // namespace sennit::detail
