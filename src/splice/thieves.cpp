// SPDX-License-Identifier: Apache-2.0
// Rows that two splicers walk at once: how they are forked, stolen and merged. docs/protocols/splices.md has
// the rules.
#include "policy/splicing.hpp"
#include "splice/lane_fork.hpp"
#include "splice/splicer.hpp"

#include <sennit/detail/assert.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace sennit::detail {

namespace {

// For a call whose parts have been copied by a thief: nothing follows them.
arrival nothing_more(spliced_call&) noexcept { return arrival::end; }
void nothing_to_drop(spliced_call&) noexcept {}
constexpr call_kind placeholder = {
    .advance = nothing_more, .next_part = nullptr, .run = nullptr, .move = nullptr, .drop = nothing_to_drop};

}  // namespace

// Conditional sync (section 6): an iteration may begin its next parts before all iterations have ended the
// part before.
bool splicer::may_fork(row whole, std::uint32_t from, std::uint32_t middle, std::uint32_t to) {
  // A log has only the number of strands for which it was asked.
  if (whole_.workers < 2 || (log_ != nullptr && cuts_ == 0)) return false;
  // The width of rows is estimated from the depth of steps so far. Relaxed: an estimate.
  const std::uint32_t deepest = whole_.depth_of_steps.load(std::memory_order_relaxed);
  const auto steps_below = [deepest](std::uint32_t depth) {
    return std::uint64_t{1} << (deepest > depth ? std::min(deepest - depth, 31u) : 0);
  };
  if (deepest != 0) {
    const std::uint64_t rest = (to - middle) * steps_below(whole.front()->depth + 1);
    const std::uint64_t pieces = 8 * whole_.workers;
    if (!policy::row_pays_a_thief(rest, whole.size(), steps_below(0), whole_.workers)) return false;
    if (to - middle < whole.front()->parts.begun / pieces) return false;
  }
  // A thief copies the calls, which are many only in long sequences.
  const std::size_t copies = (to - middle) * whole.size() * sizeof(live_call);
  if (to - middle > few && bytes_in_use() + copies > whole_.how.most_bytes) return false;
  for (const live_call* const c : whole) {
    // A thief copies calls that have done nothing.
    for (std::uint32_t i = middle; i < to; ++i) {
      const live_call* const part = part_at(*c, i);
      if (part != nullptr && (part->state != call_state::fresh || part->at)) return false;
    }
    // Neighbors interfere more often than others.
    for (std::uint32_t i = middle; i-- > from;) {
      const live_call* const part = part_at(*c, i);
      if (part == nullptr) continue;
      const auto interferes = [&](const live_call& later) { return part->all.interferes(later.all); };
      if (find_parts(*c, part->all, middle, to, report_.checks, interferes)) return false;
    }
  }
  return true;
}

// The rest of a row of sequences, which a thief may take.
struct splicer::stolen_range {
  std::uint32_t to;     // parts before this position may be stolen
  row_of first;         // of each call, the first part that may be stolen; null if there is none
  row_of placeholders;  // of the thief, one for each call of the row
  std::unique_ptr<splicer> thief;

  live_call* after(const live_call& part) const noexcept {
    return part.next != nullptr && part.next->index < to ? part.next : nullptr;
  }
};

void splicer::fork(row whole, std::uint32_t from, std::uint32_t middle, std::uint32_t to) {
  stolen_range rest{to, {}, {}, {}};
  for (const live_call* const c : whole) {
    live_call* first = nullptr;
    for (std::uint32_t i = middle; i < to && first == nullptr; ++i) first = part_at(*c, i);
    // A thief would not know of failures in this splicer.
    const bool given_up = first != nullptr && is_void(*first);
    rest.first.push_back(given_up ? nullptr : first);
    while (given_up && first != nullptr) abandon(*std::exchange(first, rest.after(*first)));
  }
  // A thief cannot look for obstacles in earlier calls.
  lists_all_ = true;
  row_of column;
  row_of next = rest.first;
  for (std::uint32_t i = middle; i < to; ++i) {
    column.clear();
    for (live_call*& part : next) {
      if (part == nullptr || part->index != i) continue;
      find_obstacles(*part, all(column));
      column.push_back(std::exchange(part, rest.after(*part)));
    }
  }
  lists_all_ = false;
  splice_log* const log = log_;
  const int cuts = cuts_;
  SENNIT_ASSERT((log == nullptr) == (cuts == 0));  // see may_fork()
  // A cancelled region may drop the rest.
  whole_.stop.attempt([&] {
    fork_lanes(
        log,
        [&](splice_log* mine) {
          log_ = mine;
          cuts_ = std::max(cuts - 1, 0);
          walk_parts(whole, from, middle);
        },
        [&](bool alone, splice_log* theirs) {
          if (alone) {
            walk_parts(whole, middle, to);
          } else {
            steal_from(whole, middle, rest, theirs, std::max(cuts - 1, 0));
          }
        });
  });
  log_ = log;
  cuts_ = cuts;
  if (rest.thief != nullptr) merge(whole, rest);
}

// Runs on the thief while this splicer works. It reads only members that do not change in calls which have
// not begun: the kind of a call, its effects, its obstacles and the list that it is in.
void splicer::steal_from(row whole, std::uint32_t from, stolen_range& taken, splice_log* log, int cuts) {
  // Nothing counts as taken before all has been copied.
  auto made = std::make_unique<splicer>(whole_, log, cuts);
  splicer& thief = *made;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    live_call& around = thief.make(nullptr);
    taken.placeholders.push_back(&around);
    around.kind = &placeholder;
    around.iteration = whole[i]->iteration;
    around.depth = whole[i]->depth;
    around.state = call_state::open;
    around.parts.begun = taken.first[i] != nullptr ? taken.first[i]->index : from;
    for (live_call* part = taken.first[i]; part != nullptr; part = taken.after(*part)) {
      thief.make_room_for_part(around, part->index);
      live_call& copy = thief.make(&around);
      ++copy.uses;  // for merge()
      part->thiefs_copy = &copy;
      part->kind->move(*part, copy);
      copy.kind = part->kind;
      copy.all = part->all;
      copy.failure = part->failure;
      copy.index = part->index;
      copy.way.seen_from = part->way.seen_from;
      copy.one_step = part->one_step;
      copy.last_step = part->last_step;
      copy.switches = std::exchange(part->switches, 0U);
      copy.stack_bytes = part->stack_bytes;
      thief.count_bytes(copy);
      thief.add_part(around, copy);
      around.parts.begun = part->index + 1;
      ++around.parts.left;
    }
  }
  for (live_call* const first : taken.first) {
    for (const live_call* part = first; part != nullptr; part = taken.after(*part)) {
      for (const obstacle o : part->way.before) {
        const live_call& c = o.call();
        // Not if the call had been abandoned before the fork.
        const bool too = c.index >= from && c.index < taken.to &&
                         std::find(whole.begin(), whole.end(), c.around) != whole.end() && !c.over();
        part->thiefs_copy->way.before.emplace_back(too ? *c.thiefs_copy : o.call(), o.whole());
        if (too) ++c.thiefs_copy->uses;
      }
    }
  }
  for (live_call* const first : taken.first) {
    for (live_call* part = first; part != nullptr; part = taken.after(*part)) {
      part->kind = &placeholder;
      part->failure = nullptr;
      thief.use_bytes(-static_cast<std::ptrdiff_t>(part->stack_bytes));
      part->bytes -= std::exchange(part->stack_bytes, 0U);
    }
  }
  taken.thief = std::move(made);
  thief.walk_parts(all(taken.placeholders), from, taken.to);
  thief.settle();
}

// What the thief has left waits for calls of this splicer, and calls of this splicer may wait for what the
// thief has taken. After the merge, all calls belong to one splicer again. Before that, nothing can fail.
void splicer::merge(row whole, stolen_range& taken) {
  splicer& thief = *taken.thief;
  for (const live_call* const around : taken.placeholders) {
    for (live_call* part = around->parts.first; part != nullptr; part = part->next) hold_obstacles(*part);
  }
  for (const live_call* const around : taken.placeholders) {
    for (live_call* part = around->parts.first; part != nullptr; part = part->next) adopt(*part, thief);
  }
  report_ += thief.report_;
  use_bytes(std::exchange(thief.bytes_, 0));
  failing_ = failing_ || thief.failing_;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    live_call& around = *taken.placeholders[i];
    if (around.failure) fail_part(*whole[i], around.failure, around.parts.failed);
    for (live_call* original = taken.first[i]; original != nullptr; original = taken.after(*original)) {
      live_call& copy = *std::exchange(original->thiefs_copy, nullptr);
      original->state = copy.over() ? copy.state : call_state::open_alone;
      copy.owner = this;
      if (copy.state != call_state::done) {
        original->parts.first = original->parts.last = &copy;
        original->parts.left = copy.over() ? 0 : 1;
        copy.around = original;
        copy.next = copy.previous = nullptr;
      }
      release(copy);
    }
    around.owner = this;
    recycle(around);
  }
  whole_.spare(thief.free_);
  for (live_call* const first : taken.first) {
    for (live_call* part = first; part != nullptr;) {
      live_call& original = *std::exchange(part, taken.after(*part));
      if (original.over()) {
        finish(original);
      } else {
        wake(original);
      }
    }
  }
  while (live_call* const c = thief.stranded_.pop()) {
    if (c->state == call_state::delayed) try_again(*c);
    release(*c);
  }
  settle();
}

// A thief does not count uses of calls that belong to another splicer: these calls exist at least until the
// merge.
void splicer::hold_obstacles(live_call& c) noexcept {
  for (const obstacles* const found : {&c.way.before, &c.way.blocked_by}) {
    for (const obstacle o : *found) use(o.call());
  }
  for (live_call* part = c.parts.first; part != nullptr; part = part->next) hold_obstacles(*part);
}

// Also adopts obstacles of the call that have ended and belong to no other call.
void splicer::adopt(live_call& c, const splicer& from) noexcept {
  c.owner = this;
  for (const obstacles* const found : {&c.way.before, &c.way.blocked_by}) {
    for (const obstacle o : *found) {
      if (o.call().owner == &from) o.call().owner = this;
    }
  }
  for (live_call* part = c.parts.first; part != nullptr; part = part->next) adopt(*part, from);
}

}  // namespace sennit::detail
