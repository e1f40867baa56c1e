// SPDX-License-Identifier: Apache-2.0
// Loops: claims of chunks, cuts, deals, and loops that are divided and conquered.
#include "engine/names.hpp"
#include "engine/simulation.hpp"
#include "policy/deal.hpp"

#include <algorithm>
#include <utility>

namespace sennit::sim {

namespace {

// About a third of a nanosecond: see detail::read_clock().
detail::ticks ticks(picoseconds time) noexcept { return time * 3 / nanosecond; }

// What is shorter is not worth a thief's while: as the runtime remembers it of earlier loops.
std::uint64_t brief_iterations(picoseconds iteration) noexcept {
  return detail::loop_cost::brief * nanosecond / 3 / std::max<picoseconds>(1, iteration);
}

// In the names of loops, beside the numbers of parts of the program.
constexpr std::uint64_t all_parts = ~std::uint64_t{0} - 1;

// Of `whole`, which so many iterations take: what the first `n` of them do.
picoseconds share(picoseconds whole, std::uint64_t n, std::uint64_t of) noexcept {
  return whole / of * n + whole % of * n / of;
}

}  // namespace

void simulation::begin_loop(worker& w, node_number n) {
  const std::uint64_t iterations = facts_.iterations(program_.at(n));
  if (how_.cut == loops::halves) {
    if (w.last == 0) w.last = iterations;
    halve(w, n);
    return;
  }
  const record_number whole = records_.make(record_kind::loop, n, w.at, w.name);
  const record_number part =
      records_.make(record_kind::loop_part, n, whole, name_of_branch(records_[whole].name, all_parts));
  records_[part].last = iterations;
  begin_part(w, part);
}

void simulation::begin_part(worker& w, record_number part) {
  record& here = records_[part];
  w.at = part;
  if (free_paces_.empty()) {
    free_paces_.push_back(static_cast<std::uint32_t>(paces_.size()));
    paces_.emplace_back();
  }
  here.extra = free_paces_.back();
  free_paces_.pop_back();
  loop_pace& pace = paces_[here.extra];
  pace.chunks.emplace(brief_iterations(facts_.iteration(here.node)), sharing_);
  pace.begun = w.time;
  pace.size = 0;
  spend(w, activity::forking, costs_.fork);
  const bool has_plan = how_.follow != replay::none && donate_parts(w, part);
  if (!has_plan && !here.is_closed && (!here.is_piece || here.others != 0)) deal(w, part);
  // The rest is exposed with the first claim, as the next step.
}

// Deals what the strand begins out to those who wait. A piece that was dealt is dealt on to others.
void simulation::deal(worker& w, record_number part) {
  if (how_.cut == loops::split_only || how_.how != promotion::on_demand || strict() || !w.latent.empty())
    return;
  record& here = records_[part];
  const std::uint64_t brief = brief_iterations(facts_.iteration(here.node));
  const std::uint64_t n = here.last - here.first;
  if (n <= brief && !here.is_piece) return;
  if (how_.cut == loops::places) {
    deal_to_places(w, part);
    return;
  }
  const std::vector<unsigned> idle = idle_after(w, here.is_piece ? here.others : how_.workers);
  if (idle.empty()) return;
  const policy::deal parts(here.first, here.last, idle.size() + 1, brief / 2, here.is_piece ? 0 : brief / 4);
  const std::uint64_t others = parts.parts() - 1;
  for (std::uint64_t group = std::min(others, policy::most_dealt_at_once); group > 0; --group) {
    const std::uint64_t first = policy::first_of_group(group - 1, others);
    const std::uint64_t end = policy::first_of_group(group, others);
    hand_part(w, workers_[idle[first]], part, parts.begin_of(first + 1), end - first - 1);
  }
}

// The same part of the loop to the same worker each time, also to who sleeps.
void simulation::deal_to_places(worker& w, record_number part) {
  record& here = records_[part];
  const unsigned count = how_.workers;
  const std::uint64_t n = here.last;
  const std::uint64_t part_ns =
      facts_.iteration(here.node) * std::max<std::uint64_t>(n / count, 1) / nanosecond;
  bool any_sleeps = false;
  for (unsigned role = count - 1; role > 0; --role) {
    worker& to = workers_[(w.index + role) % count];
    if (!policy::has_part_along_places(waits(to), sleeps(to), part_ns)) continue;
    const std::uint64_t begin = std::max<std::uint64_t>(n / count * role + n % count * role / count, 1);
    if (begin >= here.last) continue;
    if (waits(to)) {
      hand_part(w, to, part, begin, 0);
    } else {
      const bool sleeper = put_aside(w, {.of = cut(part, begin)}, to, any_turn);
      any_sleeps = any_sleeps || sleeper;
    }
  }
  if (any_sleeps) (void)wake_for_parts(w);
}

// `others`: to how many the worker deals it on.
void simulation::hand_part(worker& w, worker& to, record_number part, std::uint64_t begin,
                           std::uint64_t others) {
  const frame piece{.of = cut(part, begin)};
  records_[piece.of].others = static_cast<std::uint32_t>(others);
  ++result_.promotions;
  spend(w, activity::forking, costs_.promotion);
  records_[records_[part].parent].dealt = w.time;
  if (!post(w, to, piece)) list(w, piece);
}

// Whether the oldest part of a loop is cut for who has asked.
bool simulation::cuts_for_who_asked(worker& w) {
  const frame oldest = w.latent.oldest();
  const picoseconds dealt = records_[records_[oldest.of].parent].dealt;
  const std::uint64_t since = dealt == never ? policy::never_dealt : ticks(w.time - std::min(dealt, w.time));
  return policy::cuts_for_who_asked(idle_for(w, oldest) != nullptr, since, detail::loop_cost::brief);
}

// Whether the oldest frame may go to the thief; none: anybody may come.
bool simulation::cuts_at_places(worker& w, const worker* thief) {
  const record& oldest = records_[w.latent.oldest().of];
  if (how_.cut != loops::places || oldest.kind != record_kind::loop_part) return true;
  const bool far = thief == nullptr || between(w, *thief) == distance::other_node;
  return policy::leaves_its_place(oldest.last - oldest.first, far);
}

// Workers that wait, in the order of seats behind this one.
std::vector<unsigned> simulation::idle_after(const worker& w, unsigned most) const {
  std::vector<unsigned> idle;
  for (unsigned i = 1; i < how_.workers && idle.size() < most; ++i) {
    const unsigned other = (w.index + i) % how_.workers;
    if ((searching_[other / 64] >> other % 64 & 1) != 0) idle.push_back(other);
  }
  return idle;
}

// Cuts off what comes from `middle` on.
record_number simulation::cut(record_number part, std::uint64_t middle) {
  const record_number whole = records_[part].parent;
  const record_number piece = records_.make(record_kind::loop_part, records_[part].node, whole,
                                            name_of_branch(records_[part].name, middle));
  record& from = records_[part];
  record& made = records_[piece];
  made.is_piece = true;
  made.first = middle;
  made.last = std::exchange(from.last, middle);
  made.cut_from = from.name;
  ++records_[whole].open;
  return piece;
}

// The fewest iterations that an owner hands over.
std::uint64_t simulation::worth(record_number part) {
  const loop_pace& pace = paces_[records_[part].extra];
  return pace.size != 0 ? pace.chunks->worth_stealing()
                        : brief_iterations(facts_.iteration(records_[part].node));
}

// The strand has ended a chunk, or has none yet: claims the next one.
void simulation::go_on_part(worker& w, record_number part) {
  record& here = records_[part];
  loop_pace& pace = paces_[here.extra];
  if (pace.size != 0) {
    pace.chunks->took(pace.size, ticks(w.time - pace.begun));
    if (!here.is_closed) {
      if (!w.latent.empty()) met_push_gate(w, false);
      // As in the runtime, whose owner answers with its next claim made: that iteration stays its own.
      const std::uint64_t claimed = here.first < here.last ? 1 : 0;
      here.first += claimed;
      answer(w);
      here.first -= claimed;
    }
  } else if (!here.is_closed && here.first < here.last) {
    // The first iteration is the strand's: a part that consists of one would be handed on for ever.
    w.latent.push({.of = part});
    result_.most_frames = std::max<std::uint64_t>(result_.most_frames, w.latent.size());
    met_push_gate(w, true);
  }
  if (here.first >= here.last) {
    end_part(w, part);
    return;
  }
  const std::uint64_t left = here.last - here.first;
  const std::uint64_t size = here.is_closed ? left : pace.size == 0 ? 1 : pace.chunks->next(left);
  const node& loop = program_.at(here.node);
  const std::span children = program_.children(loop);
  const std::span ends = facts_.ends_of(loop);
  // Neighboring parts follow each other; a piece begins anywhere.
  if (here.first >= ends[here.step]) ++here.step;
  if (here.first >= ends[here.step] || (here.step > 0 && here.first < ends[here.step - 1]))
    here.step = static_cast<std::uint32_t>(std::ranges::upper_bound(ends, here.first) - ends.begin());
  const std::uint32_t at = here.step;
  const node& child = program_.at(children[at]);
  w.at = part;
  pace.begun = w.time;
  if (child.what != part::work) {
    pace.size = 1;
    begin_child(w, here.is_closed ? part : here.parent, children[at], at);
    w.at = part;
    ++here.first;
    note_open(w);
    spend(w, activity::forking, costs_.loop_chunk);
    return;
  }
  std::uint64_t to = here.first + std::min(size, left);
  std::uint32_t last = at;
  while (ends[last] < to && program_.at(children[last + 1]).what == part::work) ++last;
  to = std::min(to, ends[last]);
  const std::uint64_t from = std::exchange(here.first, to);
  pace.size = to - from;
  note_open(w);
  spend(w, activity::forking, costs_.loop_chunk);
  ++w.result.strands;
  w.rest = run_iterations(w, loop, at, from, to);
  if (w.next_beat == never) go_on_work(w);
}

// What the iterations [from, to) take, of which the first is in part `at`.
picoseconds simulation::run_iterations(worker& w, const node& loop, std::uint32_t at, std::uint64_t from,
                                       std::uint64_t to) {
  const std::span children = program_.children(loop);
  const std::span ends = facts_.ends_of(loop);
  picoseconds time = 0;
  for (std::uint64_t begin = at == 0 ? 0 : ends[at - 1]; from < to; begin = ends[at++]) {
    const node& n = program_.at(children[at]);
    const std::uint64_t end = std::min(to, ends[at]);
    time += share(n.time, end - begin, n.iterations) - share(n.time, from - begin, n.iterations);
    if (n.count != 0) time += memory_time(w, n, end - from, n.iterations);
    from = end;
  }
  return time;
}

void simulation::end_part(worker& w, record_number part) {
  record& here = records_[part];
  const record_number whole = here.parent;
  const bool piece = here.is_piece;
  const bool closed = here.is_closed;
  if (!closed) (void)pop(w, {.of = part});
  free_paces_.push_back(here.extra);
  if (closed) {
    ended(w, part);
    return;
  }
  records_.free(part);
  if (piece) {
    finish(w, whole);
  } else if (records_[whole].open == 0) {
    ended(w, whole);
  } else {
    w.at = no_record;
    wait_for(w, whole);
  }
}

// Iterations [w.first, w.last) of a loop that is divided and conquered.
void simulation::halve(worker& w, node_number n) {
  const std::uint64_t iterations = facts_.iterations(program_.at(n));
  const std::uint64_t grain =
      std::max<std::uint64_t>(1, how_.grain != 0 ? how_.grain : iterations / (8 * how_.workers));
  const std::uint64_t first = std::exchange(w.first, 0);
  const std::uint64_t last = std::exchange(w.last, 0);
  if (last - first <= grain) {
    const record_number leaf = records_.make(record_kind::loop_part, n, w.at, w.name);
    records_[leaf].is_closed = true;
    records_[leaf].first = first;
    records_[leaf].last = last;
    begin_part(w, leaf);
    return;
  }
  const record_number half = records_.make(record_kind::loop_half, n, w.at, w.name);
  records_[half].first = first;
  records_[half].last = last;
  ++result_.forks;
  w.at = half;
  w.begins = n;
  w.name = name_of_branch(records_[half].name, 0);
  w.first = first;
  w.last = first + (last - first) / 2;
  push(w, {.of = half, .child = 1}, name_of_branch(records_[half].name, 1));
  spend(w, activity::forking, costs_.fork - costs_.fork / 2);
}

}  // namespace sennit::sim
