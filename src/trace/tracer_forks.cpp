// SPDX-License-Identifier: Apache-2.0
// Forks under a trace: which are told, and what they took.
#include "trace/traced_strand.hpp"
#include "trace/tracer.hpp"

#include <algorithm>
#include <utility>

namespace sennit::detail {

namespace {

using kind = traced_body::kind;

}  // namespace

donee tracer::fork_begins(strand& of, trace_cursor& cursor, whereabouts& where,
                          std::uintptr_t site) noexcept {
  const bool is_cut = of.in_cuts();
  const std::uint64_t expected_ns = is_cut ? policy::unknown_ns : expected(of.innermost, site);
  traced_body* const body = open(of, is_cut ? kind::cut : kind::fork, site);
  if (body == nullptr) return {};
  cursor.level().notes = body;
  cursor.level().awaited = 0;
  where.position = body->id;
  where.plan = fork_notes{.part_of_loop = is_cut, .depth = body->depth}.packed();
  if (is_cut) return {};
  body->expected_ns = expected_ns;
  body->told = expected_ns >= resolution_ns;
  return {.part = body->told ? nullptr : &of.unobserved};
}

// Of what lies in the body: in a fork, in its left branch.
std::uint64_t tracer::expected_in(const traced_body* around) const noexcept {
  if (around == nullptr) return policy::unknown_ns;
  if (around->what != kind::fork) return around->expected_ns;
  const float left = durations_.shares(around->site).left;
  return left > 0 ? policy::share_of(around->expected_ns, left) : policy::unknown_ns;
}

// By what is known of the body around, or else of other constructs at that place, as deep.
std::uint64_t tracer::expected(const traced_body* around, std::uintptr_t site) const noexcept {
  const std::uint64_t by_body = policy::share_of(expected_in(around), durations_.shares(site).of_body);
  return by_body != policy::unknown_ns ? by_body
                                       : durations_.mean_ns(site, around != nullptr ? around->depth + 1 : 0);
}

void tracer::learn(const traced_body& fork, std::uint64_t took_ns, std::uint64_t right_ns) noexcept {
  const auto part = [](std::uint64_t of, std::uint64_t whole) {
    return static_cast<float>(of) / (static_cast<float>(whole) + 1);
  };
  policy::fork_shares known = durations_.shares(fork.site);
  // Of what is briefer, most is the time that measuring takes.
  const std::uint64_t around_ns = expected_in(fork.outer);
  if (around_ns != policy::unknown_ns && around_ns >= least_ns)
    known.of_body = policy::learned(known.of_body, std::min(part(took_ns, around_ns), 1.0F));
  // Whatever else comes there: the body takes longer than was expected.
  if (fork.outer != nullptr && fork.outer->expected_ns < took_ns) fork.outer->expected_ns = took_ns;
  known.left += (part(fork.left_ns, took_ns) - known.left) * 0.25F;
  known.right += (part(right_ns, took_ns) - known.right) * 0.25F;
  durations_.learn(fork.site, known);
  durations_.took(fork.site, fork.depth, took_ns);
}

bool tracer::runs_in_place(trace_cursor& cursor, const whereabouts&) noexcept {
  const strand* const of = strand::of(cursor);
  return of != nullptr && of->popped != nullptr;
}

void tracer::in_place_begins(trace_cursor& cursor, const whereabouts&) noexcept {
  strand& of = *strand::of(cursor);
  traced_body* const fork = std::exchange(of.popped, nullptr);
  fork->outer = std::exchange(of.innermost, fork);
  traced_body* const right = open(of, kind::right, 0);
  cursor.level().notes = fork;
  cursor.level().awaited = 0;
  if (right != nullptr)
    right->expected_ns = policy::right_after(fork->left_ns, fork->expected_ns, durations_.shares(fork->site));
}

void tracer::in_place_ends(trace_cursor& cursor, const whereabouts&) noexcept {
  strand& of = *strand::of(cursor);
  settle(of);
  auto* const fork = static_cast<traced_body*>(std::exchange(cursor.level().notes, nullptr));
  while (of.innermost != nullptr && of.innermost != fork) close(of, *of.innermost);
  leave(of, *fork);
  const std::uint64_t end = now();
  learn(*fork, end - fork->begun_ns, end - fork->begun_ns - fork->left_ns);
  tell_in(of, *fork, end);
  of.give_back(*fork);
}

bool tracer::is_overdue(trace_cursor& cursor) noexcept {
  const auto* const body = static_cast<const traced_body*>(cursor.level().notes);
  return body != nullptr && now() - body->begun_ns >= overdue_ns;
}

// For each fork, and for a right branch around it.
void tracer::will_begin_late(trace_cursor& cursor, std::size_t forks) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr) return;
  settle(*of);
  of->keep_spare(2 * forks);
}

// When it began is not known. What was done before counts for what is around.
void tracer::begins_late(trace_cursor& cursor, whereabouts& where) noexcept {
  strand* const of = strand::of(cursor);
  where = {.position = 0, .plan = nullptr, .within = false};
  if (of == nullptr) return;
  settle(*of);
  if (const traced_body* const around = of->innermost;
      around != nullptr && around->what == kind::fork && around->left_ns != 0) {
    const std::uint64_t begun_ns = around->begun_ns + around->left_ns;
    if (traced_body* const right = open(*of, kind::right, 0)) {
      right->begun_ns = begun_ns;
      right->expected_ns = policy::unknown_ns;
    }
  }
  traced_body* const body = open(*of, kind::fork, 0);
  if (body == nullptr) return;
  body->expected_ns = policy::unknown_ns;
  cursor.level().notes = body;
  cursor.level().awaited = 0;
  where.position = body->id;
  where.plan = fork_notes{.part_of_loop = false, .depth = body->depth}.packed();
}

void tracer::unobserved_left_ends(trace_cursor& cursor) noexcept {
  if (auto* const body = static_cast<traced_body*>(cursor.level().notes))
    body->left_ns = now() - body->begun_ns;
}

// A fork that was not as brief as expected is told after all, without what is inside.
void tracer::unobserved_ends(trace_cursor& cursor) noexcept {
  strand& of = *strand::of(cursor);
  traced_body* const fork = take_left(cursor);
  if (fork == nullptr) return;
  // The right branch has been looked into.
  const bool told = of.innermost != nullptr && of.innermost != fork;
  while (of.innermost != nullptr && of.innermost != fork) close(of, *of.innermost);
  leave(of, *fork);
  const std::uint64_t end = now();
  const std::uint64_t took = end - fork->begun_ns;
  learn(*fork, took, took - fork->left_ns);
  if (told) {
    tell_in(of, *fork, end);
  } else if (took < resolution_ns) {
    was_brief(of, *fork, took);
  } else {
    traced_body right;
    right.what = kind::right;
    right.id = next_id();
    right.in = fork->id;
    right.begun_ns = fork->begun_ns + fork->left_ns;
    tell(right, end);
    fork->holds_told = true;
    tell_in(of, *fork, end);
  }
  of.give_back(*fork);
}

void tracer::waits(trace_cursor& cursor, const whereabouts&) noexcept {
  strand* const of = strand::of(cursor);
  if (of == nullptr) return;
  settle(*of);
  tell_leaf(*of);
  if (auto* const body = static_cast<traced_body*>(cursor.left().notes); body != nullptr)
    body->left_ns = now() - body->begun_ns;
}

void tracer::joined(trace_cursor& cursor, frame&, pause) noexcept {
  strand* const of = strand::of(cursor);
  traced_body* const body = take_left(cursor);
  cursor.site = 0;
  if (of == nullptr || body == nullptr) return;
  if (body->what == kind::cut) {
    leave(*of, *body);
    of->give_back(*body);
  } else {
    body->holds_told = true;  // by its thief
    close(*of, *body);
  }
}

}  // namespace sennit::detail
