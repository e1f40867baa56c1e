// SPDX-License-Identifier: Apache-2.0
#include "schedule/execution.hpp"

#include "policy/lateness.hpp"
#include "policy/roles.hpp"
#include "system/nanoseconds.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/failure.hpp>

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace sennit::detail {

namespace {

using list = std::vector<steal>;

const step* plan_of(const cursor_level& level) noexcept { return static_cast<const step*>(level.plan); }

void set_plan(cursor_level& level, const step* from) noexcept {
  while (from != nullptr && from->at < level.begun) ++from;
  level.plan = from;
  level.awaited = from != nullptr ? from->at : nowhere;
}

// The list of a level. It is made when there is something to note.
list& notes_of(cursor_level& level) {
  if (level.notes == nullptr) level.notes = new list;
  return *static_cast<list*>(level.notes);
}

list take_notes(cursor_level& level) noexcept {
  const std::unique_ptr<list> notes(static_cast<list*>(std::exchange(level.notes, nullptr)));
  if (!notes) return {};
  // Children of groups are noted late, and note() puts lists together in any order.
  if (!std::ranges::is_sorted(*notes, {}, &steal::at)) std::ranges::sort(*notes, {}, &steal::at);
  return std::move(*notes);
}

// The plan's entry for the construct at that position. The strand then goes on to the entry behind it.
const steal* planned_of(const whereabouts& where) noexcept {
  const auto* const next = static_cast<const step*>(where.plan);
  return next != nullptr && next[-1].at == where.position ? next[-1].of : nullptr;
}

// The place in a loop of `to` iterations that corresponds to one in a loop of `from`.
std::uint64_t in_proportion(std::uint64_t place, std::uint64_t from, std::uint64_t to) noexcept {
  if (from == to || from == 0) return place;
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(place) * to / from);
}

// The cuts of a loop, as they were planned for another length.
void fit_cuts(list& inside, std::uint64_t from, std::uint64_t to) {
  std::vector<list*> lists{&inside};
  while (!lists.empty()) {
    list& forks = *lists.back();
    lists.pop_back();
    for (steal& node : forks) {
      if (node.what != steal::kind::fork) continue;
      node.cut = in_proportion(node.cut, from, to);
      lists.push_back(&node.inside);
    }
  }
}

std::uint64_t cut_of(const steal* planned) noexcept { return planned != nullptr ? planned->cut : 0; }

// The number of a donation in a relaxed replay: whose it is, how many donations to that role had not begun when it
// came, and when it came, in microseconds since the region's beginning.
struct donation_number {
  std::uint32_t role;
  std::uint32_t before;
  std::uint64_t came_us;

  static constexpr unsigned time_bits = 40;  // twelve days
  static constexpr unsigned before_bits = 8;
  static constexpr std::uint64_t low(unsigned bits) noexcept { return (std::uint64_t{1} << bits) - 1; }

  std::uint64_t packed() const noexcept {
    return (std::uint64_t{role} << (time_bits + before_bits)) |
           (std::min<std::uint64_t>(before, low(before_bits)) << time_bits) | (came_us & low(time_bits));
  }
  static donation_number of(std::uint64_t number) noexcept {
    return {.role = static_cast<std::uint32_t>(number >> (time_bits + before_bits)),
            .before = static_cast<std::uint32_t>(number >> time_bits & low(before_bits)),
            .came_us = number & low(time_bits)};
  }
};

// To a time that may be older than another thread's.
void raise(std::atomic<std::uint64_t>& latest, std::uint64_t time) noexcept {
  std::uint64_t before = latest.load(std::memory_order_relaxed);
  while (before < time && !latest.compare_exchange_weak(before, time, std::memory_order_relaxed)) {
  }
}

// If nothing was noted about a wait, the strand did not wait.
bool was_waiting(const steal* planned) noexcept { return planned != nullptr && planned->waited; }

}  // namespace

struct execution::strand_note {
  event begun;
  span_of_time ran;
  std::uint32_t home = 0;        // the role that the plan has the strand on
  std::uint32_t waiting = 0;     // the role that the strand had when it last began to wait
  std::uint32_t designated = 0;  // for the branch of the next construct
  bool where_planned = false;    // its branch was donated to the worker, or is the region
  std::uint64_t constructs = 0;  // at its outermost level, and on that level before the strand began
  const void* plan = nullptr;    // what is followed on that level from there on
  list notes;

  ~strand_note() { take_apart(std::move(notes)); }
};

void execution::begin(trace_cursor& cursor, frame* branch) noexcept {
  active_.fetch_add(1, std::memory_order_relaxed);
  if (branch == nullptr) meet_workers();
  cursor_level& level = cursor.level();
  const step* from = plan_ != nullptr ? plan_->root() : nullptr;
  if (branch != nullptr) {
    const whereabouts where = branch->where();
    level.begun = where.within ? 0 : where.position + 1;
    from = static_cast<const step*>(where.plan);
  }
  set_plan(level, from);
  const event begun = next_event(role_of(*worker::current()));
  auto* const note = new (std::nothrow) strand_note;
  cursor.note = note;
  if (note == nullptr) {
    lost_.store(true, std::memory_order_relaxed);
    return;
  }
  note->begun = begun;
  note->home = begun.role;
  if (relaxed()) begin_relaxed(*note, branch);
  processors_.serve(begun.role);
  if (timed()) note->ran.begin = now_ns() - begun_ns_;
}

void execution::meet_workers() noexcept {
  caller_ = worker::current();
  core_ = &caller_->core();
  begun_ns_ = now_ns();
  roles_ = core_->numbered_workers();
  earlier_strand_ns_ = core_->latest_strand_ns().load(std::memory_order_relaxed);
  may_be_crowded_ =
      relaxed() && roles_ > core_->processors() && processors_.begin(core_->processors(), roles_);
  first_number_ = core_->number_of(*caller_) % roles_;
  states_.reset(new (std::nothrow) role_state[roles_]);
  if (!states_) lost_.store(true, std::memory_order_relaxed);
}

std::uint32_t execution::role_of(const worker& w) const noexcept {
  return role_of_number(core_->number_of(w));
}

std::uint32_t execution::role_here(std::uint32_t planned) const noexcept {
  return policy::role_here(planned, plan_->roles(), roles_);
}

worker& execution::worker_of(std::uint32_t role) const noexcept {
  role %= roles_;
  if (role == 0) return *caller_;
  return core_->numbered((role + first_number_) % roles_);
}

event execution::next_event(std::uint32_t role) noexcept {
  progress_.fetch_add(1, std::memory_order_relaxed);
  return {.role = role,
          .sequence = states_ ? states_[role].events.fetch_add(1, std::memory_order_relaxed) : 0};
}

void execution::end(trace_cursor& cursor, frame* branch) noexcept {
  active_.fetch_sub(1, std::memory_order_relaxed);
  auto* const note = static_cast<strand_note*>(std::exchange(cursor.note, nullptr));
  cursor_level& level = cursor.level();
  if (note == nullptr) {
    take_apart(take_notes(level));
    if (branch != nullptr) branch->stolen().notes = nullptr;
    return;
  }
  if (timed()) note->ran.end = now_ns() - begun_ns_;
  if (relaxed()) strand_took(*note);
  note->constructs = level.begun;
  note->plan = level.plan;
  note->notes = take_notes(level);
  if (branch != nullptr) {
    branch->stolen().notes = note;
    return;
  }
  tree_.roles = roles_;
  tree_.length = note->ran.end;
  tree_.root = std::move(note->notes);
  delete note;
}

void execution::designate(trace_cursor& cursor, std::uint32_t role) noexcept {
  auto* const note = static_cast<strand_note*>(cursor.note);
  if (note == nullptr) return;
  note->designated = role % roles_;
  cursor.level().awaited = cursor.level().begun;
}

donee execution::reached(trace_cursor& cursor, whereabouts& where, construct) noexcept {
  cursor_level& around = cursor.around();
  if (designed()) {
    around.awaited = nowhere;
    // Even if that is the strand's own worker, as where there are fewer than it names.
    return {.to = &worker_of(static_cast<strand_note*>(cursor.note)->designated)};
  }
  const step* const here = plan_of(around);
  set_plan(around, here);
  set_plan(cursor.level(), here->inside);
  where.plan = around.plan;
  const steal& planned = *here->of;
  if (planned.cut != 0) keep_notes_of(cursor.level());
  if (!planned.taken) return {};
  worker& to = worker_of(role_here(planned.begun.role));
  if (ordered()) return {.to = &to, .number = planned.begun.sequence};
  return {.to = &to, .number = relaxed() ? number_of_donation(role_of(to)) : nowhere};
}

void execution::begin_relaxed(strand_note& note, frame* branch) noexcept {
  note.where_planned = branch == nullptr || branch->stolen().donated;
  if (!note.where_planned) return;
  keep_frames();
  if (branch == nullptr) return;
  if (branch->stolen().number == nowhere || !states_) return;
  note.home = donation_number::of(branch->stolen().number).role;
  states_[note.home].due.fetch_sub(1, std::memory_order_relaxed);
}

// What the schedule gives to others of this strand may still be on its way to them: till then they leave the strand's
// frames alone.
void execution::keep_frames() noexcept {
  if (plan_->root()->of == nullptr) return;  // a schedule of nothing
  const std::uint64_t now = now_ns();
  worker::current()->frames().promotions().keep(
      now, now + policy::lateness::before_frames_ns(strand_ns_.load(std::memory_order_relaxed)));
}

void execution::strand_took(const strand_note& note) noexcept {
  worker::current()->frames().promotions().keep_no_longer();
  // What others took from a late strand is less than a strand.
  if (!note.where_planned) return;
  const span_of_time& ran = note.ran;
  // Of two that end at once, one may be forgotten.
  const std::uint64_t average =
      policy::lateness::strand_ns(strand_ns_.load(std::memory_order_relaxed), ran.end - ran.begin);
  strand_ns_.store(average, std::memory_order_relaxed);
  core_->latest_strand_ns().store(average, std::memory_order_relaxed);
}

// In a crowd, the first strands have more time if those of the regions before took more. They differ in any way: else, a
// thief that waits in vain would leave a processor idle.
std::uint64_t execution::strand_ns(policy::lateness::crowd among) const noexcept {
  const std::uint64_t known = strand_ns_.load(std::memory_order_relaxed);
  if (known != 0 || among != policy::lateness::crowd::present) return known;
  return std::max(earlier_strand_ns_, policy::lateness::unknown_in_crowd_ns);
}

policy::lateness::crowd execution::crowd_since(std::uint64_t since, std::uint64_t now) noexcept {
  using crowd = policy::lateness::crowd;
  if (!may_be_crowded_) return crowd::none;
  // Who has been called for a donation may be waiting for a processor.
  const auto busy = [this](std::uint32_t role) {
    return !worker_of(role).is_idle() || (states_ && states_[role].due.load(std::memory_order_relaxed) != 0);
  };
  if (processors_.all_in_use(now, busy)) return crowd::present;
  return processors_.last_all_in_use_ns() >= since ? crowd::past : crowd::none;
}

std::uint64_t execution::number_of_donation(std::uint32_t role) noexcept {
  if (!states_) return nowhere;
  const std::uint32_t before = states_[role].due.fetch_add(1, std::memory_order_relaxed);
  return donation_number{.role = role, .before = before, .came_us = (now_ns() - begun_ns_) / 1000}.packed();
}

std::uint64_t execution::opens_ns(std::uint64_t number) noexcept {
  const donation_number donation = donation_number::of(number);
  const std::uint64_t came = begun_ns_ + donation.came_us * 1000;
  const policy::lateness::crowd among = crowd_since(came, now_ns());
  return came + policy::lateness::before_donation_ns(strand_ns(among), donation.before, among);
}

// In a crowd, that is when to ask again.
std::uint64_t execution::frames_open_ns(std::uint64_t since) noexcept {
  const std::uint64_t now = now_ns();
  const policy::lateness::crowd among = crowd_since(since, now);
  const std::uint64_t opens = since + policy::lateness::before_frames_ns(strand_ns(among), among);
  const bool may_change = among == policy::lateness::crowd::present;
  return may_change ? std::min(opens, now + policy::lateness::between_looks_ns) : opens;
}

// What follows in the loop is counted from its cuts on, so they are noted even if nothing happens there.
void execution::keep_notes_of(cursor_level& level) noexcept {
  if (!recorded_ || attempt<std::bad_alloc>([&] { notes_of(level); })) return;
  lost_.store(true, std::memory_order_relaxed);
}

position execution::planned_cut(trace_cursor& cursor, position iterations) noexcept {
  const cursor_level& level = cursor.level();
  const step* const next = plan_of(level);
  if (next == nullptr || next->of == nullptr || next->at != level.begun) return 0;
  return in_proportion(next->of->cut, next->loop, iterations);
}

void execution::follow(trace_cursor& cursor, const whereabouts& where) noexcept {
  set_plan(cursor.level(), static_cast<const step*>(where.plan));
}

// In a region with many constructs, a list may be long, and so may be what follows a branch. So nothing is moved
// more often than a logarithm of their lengths.
void execution::note(cursor_level& level, steal&& node, list* following) noexcept {
  if (!recorded_) return;
  const bool noted = attempt<std::bad_alloc>([&] {
    list& notes = notes_of(level);
    if (following != nullptr && following->size() > notes.size()) notes.swap(*following);
    notes.push_back(std::move(node));
    if (following != nullptr)
      notes.insert(notes.end(), std::move_iterator(following->begin()), std::move_iterator(following->end()));
  });
  if (noted) return;
  lost_.store(true, std::memory_order_relaxed);
  take_apart(std::move(node.inside));
}

void execution::kept(trace_cursor& cursor, const whereabouts& where, position size) noexcept {
  const steal::kind what = size != 0      ? steal::kind::loop
                           : where.within ? steal::kind::child
                                          : steal::kind::fork;
  const steal* const planned = planned_of(where);
  steal node{.what = what,
             .at = where.position,
             .size = size,
             .site = std::exchange(cursor.site, 0),
             .inside = take_notes(cursor.left())};
  if (what == steal::kind::fork) node.cut = cut_of(planned);
  if (size != 0 && planned != nullptr && planned->size != size &&
      !attempt<std::bad_alloc>([&] { fit_cuts(node.inside, planned->size, size); })) {
    lost_.store(true, std::memory_order_relaxed);
  }
  note(cursor.level(), std::move(node), nullptr);
}

void execution::dropped(trace_cursor& cursor) noexcept {
  gaps_.store(true, std::memory_order_relaxed);
  take_apart(take_notes(cursor.left()));
}

void execution::waits(trace_cursor& cursor, const whereabouts& where) noexcept {
  active_.fetch_sub(1, std::memory_order_relaxed);
  begin_wait(cursor, where);
}

void execution::begin_wait(trace_cursor& cursor, const whereabouts& where) noexcept {
  if (relaxed()) worker::current()->frames().promotions().keep_no_longer();
  auto* const note = static_cast<strand_note*>(cursor.note);
  if (note == nullptr || !states_) return;
  note->waiting = role_of(*worker::current());
  if (ordered() && !was_waiting(planned_of(where))) {
    states_[note->waiting].holds.fetch_add(1, std::memory_order_relaxed);
  }
}

void execution::note_wait(trace_cursor& cursor, const whereabouts& where, steal& node,
                          pause waited) noexcept {
  active_.fetch_add(1, std::memory_order_relaxed);
  end_wait(cursor, where, node, waited);
}

void execution::end_wait(trace_cursor& cursor, const whereabouts& where, steal& node, pause waited) noexcept {
  auto* const note = static_cast<strand_note*>(cursor.note);
  if (note == nullptr || !states_) return;
  node.waited = go_on(*note, planned_of(where), waited.suspended);
  if (!node.waited) return;
  node.resumed = next_event(role_of(*worker::current()));
  if (recorded_) node.paused = {.begin = waited.begin - begun_ns_, .end = now_ns() - begun_ns_};
}

void execution::joined(trace_cursor& cursor, frame& branch, pause waited) noexcept {
  const std::unique_ptr<strand_note> taken(
      static_cast<strand_note*>(std::exchange(branch.stolen().notes, nullptr)));
  steal node{.taken = true,
             .at = branch.where().position,
             .site = std::exchange(cursor.site, 0),
             .cut = cut_of(planned_of(branch.where())),
             .inside = take_notes(cursor.left())};
  note_wait(cursor, branch.where(), node, waited);
  cursor_level& level = cursor.level();
  if (!taken || branch.where().position == nowhere) {
    lost_.store(true, std::memory_order_relaxed);
    take_apart(std::move(node.inside));
    return;
  }
  node.begun = taken->begun;
  node.ran = taken->ran;
  level.begun = std::max(level.begun, taken->constructs);
  if (taken->plan != nullptr) level.plan = taken->plan;
  set_plan(level, plan_of(level));
  note(level, std::move(node), &taken->notes);
}

void execution::regrouped(trace_cursor& cursor, const whereabouts& where, pause waited) noexcept {
  steal node{.what = steal::kind::wait, .at = where.position};
  note_wait(cursor, where, node, waited);
  if (node.waited && where.position != nowhere) note(cursor.level(), std::move(node), nullptr);
}

void execution::joined_child(trace_cursor& cursor, frame& child) noexcept {
  const std::unique_ptr<strand_note> taken(
      static_cast<strand_note*>(std::exchange(child.stolen().notes, nullptr)));
  if (!taken || child.where().position == nowhere) {
    lost_.store(true, std::memory_order_relaxed);
    return;
  }
  note(cursor.level(),
       {.what = steal::kind::child,
        .taken = true,
        .at = child.where().position,
        .site = reinterpret_cast<std::uintptr_t>(child.code()),
        .begun = taken->begun,
        .ran = taken->ran,
        .inside = std::move(taken->notes)},
       nullptr);
}

const graph_record* execution::graph_begins(trace_cursor& cursor, whereabouts& where) noexcept {
  if (cursor.push(where)) (void)reached(cursor, where, {});
  const steal* const planned = planned_of(where);
  const graph_record* const record = planned != nullptr ? planned->nodes.get() : nullptr;
  return record != nullptr && !record->nodes.empty() ? record : nullptr;
}

void execution::waits_for_graph(trace_cursor& cursor, const whereabouts& where) noexcept {
  if (cursor.pop()) take_apart(take_notes(cursor.left()));
  begin_wait(cursor, where);
}

// The strand counts as one that does not wait: the graph goes on, although no event says so.
void execution::graph_ended(trace_cursor& cursor, const whereabouts& where, span_of_time ran,
                            std::shared_ptr<const graph_record> nodes) noexcept {
  steal node{.what = steal::kind::graph, .at = where.position, .nodes = std::move(nodes)};
  end_wait(cursor, where, node, {.suspended = true, .begin = ran.begin, .end = ran.end});
  if (where.position != nowhere) note(cursor.level(), std::move(node), nullptr);
}

void execution::graph_kept(trace_cursor& cursor, const whereabouts& where) noexcept {
  if (!cursor.pop()) return;
  note(cursor.level(),
       {.what = steal::kind::graph, .at = where.position, .inside = take_notes(cursor.left())}, nullptr);
}

// The strand has waited. Has it go on where the plan says, and returns whether that counts as a resumption.
bool execution::go_on(strand_note& note, const steal* planned, bool suspended) noexcept {
  if (strict()) return go_on_as_planned(planned, note.waiting);
  return relaxed() ? go_on_if_idle(note, planned, suspended) : suspended;
}

// What follows is for the workers that it is planned for only if the strand is where the plan has it. But nothing waits
// for a worker that has other work.
bool execution::go_on_if_idle(strand_note& note, const steal* planned, bool suspended) noexcept {
  if (was_waiting(planned)) note.home = role_here(planned->resumed.role);
  worker& home = worker_of(note.home);
  const bool moves = worker::current() != &home && home.frames().look().strand == nullptr;
  if (moves) worker::current()->donate_strand(home, nowhere);
  keep_frames();
  return suspended || moves;
}

// Has the strand go on on the role on which it continued when the plan was recorded. `waited_as` says whether that
// counts as a resumption.
bool execution::go_on_as_planned(const steal* planned, std::uint32_t waited_as) noexcept {
  if (!was_waiting(planned)) {
    worker& before = worker_of(waited_as);
    if (worker::current() != &before) worker::current()->donate_strand(before, nowhere);
    if (ordered()) states_[waited_as].holds.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  worker& to = worker_of(role_here(planned->resumed.role));
  const bool in_turn = !ordered() || may_begin(to, planned->resumed.sequence);
  if (worker::current() != &to || !in_turn) {
    // A strand in a list of donations does not count as active: its turn may never come, and stalled() has
    // to detect that.
    active_.fetch_sub(1, std::memory_order_relaxed);
    worker::current()->donate_strand(to, ordered() ? planned->resumed.sequence : nowhere);
    active_.fetch_add(1, std::memory_order_relaxed);
  }
  return true;
}

bool execution::may_begin(worker& by, std::uint64_t number) noexcept {
  if (!strict() || !states_ || disordered()) return true;
  const role_state& role = states_[role_of(by)];
  return number <= role.events.load(std::memory_order_relaxed) &&
         role.holds.load(std::memory_order_relaxed) == 0;
}

void execution::none_may_begin(worker& by) noexcept {
  if (!strict() || !states_ || disordered()) return;
  states_[role_of(by)].in_vain_ns.store(now_ns(), std::memory_order_relaxed);
  if (stalled()) disordered_.store(true, std::memory_order_relaxed);
}

// The program may differ from the recorded one, so that the order may require what never happens. If nothing can begin
// any more, the region no longer follows the order. What can begin may take long to do so on a busy machine: so all
// strands wait, all workers search, and then each has looked at its donations. If a worker is away for long, as in
// another region, nobody knows.
bool execution::stalled() noexcept {
  constexpr std::uint64_t patience_ns = 50'000'000;
  constexpr std::uint64_t longest_ns = 2'000'000'000;
  // Before all else is read: this thread may have no processor for a while in between.
  const std::uint64_t now = now_ns();
  const std::uint64_t progress = progress_.load(std::memory_order_relaxed);
  if (active_.load(std::memory_order_relaxed) > 0 ||
      progress != progress_seen_.load(std::memory_order_relaxed)) {
    progress_seen_.store(progress, std::memory_order_relaxed);
    raise(seen_ns_, now);
    raise(idle_since_ns_, now);
    return false;
  }
  if (!all_idle()) raise(idle_since_ns_, now);
  const std::uint64_t since = idle_since_ns_.load(std::memory_order_relaxed) + patience_ns;
  if (now >= since && all_in_vain(since)) return true;
  return now >= seen_ns_.load(std::memory_order_relaxed) + longest_ns;
}

bool execution::all_idle() const noexcept {
  for (std::uint32_t role = 0; role < roles_; ++role)
    if (!worker_of(role).is_idle()) return false;
  return true;
}

// Whether each worker with donations has found since then that none of them is in turn.
bool execution::all_in_vain(std::uint64_t since) const noexcept {
  for (std::uint32_t role = 0; role < roles_; ++role) {
    const bool waits = worker_of(role).frames().listed().any_donation();
    if (waits && states_[role].in_vain_ns.load(std::memory_order_relaxed) < since) return false;
  }
  return true;
}

steal_tree execution::take() {
  if (lost_.load(std::memory_order_relaxed)) fail_for_memory();
  if (gaps_.load(std::memory_order_relaxed)) number_events(tree_);
  return std::move(tree_);
}

}  // namespace sennit::detail
